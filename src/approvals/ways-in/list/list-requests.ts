import type { Route } from '../../../core/config/config.ts';
import type { Core } from '../../../core/core.ts';
import { RemoteFailure } from '../../../core/lib/failure.ts';
import { namedBy } from '../../../core/lib/short-id.ts';
import { membershipOf } from '../../../core/people/membership.ts';
import { authorizePerson } from '../../../core/people/permission.ts';
import { linkedMessage } from '../../../core/slack/links.ts';
import { idsOf, personIfAny, type SlackPerson } from '../../../core/slack/slack-person.ts';
import type { StoredRecord } from '../../../core/store/store.ts';
import type { Approval } from '../../approval.ts';
import { isOpen } from '../../approval.ts';
import type { Known } from '../../electorate/authorization.ts';
import { decidersOf } from '../../electorate/deciders.ts';
import { type Electorate, electorateOf } from '../../electorate/electorate.ts';
import { isRequester } from '../../electorate/own-request.ts';
import { requesterIds, withLinked } from '../../electorate/requester.ts';
import { routeTerms } from '../../electorate/route-for.ts';
import { giversOf, mayStandIn, reviews } from '../../electorate/stand-ins.ts';
import { share } from '../../electorate/votes.ts';
import { decidedForList, decidedList, requesterList, routeList } from '../../lists.ts';
import { isPosted } from '../../tell/message/message-state.ts';
import { type Found, lookThrough } from './look-through.ts';
import { pageOf, soonestFirst } from './soonest-first.ts';
import { beginningOf, SECTIONS, type Section, sectionsOf, type View } from './view.ts';

/** The lists for a person; sections that were not asked for are absent. */
export type Listing = Readonly<Partial<Record<Section, Found>>> & {
  /** There are more routes than were searched. */
  readonly hasMoreRoutes?: boolean;
  /** Whether they are an administrator could not be checked. */
  readonly isAllUnchecked?: boolean;
};

export const ROUTES_MAX = 50;
/** How many records are read for one answer, in a few reads of the store; more for a named one. */
export const LOOKED_AT_MAX = 200;
const LOOKED_AT_FOR_ID_MAX = 2_000;

/** Who wants to see requests. */
interface Reader {
  readonly ids: readonly string[];
  /** undefined: Slack shows no such person. */
  readonly person: SlackPerson | undefined;
  /** The people they decide for. */
  readonly givers: readonly SlackPerson[];
  readonly signal: AbortSignal;
}

/** The person whose lists are read. */
interface Seeker extends Reader {
  /** Routes on which they may be able to decide. */
  readonly routes: readonly Route[];
  readonly hasMoreRoutes: boolean;
  /** Search only this route's lists; absent: all routes. */
  readonly only?: string | undefined;
}

interface Finder {
  /** The size of a page, which has to fit into a message with others. */
  readonly most: number;
  readonly newestFirst?: true;
  lists(seeker: Seeker, core: Core): readonly string[];
  /** `unknown`: Slack does not answer. */
  belongs(approval: Approval, seeker: Seeker, core: Core): Promise<Known>;
}

/** How each section's requests are found. */
const FINDERS: Readonly<Record<Section, Finder>> = {
  waiting: {
    most: 8,
    lists: ({ routes, only }) => namesOf(routes, only).map(routeList),
    belongs: waitsFor,
  },
  asked: {
    most: 5,
    lists: ({ ids }) => ids.map(requesterList),
    belongs: async (approval) => (isOpen(approval) ? 'yes' : 'no'),
  },
  decided: {
    most: 8,
    newestFirst: true,
    lists: ({ ids, routes, only }) => [
      ...namesOf(routes, only).map(decidedList),
      ...ids.map(decidedForList),
    ],
    belongs: async (approval, seeker, core) =>
      approval.outcome === undefined ? 'no' : concerns(approval, seeker, core),
  },
  all: {
    most: 8,
    lists: ({ only }, { config }) => namesOf(config.routes, only).map(routeList),
    belongs: async (approval) => (isOpen(approval) ? 'yes' : 'no'),
  },
};

