/**
 * Who may decide a request now: one value (this file), made of clauses in one order, a file each. `tally.ts` says
 * whether ballots are enough, `eligible.ts` whether somebody may cast one. It knows nothing of decisions or messages.
 */

import type { Reviewers, Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { MembershipRules } from '../../core/people/membership.ts';
import type { PersonIds } from '../../core/slack/slack-person.ts';
import type { Approval } from '../approval.ts';
import type { Asking } from './asking.ts';
import { away } from './away.ts';
import type { Clause, Named, Refusals, RequestRules } from './clause.ts';
import { type ClosedRoute, closed } from './closed.ts';
import { escalation } from './escalation.ts';
import { type GonePeople, gone } from './gone.ts';
import { type Lacking, lacking } from './lacking.ts';
import { narrowing } from './narrowing.ts';
import { needs } from './needs.ts';
import { type OwnRequest, ownRequest } from './own-request.ts';
import { quiet } from './quiet.ts';
import { selfApproval } from './self-approval.ts';
import type { RouteTerms } from './terms.ts';

export interface Electorate extends Named, ClosedRoute, GonePeople, OwnRequest, Lacking {}

const CLAUSES = [
  needs,
  narrowing,
  quiet,
  escalation,
  closed,
  away,
  gone,
  ownRequest,
  selfApproval,
  lacking,
] as const;

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
    isStill: false,
    silent: { users: [], groups: [] },
    quorum,
    places: [],
    needed: quorum,
    away: [],
    membersOf: {},
    hasSubstitutes: false,
    steps: [],
    begun: [],
    since: Number.NEGATIVE_INFINITY,
    until: Number.POSITIVE_INFINITY,
  };
  const electorate: Electorate = {
    ...base,
    ...needs.start(base),
    ...narrowing.start(base),
    ...quiet.start(base),
    ...escalation.start(base),
    ...closed.start(base),
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
