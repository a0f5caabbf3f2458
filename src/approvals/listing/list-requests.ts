import { RemoteFailure } from '../../lib/failure.ts';
import { idsOf, type SlackPerson } from '../../people/membership.ts';
import { STEP_MS } from '../../reconcile/flow.ts';
import type { PeopleLookup } from '../../slack/lookup.ts';
import type { Store } from '../../store/store.ts';
import { askerList, routeList } from '../lists.ts';
import { NO_SUCH_PERSON } from '../reviewer.ts';
import { type Found, lookThrough } from './look-through.ts';
import { type ReviewerNeeds, reviewedRoutes, waitsFor } from './reviews.ts';
import { beginningOf, type View } from './view.ts';

export interface ListNeeds extends ReviewerNeeds {
  readonly store: Pick<Store, 'list'>;
  readonly lookup: PeopleLookup;
}

/** What somebody sees who looks at the lists; a section that was not asked for is absent. */
export interface Listing {
  readonly waiting?: Found;
  /** There are more routes than are looked through. */
  readonly hasMoreRoutes?: boolean;
  readonly asked?: Found;
}

/** A page of each: all that a message can show. */
const MOST = { waiting: 8, asked: 5 } as const;
export const ROUTES_MAX = 50;
const NOTHING: Found = { requests: [], untold: 0, next: null, isMoreCertain: true };

/**
 * Lists the open requests that wait for a person, and those they asked for. Throws StoreError, and
 * RemoteFailure when Slack does not tell who they are.
 */
export async function listRequests(needs: ListNeeds, user: string, view: View): Promise<Listing> {
  const signal = AbortSignal.timeout(STEP_MS);
  const person = await personOf(needs, user, signal);
  const ids = person === undefined ? [user] : idsOf(person);
  const wants = (section: 'waiting' | 'asked') => [section, 'both'].includes(view.section);
  const after = beginningOf(view);
  const [waiting, asked] = await Promise.all([
    wants('waiting') ? waitingFor(needs, person, after, signal) : undefined,
    wants('asked') ? askedBy(needs, ids, after) : undefined,
  ]);
  return { ...waiting, ...asked };
}

async function waitingFor(
  needs: ListNeeds,
  person: SlackPerson | undefined,
  after: string | undefined,
  signal: AbortSignal,
): Promise<Pick<Listing, 'waiting' | 'hasMoreRoutes'>> {
  if (person === undefined) return { waiting: NOTHING };
  const routes = await reviewedRoutes(needs, person, signal);
  const waiting = await lookThrough(needs, {
    lists: routes.slice(0, ROUTES_MAX).map(({ name }) => routeList(name)),
    after,
    most: MOST.waiting,
    belongs: (approval) => waitsFor(needs, person, approval, signal),
  });
  return { waiting, hasMoreRoutes: routes.length > ROUTES_MAX };
}

/** `ids`: whichever of them the request names. */
async function askedBy(
  needs: ListNeeds,
  ids: readonly string[],
  after: string | undefined,
): Promise<Pick<Listing, 'asked'>> {
  const lists = ids.map(askerList);
  const belongs = async () => 'yes' as const;
  return { asked: await lookThrough(needs, { lists, after, most: MOST.asked, belongs }) };
}

/** undefined: Slack shows nobody of that id. */
async function personOf(
  { lookup }: ListNeeds,
  user: string,
  signal: AbortSignal,
): Promise<SlackPerson | undefined> {
  try {
    return await lookup.person(user, { signal });
  } catch (error) {
    if (error instanceof RemoteFailure && NO_SUCH_PERSON.has(error.code)) return undefined;
    throw error;
  }
}
