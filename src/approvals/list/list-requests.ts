import type { Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { namedBy } from '../../core/lib/short-id.ts';
import { membershipOf } from '../../core/people/membership.ts';
import { idsOf, NO_SUCH_PERSON, type SlackPerson } from '../../core/slack/slack-person.ts';
import type { Approval } from '../approval.ts';
import { requesterList, routeList } from '../lists.ts';
import { isRequester, review } from '../policy.ts';
import { routeNamed } from '../steps/step-rules.ts';
import { type Found, lookThrough } from './look-through.ts';
import { beginningOf, type View } from './view.ts';

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
export async function listRequests(core: Core, user: string, view: View): Promise<Listing> {
  const signal = core.timers.deadline(core.timing.stepMs);
  const person = await personOf(core, user, signal);
  const ids = person === undefined ? [user] : idsOf(person);
  const wants = (section: 'waiting' | 'asked') => [section, 'both'].includes(view.section);
  const after = beginningOf(view);
  const isNamed = view.section === 'both' && view.id !== undefined ? namedBy(view.id) : () => true;
  const [waiting, asked] = await Promise.all([
    wants('waiting') ? waitingFor(core, person, { after, isNamed }, signal) : undefined,
    wants('asked') ? askedBy(core, ids, { after, isNamed }) : undefined,
  ]);
  return { ...waiting, ...asked };
}

/** Where a page begins, and which requests are looked for. */
interface Wish {
  readonly after: string | undefined;
  readonly isNamed: (id: string) => boolean;
}

async function waitingFor(
  core: Core,
  person: SlackPerson | undefined,
  { after, isNamed }: Wish,
  signal: AbortSignal,
): Promise<Pick<Listing, 'waiting' | 'hasMoreRoutes'>> {
  if (person === undefined) return { waiting: NOTHING };
  const routes = await reviewedRoutes(core, person, signal);
  const waiting = await lookThrough(core, {
    lists: routes.slice(0, ROUTES_MAX).map(({ name }) => routeList(name)),
    after,
    most: MOST.waiting,
    isNamed,
    belongs: (approval) => waitsFor(core, person, approval, signal),
  });
  return { waiting, hasMoreRoutes: routes.length > ROUTES_MAX };
}

/** `ids`: whichever of them the request names. */
async function askedBy(
  core: Core,
  ids: readonly string[],
  { after, isNamed }: Wish,
): Promise<Pick<Listing, 'asked'>> {
  const lists = ids.map(requesterList);
  const belongs = async () => 'yes' as const;
  return {
    asked: await lookThrough(core, { lists, after, most: MOST.asked, isNamed, belongs }),
  };
}

/** undefined: Slack shows nobody of that id. */
async function personOf(
  { lookup }: Core,
  user: string,
  signal: AbortSignal,
): Promise<SlackPerson | undefined> {
  try {
    return await lookup.recent.person(user, { signal });
  } catch (error) {
    if (error instanceof RemoteFailure && NO_SUCH_PERSON.has(error.code)) return undefined;
    throw error;
  }
}

/**
 * Routes on which a person may decide something: those that let in people like them, and name them, a
 * group of theirs, a group that cannot be asked about just now, or a whole channel.
 */
async function reviewedRoutes(
  { lookup, workspace, config: { routes } }: Core,
  person: SlackPerson,
  signal: AbortSignal,
): Promise<readonly Route[]> {
  const ids = idsOf(person);
  const isAmong = (users: readonly string[]) => ids.some((id) => users.includes(id));
  const isIn = async (group: string) =>
    orWhenUnknown(
      lookup.recent.groupMembers(group, { signal }).then(({ users }) => isAmong(users)),
      true,
    );
  const reviews = await Promise.all(
    routes.map(async ({ guests, reviewers: { users, groups, channel } }) => {
      if (membershipOf(person, { ...workspace, guests }) !== 'member') return false;
      if (channel || isAmong(users)) return true;
      return (await Promise.all(groups.map(isIn))).includes(true);
    }),
  );
  return routes.filter((_, i) => reviews[i]);
}

/** Whether a request waits for a person's decision. `unknown`: Slack does not tell just now. */
async function waitsFor(
  core: Core,
  person: SlackPerson,
  approval: Approval,
  signal: AbortSignal,
): Promise<'yes' | 'no' | 'unknown'> {
  const route = routeNamed(core, approval.route);
  const { decision, watch } = approval;
  if (route === undefined || decision !== undefined || watch.state === 'unknown') return 'no';
  if (!route.selfApproval && isRequester(approval, person) !== 'no') return 'no';
  const asked = { lookup: core.lookup.recent };
  const answer = review(asked, route, approval, person, { signal });
  const told = answer.then(({ found }) => (found === 'reviewer' ? 'yes' : 'no'), outOfSight);
  return orWhenUnknown(told, 'unknown');
}

/**
 * Slack does not show Gatepost a private channel that it was taken out of: a click there is not let
 * through either, and those outside shall not read that something waits in it.
 */
function outOfSight(error: unknown): 'no' {
  if (error instanceof RemoteFailure && error.code === 'channel_not_found') return 'no';
  throw error;
}

async function orWhenUnknown<Value>(asked: Promise<Value>, unknown: Value): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RemoteFailure) return unknown;
    throw error;
  }
}
