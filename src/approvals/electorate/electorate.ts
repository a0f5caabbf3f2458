/**
 * Who may decide a request now: one value (this file), made of clauses in one order, a file each. `tally.ts` says
 * whether ballots are enough, `eligible.ts` whether somebody may cast one. It knows nothing of decisions or messages.
 */

import type { Reviewers, Route } from '../../core/config/config.ts';
import type { RouteCheck, RoutePieces, RouteSection } from '../../core/config/file.ts';
import type { Core } from '../../core/core.ts';
import type { MembershipRules } from '../../core/people/membership.ts';
import type { PersonIds } from '../../core/slack/slack-person.ts';
import type { Approval } from '../approval.ts';
import type { Asking } from './asking.ts';
import { away } from './away.ts';
import type { BarRules, Stop } from './bar.ts';
import {
  type Check,
  type Clause,
  type Electorate,
  type Named,
  namedIn,
  type Refusals,
  type RequestRules,
} from './clause.ts';
import { closed } from './closed.ts';
import { escalation } from './escalation.ts';
import { gone } from './gone.ts';
import { lacking } from './lacking.ts';
import { narrowing } from './narrowing.ts';
import { needs } from './needs.ts';
import { ownRequest } from './own-request.ts';
import { quiet } from './quiet.ts';
import { closedMember, closedRoute } from './read-closing.ts';
import { selfApproval } from './self-approval.ts';
import type { StandIn } from './stand-in.ts';
import { substitutes } from './substitute.ts';
import type { RouteTerms } from './terms.ts';

export type { Electorate } from './clause.ts';

const CLAUSES = [
  needs,
  narrowing,
  escalation,
  quiet,
  closed,
  away,
  gone,
  ownRequest,
  selfApproval,
  lacking,
] as const;

/** What can keep everybody's approval from counting, by the kind of the step that reads it. */
export const BARS = {
  'read-closing': closedRoute,
};

/** Members of details and callbacks that say so. */
export const BAR_MEMBERS = {
  ...closedMember,
};

export const ALL_BARS: readonly BarRules<object, object>[] = Object.values(BARS);

/** Who decides in the place of others. */
export const STAND_INS: readonly StandIn[] = [substitutes];

const CONFIGURED: readonly Pick<Clause<Electorate>, 'pieces' | 'check'>[] = CLAUSES;

/** Their keys of a route. Stored digests of its rules depend on their order. */
export const CLAUSE_PIECES: Partial<RoutePieces> = Object.assign(
  {},
  ...CONFIGURED.map(({ pieces }) => pieces),
);

/** No reviewers at all only causes a warning: that nobody can decide may be intended. */
const ENOUGH: Check = {
  path: 'quorum',
  error: 'is greater than the number of reviewers',
  holds({ named, quorum }) {
    const all = namedIn(named);
    return all === undefined || all.length === 0 || quorum <= all.length;
  },
};

export const ROUTE_CHECKS: readonly RouteCheck[] = [
  ENOUGH,
  ...CONFIGURED.flatMap(({ check }) => check ?? []),
].map(({ holds, ...check }) => ({ ...check, holds: (route) => holds(electorateEver(route)) }));

/** Of a request that says nothing, after everything that time alone brings. */
export function electorateEver(route: RouteSection): Electorate {
  return electorateOf({}, { route: { ...route, name: '' }, asOf: EVER });
}

/** One of the rules that apply to a request. */
export type Rule = Needed | ReturnType<(typeof CLAUSES)[number]['rules']>[number];

interface Needed {
  readonly code: 'needed';
  readonly needed: number;
}

const NOBODY: Reviewers = { users: [], groups: [], channel: false };

/** After everything that time alone brings. */
export const EVER = Number.POSITIVE_INFINITY;