function namesOf(routes: readonly Route[], only: string | undefined): readonly string[] {
  const names = routes.map(({ name }) => name);
  return only === undefined ? names : names.filter((name) => name === only);
}

/**
 * Lists what a view shows: requests that wait for a person, that they asked for, or that were decided. The caller has
 * to make sure that only administrators use `all`. Throws StoreError, and RemoteFailure when Slack does not say who the
 * person is.
 */
export async function listRequests(core: Core, user: string, view: View): Promise<Listing> {
  const seeker = await seekerOf(core, user);
  const typed = view.section === 'both' ? view.id : undefined;
  return find(core, seeker, sectionsOf(view), {
    after: beginningOf(view),
    lookedAtMost: typed === undefined ? LOOKED_AT_MAX : LOOKED_AT_FOR_ID_MAX,
    isNamed: typed === undefined ? () => true : namedAs(typed),
  });
}

/** By its id, or the link to its message. */
function namedAs(typed: string): Wanted['isNamed'] {
  const linked = linkedMessage(typed);
  const isNamed = namedBy(typed);
  return ({ id, place }) =>
    linked === undefined
      ? isNamed(id)
      : place?.channel === linked.channel && place.message === linked.message;
}

/** What a Home tab shows, and its routes. */
export interface HomeListing {
  readonly listing: Listing;
  readonly routes: readonly string[];
}

/**
 * Finds everything, up to LOOKED_AT_MAX requests a section, for one route or source if chosen. A request that is not
 * posted waits for nobody, and none is repeated in a later section. Throws StoreError and RemoteFailure.
 */
export async function listForHome(
  core: Core,
  user: string,
  { route, source }: { readonly route?: string | undefined; readonly source?: string | undefined },
  wanted: readonly Section[] = SECTIONS,
): Promise<HomeListing> {
  const seeker = { ...(await seekerOf(core, user)), only: route };
  const who = { ...core.config.administrators, channel: false };
  const looking = { ...core, lookup: core.lookup.recent };
  const permission = wanted.includes('all')
    ? await authorizePerson(looking, who, { user, channel: '' })
    : undefined;
  const isAdministrator = permission?.kind === 'allowed';
  const sections = wanted.filter((section) => section !== 'all' || isAdministrator);
  const found = await find(core, seeker, sections, {
    most: LOOKED_AT_MAX,
    lookedAtMost: LOOKED_AT_MAX,
    isNamed: () => true,
    isWanted: (approval, section) =>
      (route === undefined || approval.route === route) &&
      (source === undefined || approval.source === source) &&
      (section !== 'waiting' || isPosted(approval)),
  });
  const { waiting, asked, all } = found;
  const above = new Set([waiting, asked].flatMap((each) => each?.requests.map(({ id }) => id)));
  const listing = {
    ...found,
    isAllUnchecked: permission?.kind === 'failed',
    ...(all && { all: { ...all, requests: all.requests.filter(({ id }) => !above.has(id)) } }),
  };
  const names = isAdministrator ? core.config.routes : seeker.routes;
  const routes = namesOf(names, undefined).slice(0, ROUTES_MAX);
  return { listing, routes };
}

/** What somebody can do with a request by the current rules. `unknown`: Slack does not answer. */
export async function accessTo(
  core: Core,
  user: string,
  approval: Approval,
): Promise<'decides' | 'sees' | 'none' | 'unknown'> {
  const reader = await readerOf(core, user);
  const waits = await waitsFor(approval, reader, core);
  if (waits === 'yes') return 'decides';
  const sees = await concerns(approval, reader, core);
  return sees === 'yes' ? 'sees' : sees === 'no' ? 'none' : sees;
}

async function readerOf(core: Core, user: string): Promise<Reader> {
  const signal = core.timers.deadline(core.timing.stepMs);
  const person = await personIfAny(core.lookup.recent, user, { signal });
  if (person === undefined) return { ids: [user], person, givers: [], signal };
  return { ids: idsOf(person), person, givers: await giversOf(core, person, signal), signal };
}

