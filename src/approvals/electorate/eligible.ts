import type { IdentityRule, NamedPeople } from '../../core/config/config.ts';
import { groupsIn } from '../../core/config/places.ts';
import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { MEMBERSHIPS } from '../../core/people/denials.ts';
import { type Actor, unseen } from '../../core/people/directory.ts';
import { accountDenial } from '../../core/people/identity.ts';
import { type MembershipRules, membershipOf } from '../../core/people/membership.ts';
import type { LookupOptions, PeopleLookup } from '../../core/slack/lookup.ts';
import {
  idsOf,
  NO_SUCH_PERSON,
  type PersonIds,
  type SlackPerson,
} from '../../core/slack/slack-person.ts';
import { StoreError } from '../../core/store/store.ts';
import type { Action } from '../approval.ts';
import { type Asking, accountReading } from './asking.ts';
import {
  type Accepted,
  type Authorization,
  type Known,
  type NotAllowed,
  notAllowed,
  type Unchecked,
} from './authorization.ts';
import type { Electorate } from './clause.ts';
import { ownRefusal } from './electorate.ts';
import { ASKED, askersOf, hasAsked, isRequester } from './own-request.ts';
import { areKnown, isToLookUp } from './requester.ts';
import { CHANNEL } from './through.ts';
import { areVerified } from './verified.ts';

/**
 * Whether somebody may cast a ballot: the only reader of what Slack and the service say of a person who wants to decide.
 * `substitute.ts` asks it for both people.
 */

/**
 * Finds out whether a person may decide: a reviewer, not the requester, a full member of an allowed workspace, active
 * in the service. Denied unless all of that is known. A failed look-up is `failed`, which neither grants nor denies.
 * isSubstitute: they need not be a reviewer.
 */
export async function eligible(
  core: Core,
  electorate: Electorate,
  user: string,
  asking: Asking,
  action: Action = 'approve',
  isSubstitute = false,
): Promise<Authorization> {
  const { route, requesters, selfApproval, places } = electorate;
  if (route === undefined) return notAllowed('no-route');
  const rules = { ...core.workspace, guests: route.guests };
  try {
    if (!isSubstitute) askAhead(core, electorate, rules, user, asking);
    // A rejection fills no need.
    const ofNeeds = action === 'reject' ? [] : groupsIn(places);
    const person = await core.lookup.person(user, asking);
    const membership = membershipOf(person, rules);
    if (membership !== 'member') return notAllowed(MEMBERSHIPS[membership].denial);
    // The rule may be newer than the request.
    const mustBeKnown = route.requester !== 'any' && action === 'approve';
    if (mustBeKnown && !areKnown(requesters)) {
      return requesters.some(isToLookUp) ? REQUESTER_UNREAD : notAllowed('requester-not-known');
    }
    if (mustBeKnown && route.requester === 'verified' && !areVerified(requesters)) {
      return notAllowed('requester-not-verified');
    }
    if (!selfApproval && isRequester(electorate, person) === 'yes') return notAllowed('requester');
    // A requester's rejection does no harm.
    const isAnyone = selfApproval === true || (selfApproval === 'loud' && action === 'reject');
    const { found, through, unread, missingGroups, noGroupsInPlan } = isSubstitute
      ? NO_REVIEW
      : await review(core, electorate, person, asking, ofNeeds);
    const missing = {
      ...(missingGroups.length > 0 && { missingGroups }),
      ...(noGroupsInPlan && { noGroupsInPlan }),
    };
    if (found !== 'reviewer') {
      const unread = noGroupsInPlan ? 'no-user-groups' : 'group-missing';
      const code = found === 'dropped' ? 'reviewer-no-more' : 'not-a-reviewer';
      return { ...notAllowed(missingGroups.length > 0 ? unread : code), ...missing };
    }
    const actor = await identify(core, person, asking);
    if (actor.kind === 'failed') return { ...actor, ...missing };
    const asked = isAnyone ? 'no' : await hasAsked(core, electorate, person, actor, asking);
    const isLoud = asked === 'yes' && selfApproval === 'loud';
    if (asked !== 'no' && !isLoud) return { ...notAllowed(ASKED[asked]), ...missing };
    const code = isLoud && (await ownRefusal(core, electorate, rules, person, asking));
    if (code) return { ...notAllowed(code), ...missing };
    const judged = admitted(actor, route.identity);
    if (judged.kind !== 'accepted') return { ...judged, ...missing };
    return {
      ...judged,
      ...(isLoud && { self: true as const }),
      ...(through.length > 0 && { through }),
      ...(unread !== undefined && { unread }),
      ...missing,
    };
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (NO_SUCH_PERSON.has(error.code)) return notAllowed('stranger');
    return { kind: 'failed', failure: error.facts };
  }
}

/** Slack has not said yet who asked. */
const REQUESTER_UNREAD: Unchecked = {
  kind: 'failed',
  failure: { class: 'ambiguous', code: 'requester_unread' },
};

const NO_REVIEW: Review = {
  found: 'reviewer',
  through: [],
  missingGroups: [],
  noGroupsInPlan: false,
};

/**
 * Starts the look-ups for the person as last seen, in parallel with reading the person. The real check shares them if
 * the person is unchanged, and otherwise asks again.
 */