export function electorateOf(request: RequestRules, { route, asOf }: RouteTerms): Electorate {
  const when = asOf === EVER ? 'ever' : 'now';
  const known = LAST[when];
  const isSame = known?.request === request && known.electorate.route === route;
  if (isSame && isAsOf(known.electorate, asOf)) return known.electorate;
  const clauses: readonly Shapes[] = CLAUSES;
  let electorate = withQuorum(electorateOn(route), request);
  if (electorate.named.channel) electorate = { ...electorate, channel: request.channel };
  const stops = stopsOf(request);
  if (stops.length > 0) electorate = { ...electorate, stops };
  for (const { shape } of clauses) {
    const part = shape?.(electorate, request, asOf);
    if (part !== undefined) electorate = { ...electorate, ...part };
  }
  LAST[when] = { request, electorate };
  return electorate;
}

/** A request can raise the route's quorum, not lower it. */
function withQuorum(usual: Electorate, { quorum = 1 }: RequestRules): Electorate {
  if (quorum <= usual.quorum) return usual;
  return { ...usual, quorum, needed: Math.max(quorum, usual.needed) };
}

type Shapes = Pick<Clause<Electorate>, 'shape'>;

const NEVER: readonly Stop[] = [];

/** When the clocks of a request stand still. */
export function stopsOf(request: RequestRules): readonly Stop[] {
  const stops = ALL_BARS.map((bar) => bar.stops(request)).filter(({ length }) => length > 0);
  return stops.length > 1 ? stops.flat() : (stops[0] ?? NEVER);
}

/** Of a request that says nothing about it. */
function electorateOn(route: Route | undefined): Electorate {
  const known = ON_ROUTES.get(route ?? NO_ROUTE);
  if (known !== undefined) return known;
  const { reviewers = NOBODY, quorum = 1 } = route ?? {};
  const base: Named = {
    route,
    channel: undefined,
    named: reviewers,
    asked: reviewers,
    isNarrowed: false,
    bar: undefined,
    stops: NEVER,
    silent: { users: [], groups: [] },
    quorum,
    places: [],
    needed: quorum,
    away: [],
    membersOf: {},
    hasSubstitutes: false,
    steps: [],
    begun: [],
    hastenable: [],
    since: Number.NEGATIVE_INFINITY,
    until: Number.POSITIVE_INFINITY,
  };
  const electorate: Electorate = {
    ...base,
    ...needs.start(base),
    ...narrowing.start(base),
    ...quiet.start(base),
    ...escalation.start(base),
    ...away.start(base),
    ...gone.start(base),
    ...ownRequest.start(base),
    ...lacking.start(base),
  };
  ON_ROUTES.set(route ?? NO_ROUTE, electorate);
  return electorate;
}

const NO_ROUTE = {};
const ON_ROUTES = new WeakMap<object, Electorate>();

function isAsOf({ since, until }: Electorate, asOf: number): boolean {
  return since <= asOf && (asOf < until || until === EVER);
}

interface Last {
  readonly request: RequestRules;
  readonly electorate: Electorate;
}

/** Each plan asks for its own several times. (A weak map of all would cost more than to compute them.) */
const LAST: { now?: Last; ever?: Last } = {};

/** The next people can decide now, because too few are left; undefined: nobody is to be added. */
export function hastened(
  approval: Approval,
  electorate: Electorate,
  at: number,
): ReturnType<NonNullable<Hastening['hasten']>> {
  const clauses: readonly Hastening[] = CLAUSES;
  for (const { hasten } of clauses) {
    const found = hasten?.(electorate, approval, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Hastening = Pick<Clause<Electorate>, 'hasten'>;

/** Why somebody cannot approve their own request, on a route that lets them; undefined: they can. */
export async function ownRefusal(
  core: Core,
  electorate: Electorate,
  rules: MembershipRules,
  person: PersonIds,
  asking: Asking,
): Promise<keyof Refusals | undefined> {
  const clauses: readonly Pick<Clause<Electorate>, 'own'>[] = CLAUSES;
  for (const { own } of clauses) {
    const code = await own?.(core, electorate, rules, person, asking);
    if (code !== undefined) return code;
  }
  return undefined;
}

/** The rules that apply to a request, in order. */
export function rulesOf(electorate: Electorate, request: RequestRules): readonly Rule[] {
  const { needed } = electorate;
  const others = CLAUSES.flatMap<Rule>(({ rules }) => rules(electorate, request));
  return [{ code: 'needed', needed }, ...others];
}