async function seekerOf(core: Core, user: string): Promise<Seeker> {
  const reader = await readerOf(core, user);
  const { person, givers, signal } = reader;
  const routesOf = (each: SlackPerson) => reviewedRoutes(core, each, signal);
  const [own, given] = await Promise.all([
    person === undefined ? [] : routesOf(person),
    Promise.all(givers.map(routesOf)),
  ]);
  const routes = [...new Set([...own, ...given.flat().filter(mayStandIn)])];
  return {
    ...reader,
    routes: routes.slice(0, ROUTES_MAX),
    hasMoreRoutes: routes.length > ROUTES_MAX,
  };
}

interface Wanted {
  readonly after?: string | undefined;
  /** Default: what fits into a message. */
  readonly most?: number;
  readonly lookedAtMost: number;
  readonly isNamed: (record: Pick<StoredRecord, 'id' | 'place'>) => boolean;
  readonly isWanted?: (approval: Approval, section: Section) => boolean;
}

async function find(
  core: Core,
  seeker: Seeker,
  sections: readonly Section[],
  { after, most, isWanted = () => true, ...options }: Wanted,
): Promise<Listing> {
  const found = await Promise.all(
    sections.map(async (section) => {
      const finder = FINDERS[section];
      const page = pageOf(after);
      const piece = await lookThrough(core, {
        ...options,
        lists: finder.lists(seeker, core),
        after: page.from,
        newestFirst: finder.newestFirst ?? false,
        most: finder.newestFirst ? (most ?? finder.most) : options.lookedAtMost,
        belongs: async (approval) =>
          isWanted(approval, section) ? finder.belongs(approval, seeker, core) : 'no',
      });
      const shown = finder.newestFirst ? piece : soonestFirst(piece, page, most ?? finder.most);
      return [section, shown] as const;
    }),
  );
  return { ...Object.fromEntries(found), hasMoreRoutes: seeker.hasMoreRoutes };
}

/**
 * Routes on which a person may be able to decide, now or later: they admit such members, and name the person, one of
 * their groups, a group that cannot be read now, or a whole channel.
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
    routes.map(async (route) => {
      const { users, groups, channel } = decidersOf(route);
      if (membershipOf(person, { ...workspace, guests: route.guests }) !== 'member') return false;
      if (channel || isAmong(users)) return true;
      return (await Promise.all(groups.map(isIn))).includes(true);
    }),
  );
  return routes.filter((_, i) => reviews[i]);
}

/** Whether a request waits for a person's decision. */
async function waitsFor(approval: Approval, reader: Reader, core: Core): Promise<Known> {
  const { person } = reader;
  const { decision, watch } = approval;
  if (person === undefined || !isOpen(approval)) return 'no';
  if (decision !== undefined || watch.state === 'unknown') return 'no';
  const electorate = electorateIn(core, approval);
  const isAllowed = electorate.selfApproval === true;
  if (!isAllowed && isRequester(electorate, person) !== 'no') return 'no';
  return reviewsIt(approval, reader, core);
}

/** Whether somebody may see a request: they asked for it, or could decide it by the current rules. */
async function concerns(approval: Approval, reader: Reader, core: Core): Promise<Known> {
  const isOwn = share(requesterIds(approval), reader.ids);
  return isOwn ? 'yes' : reviewsIt(approval, reader, core);
}

/** By their own permission, or as a substitute. */
async function reviewsIt(approval: Approval, reader: Reader, core: Core): Promise<Known> {
  const { person, givers, signal } = reader;
  if (person === undefined) return 'no';
  return reviews(core, electorateIn(core, approval), person, givers, signal);
}

function electorateIn(core: Core, approval: Approval): Electorate {
  return electorateOf(withLinked(approval, core.config), routeTerms(core, approval));
}

async function orWhenUnknown<Value>(asked: Promise<Value>, unknown: Value): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RemoteFailure) return unknown;
    throw error;
  }
}