function askAhead(
  core: Core,
  electorate: Electorate,
  rules: MembershipRules,
  user: string,
  asking: Asking,
): void {
  const { lookup, directory, workspace } = core;
  const seen = lookup.lastSeen(user);
  if (seen !== undefined && membershipOf(seen, rules) !== 'member') return;
  review(core, electorate, seen ?? { id: user, globalId: null }, asking).catch(() => {});
  directory.readAhead(seen ?? unseen(user), accountReading(asking));
  if (workspace.enterprise === null || electorate.selfApproval) return;
  for (const asker of askersOf(electorate)) lookup.person(asker, asking).catch(() => {});
}

/** The person's account in the service. */
async function identify(
  { directory }: Core,
  person: SlackPerson,
  asking: Asking,
): Promise<(Actor & { readonly kind: 'actor' }) | Unchecked> {
  try {
    const actor = await directory.serviceUserFor(person, accountReading(asking));
    return { kind: 'actor', ...actor };
  } catch (error) {
    if (error instanceof RemoteFailure) {
      return { kind: 'failed', failure: error.facts, of: 'service' };
    }
    if (error instanceof StoreError) return { kind: 'failed', failure: error.facts, of: 'store' };
    throw error;
  }
}

function admitted(
  { identity, account, alsoKnownAs }: Actor,
  rule: IdentityRule,
): Accepted | NotAllowed {
  const bar = accountDenial(identity, rule);
  if (bar !== null) return notAllowed(bar);
  const serviceUser = identity.kind === 'linked' ? identity.userId : null;
  const id = account?.id ?? null;
  return {
    kind: 'accepted',
    ...(serviceUser !== null && { serviceUser }),
    ...(id !== null && { account: id }),
    ...(alsoKnownAs.length > 0 && { alsoKnownAs }),
  };
}

/** By recent look-ups, and whatever their account. `unknown`: Slack does not answer. */
export async function isReviewer(
  { lookup, workspace }: Core,
  electorate: Electorate,
  person: SlackPerson,
  signal: AbortSignal,
): Promise<Known> {
  const { route } = electorate;
  if (route === undefined) return 'no';
  if (membershipOf(person, { ...workspace, guests: route.guests }) !== 'member') return 'no';
  try {
    const { found } = await review({ lookup: lookup.recent }, electorate, person, { signal });
    return found === 'reviewer' ? 'yes' : 'no';
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    // Slack hides a private channel that Gatepost was removed from. A click there is refused too, and people outside
    // must not learn that something is waiting in it.
    return error.code === 'channel_not_found' ? 'no' : 'unknown';
  }
}

/**
 * Whether a person is one of the route's reviewers, and of those the request narrows them to. dropped: the request
 * names them, but the route does not, or no longer does. `missingGroups`: groups that could not be read. For a
 * reviewer, also looks up which of the groups `also` they are in; `unread`: those that failed.
 */
async function review(
  { lookup }: { readonly lookup: PeopleLookup },
  { named, asked, isNarrowed, channel }: Electorate,
  person: PersonIds,
  options: LookupOptions,
  also: readonly string[] = [],
): Promise<Review> {
  const ids = idsOf(person);
  const missing = new Set<string>();
  let noGroupsInPlan = false;
  const through = new Set<string>();
  const isIn = async (group: string) => {
    const members = await lookup.groupMembers(group, { ...options, lookingFor: ids });
    if (members.missing !== null) missing.add(group);
    if (members.missing === 'no_groups_in_plan') noGroupsInPlan = true;
    const isOne = ids.some((id) => members.users.includes(id));
    if (isOne) through.add(group);
    return isOne;
  };
  const isInside = async () => {
    const isOne = channel !== undefined && (await lookup.isMember(channel, person.id, options));
    if (isOne) through.add(CHANNEL);
    return isOne;
  };
  const isNamed = async ({ users, groups }: NamedPeople) =>
    ids.some((id) => users.includes(id)) || (await Promise.all(groups.map(isIn))).includes(true);
  const isOfRoute = async () => (await isNamed(named)) || (named.channel && (await isInside()));
  const isWanted = !isNarrowed || (await isNamed(asked));
  const isReviewer = isWanted && (await isOfRoute());
  const tried = await Promise.allSettled(isReviewer ? also.map(isIn) : []);
  const unread = unreadOf(also, tried);
  const isDropped = isWanted && isNarrowed;
  const found = isReviewer ? 'reviewer' : isDropped ? 'dropped' : 'other';
  return {
    found,
    through: [...through],
    ...(unread !== undefined && { unread }),
    missingGroups: [...missing],
    noGroupsInPlan,
  };
}

function unreadOf(
  groups: readonly string[],
  tried: readonly PromiseSettledResult<boolean>[],
): Accepted['unread'] {
  const failed = tried.flatMap((end, at) =>
    end.status === 'rejected' ? [{ group: groups[at] ?? '', reason: end.reason as unknown }] : [],
  );
  const [first] = failed;
  if (first === undefined) return undefined;
  if (!(first.reason instanceof RemoteFailure)) throw first.reason;
  return { groups: failed.map(({ group }) => group), failure: first.reason.facts };
}

interface Review {
  readonly found: 'reviewer' | 'dropped' | 'other';
  /** Groups, or `channel`, that the person is in. */
  readonly through: readonly string[];
  readonly unread?: Accepted['unread'];
  readonly missingGroups: readonly string[];
  readonly noGroupsInPlan: boolean;
}
