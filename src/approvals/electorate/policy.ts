/**
 * Who may decide a request (this file), whose votes count and whether they are enough (`votes.ts`), who is asked
 * (`reviewers.ts`), who is away or gone. It knows nothing of decisions or messages.
 */

import type { IdentityRule, NamedPeople } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { Failed } from '../../core/engine/call-result.ts';
import type { MonotonicClock } from '../../core/lib/clock.ts';
import { type FailureFacts, RemoteFailure } from '../../core/lib/failure.ts';
import { foldEmail } from '../../core/lib/fold-email.ts';
import type { Timing } from '../../core/lib/timing.ts';
import { MEMBERSHIPS } from '../../core/people/denials.ts';
import { type Actor, type Reading, unseen } from '../../core/people/directory.ts';
import { accountDenial } from '../../core/people/identity.ts';
import { membershipOf } from '../../core/people/membership.ts';
import { type LookupOptions, type PeopleLookup, personIfAny } from '../../core/slack/lookup.ts';
import {
  idsOf,
  NO_SUCH_PERSON,
  type PersonIds,
  type SlackPerson,
} from '../../core/slack/slack-person.ts';
import { StoreError } from '../../core/store/store.ts';
import type { Action, Approval, Giver, KnownBy, Requester } from '../approval.ts';
import {
  isRequesterKnown,
  isResolved,
  isUnread,
  requesterIds,
  requestersOf,
  withLinked,
} from './requester.ts';
import { askedOf, decidersOf, type PresentRoute } from './reviewers.ts';
import { selfApprovalOf } from './self-approval.ts';
import { groupsIn, needsOf, share } from './votes.ts';

export interface RouteTerms {
  /** The approval's route as configured now; undefined: no longer configured, so nobody can decide. */
  readonly route: PresentRoute | undefined;
}

/** What the rules need in addition to the approval, as configured now. */
export interface Terms extends RouteTerms {
  readonly timing: Timing;
  /** Records created earlier may have lost their last saves: see `Store.servingSince`. */
  readonly servingSince: number;
  /** See `Store.wentBackAt`. */
  readonly wentBackAt: number;
  readonly watchMaxAgeMs: number;
  /** How long a finished approval is kept, and how long of that it is listed as decided. */
  readonly keepMs: number;
  readonly decidedMs: number;
  readonly budgetPerMinute: number;
  /** How many approvals are polled in the background. */
  readonly pending: number;
  /** See `ServiceAnswers`. */
  readonly isDenying: boolean;
  /** From 0 to 1, new at each call. */
  readonly random: () => number;
}

/** Why a ballot is refused. */
export type RefusalCode =
  | 'no-route'
  | 'reason-missing'
  | 'not-a-reviewer'
  | 'reviewer-no-more'
  | 'group-missing'
  | 'no-user-groups'
  | 'requester'
  | 'requester-unknown'
  | 'requester-not-known'
  | 'nobody-to-tell'
  | 'bot'
  | 'deactivated'
  | 'guest'
  | 'stranger'
  | 'other-company'
  | 'inactive'
  | 'activity-unknown'
  | 'not-linked'
  | 'no-address'
  | 'no-external-id'
  | 'several-accounts'
  | 'account-changed'
  | 'account-lost'
  | 'account-taken'
  | 'no-directory'
  | 'giver-cannot'
  | 'giver-voted'
  /** They are back, or name the person as substitute no more. */
  | 'giver-back';

/** Whether somebody may decide. `failed`: not known. */
export type Authorization = Accepted | NotAllowed | Unchecked;

export interface Accepted extends Groups, KnownBy {
  readonly kind: 'accepted';
  /** Groups, or `channel`, that make them a reviewer or fill a need; absent: they are named. */
  readonly through?: readonly string[];
  /** Whom they decide for; `through` is then that person's. */
  readonly for?: Giver;
  /** They are the requester. */
  readonly self?: true;
  /** Groups of needs whose members Slack did not return, and why. */
  readonly unread?: { readonly groups: readonly string[]; readonly failure: FailureFacts };
  readonly reason?: string;
}

interface NotAllowed extends Groups {
  readonly kind: 'not-allowed';
  readonly code: RefusalCode;
}

/** `of`: whose failure it is; absent: Slack's. store: its part that holds identity links. */
export interface Unchecked extends Failed {
  readonly of?: 'service' | 'store';
}

interface Groups {
  /** Groups in the rules that could not be read. */
  readonly missingGroups?: readonly string[];
  /** Because the workspace's plan has no user groups. */
  readonly noGroupsInPlan?: true;
}

/** One authorization pass: earlier reads do not count, and reads during the pass are shared. */
export interface Asking {
  readonly since: number;
  /** Milliseconds left of the pass. */
  readonly deadlineMs: number;
  /** How long the service has to return an account. */
  readonly accountMs: number;
}

/** `ages`: the clock of the look-ups. */
export function beginAsking(
  { ages, timing }: { readonly ages: MonotonicClock; readonly timing: Timing },
  accountMs = timing.stepMs,
): Asking {
  const since = ages.monotonic();
  return {
    since,
    get deadlineMs() {
      return Math.max(0, since + timing.stepMs - ages.monotonic());
    },
    accountMs,
  };
}

function accountReading({ since, deadlineMs, accountMs }: Asking): Reading {
  return { since, deadlineMs: Math.min(deadlineMs, accountMs) };
}

/**
 * Finds out whether a person may decide: a reviewer, not the requester, a full member of an allowed workspace, active
 * in the service. Denied unless all of that is known. A failed look-up is `failed`, which neither grants nor denies.
 * isSubstitute: they need not be a reviewer.
 */
export async function authorizeReviewer(
  core: Core,
  route: PresentRoute | undefined,
  stored: Approval,
  user: string,
  asking: Asking,
  action: Action = 'approve',
  isSubstitute = false,
): Promise<Authorization> {
  if (route === undefined) return notAllowed('no-route');
  const approval = withLinked(stored, core.config);
  try {
    if (!isSubstitute) askAhead(core, route, approval, user, asking);
    // A rejection fills no need.
    const ofNeeds = action === 'reject' ? [] : groupsIn(needsOf(approval, route));
    const person = await core.lookup.person(user, asking);
    const stands = membershipOf(person, { ...core.workspace, guests: route.guests });
    if (stands !== 'member') return notAllowed(MEMBERSHIPS[stands].denial);
    // The rule may be newer than the request.
    const mustBeKnown = route.requester === 'known' && action === 'approve';
    if (mustBeKnown && !isRequesterKnown(stored)) {
      return requestersOf(stored).some(isUnread) ? UNREAD : notAllowed('requester-not-known');
    }
    const selfApproval = selfApprovalOf(approval, route);
    if (!selfApproval && isRequester(approval, person) === 'yes') return notAllowed('requester');
    // A requester's rejection does no harm.
    const isAnyone = selfApproval === true || (selfApproval === 'loud' && action === 'reject');
    const { found, through, unread, missingGroups, noGroupsInPlan } = isSubstitute
      ? NO_REVIEW
      : await review(core, route, approval, person, asking, ofNeeds);
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
    const asked = isAnyone ? 'no' : await hasAsked(core, approval, person, actor, asking);
    const isLoud = asked === 'yes' && selfApproval === 'loud';
    if (asked !== 'no' && !isLoud) return { ...notAllowed(ASKED[asked]), ...missing };
    if (isLoud && !(await isAnybodyToTell(core, route, person, asking))) {
      return { ...notAllowed('nobody-to-tell'), ...missing };
    }
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
const UNREAD: Unchecked = {
  kind: 'failed',
  failure: { class: 'ambiguous', code: 'requester_unread' },
};

/** How many reviewers are read to find one who can be told. */
const TOLD_MAX = 20;

/** Whether a full member other than the requester can be mentioned: a reviewer of the route, whatever the request narrows. */
async function isAnybodyToTell(
  { lookup, workspace }: Core,
  route: PresentRoute,
  person: PersonIds,
  asking: Asking,
): Promise<boolean> {
  const { users, groups, channel } = decidersOf(route);
  // The channel is told as a whole.
  if (channel) return true;
  const members = await Promise.all(groups.map((group) => lookup.groupMembers(group, asking)));
  const own: readonly string[] = idsOf(person);
  const all = new Set([...users, ...members.flatMap((group) => group.users)]);
  const others = [...all].filter((user) => !own.includes(user)).slice(0, TOLD_MAX);
  const rules = { ...workspace, guests: route.guests };
  const found = await Promise.all(
    others.map(async (user) => {
      const other = await personIfAny(lookup, user, asking);
      return other !== undefined && membershipOf(other, rules) === 'member';
    }),
  );
  return found.includes(true);
}

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
  route: PresentRoute,
  approval: Approval,
  user: string,
  asking: Asking,
): void {
  const { lookup, directory, workspace } = core;
  const seen = lookup.lastSeen(user);
  if (
    seen !== undefined &&
    membershipOf(seen, { ...workspace, guests: route.guests }) !== 'member'
  ) {
    return;
  }
  review(core, route, approval, seen ?? { id: user, globalId: null }, asking).catch(() => {});
  directory.readAhead(seen ?? unseen(user), accountReading(asking));
  if (workspace.enterprise === null || route.selfApproval) return;
  for (const asker of requesterIds(approval)) lookup.person(asker, asking).catch(() => {});
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

/** The identity that a ballot stores. */
export function knownBy({ serviceUser, account, alsoKnownAs }: KnownBy): KnownBy {
  return {
    ...(serviceUser !== undefined && { serviceUser }),
    ...(account !== undefined && { account }),
    ...(alsoKnownAs !== undefined && { alsoKnownAs }),
  };
}

function notAllowed(code: RefusalCode): NotAllowed {
  return { kind: 'not-allowed', code };
}

/** Stands for everybody in the channel, in lists of group ids. */
export const CHANNEL = 'channel';

/** Whether a person asked for what they want to decide. */
type Asked = 'yes' | 'no' | 'unknown';

const ASKED = { yes: 'requester', unknown: 'requester-unknown' } as const satisfies Record<
  Exclude<Asked, 'no'>,
  RefusalCode
>;

/**
 * As far as Slack and, with `actor`, the service know: compares all ids and addresses of all their accounts. `askers`:
 * the requesters, read from Slack. Unknown: the requester is known only by an address, and the person has no verified
 * one; an unverified address may be anybody's. Names do not count.
 */
export function isRequester(
  approval: Approval,
  person: SlackPerson,
  known: { readonly actor?: Actor; readonly askers?: readonly SlackPerson[] } = {},
): Asked {
  const all = requestersOf(approval).map((requester) => isSame(requester, person, known));
  return all.find((each) => each === 'yes') ?? all.find((each) => each === 'unknown') ?? 'no';
}

function isSame(
  requester: Requester,
  person: SlackPerson,
  { actor, askers = [] }: { readonly actor?: Actor; readonly askers?: readonly SlackPerson[] },
): Asked {
  const { user, email } = requester;
  const asker = askers.find((each) => user !== undefined && idsOf(each).includes(user));
  const theirs: readonly string[] = asker === undefined ? [] : idsOf(asker);
  const ids = [...idsOf(person), ...(actor?.alsoKnownAs ?? [])];
  if (ids.some((id) => id === user || theirs.includes(id))) return 'yes';
  const { id, userName, externalId } = actor?.account ?? {};
  const askedBy = foldedAll(email, asker?.email);
  if (share(foldedAll(person.email, userName, externalId, id), askedBy)) return 'yes';
  const confirmed = person.isEmailConfirmed === true ? person.email : null;
  const hasAddress = (actor === undefined ? confirmed : actor.address) !== null;
  return isResolved(requester) || email === undefined || hasAddress ? 'no' : 'unknown';
}

function foldedAll(...addresses: readonly (string | null | undefined)[]): readonly string[] {
  return addresses.flatMap((each) => (each ? [foldEmail(each)] : []));
}

/**
 * The same, with the look-ups it needs. Reads the requesters from Slack only if the person may be known to it by another
 * id, or their account by another address. Throws RemoteFailure.
 */
async function hasAsked(
  { lookup, workspace }: Core,
  approval: Approval,
  person: SlackPerson,
  actor: Actor,
  asking: Asking,
): Promise<Asked> {
  const { account } = actor;
  const mayBeOther =
    person.globalId !== null ||
    person.teamId !== workspace.team ||
    (account !== null && !share(foldedAll(account.userName), foldedAll(person.email)));
  if (!mayBeOther) return isRequester(approval, person, { actor });
  const found = await Promise.all(
    requesterIds(approval).map((user) => personIfAny(lookup, user, asking)),
  );
  const askers = found.filter((each) => each !== undefined);
  return isRequester(approval, person, { actor, askers });
}

/**
 * Whether somebody whose approval was counted asked for the request. Throws RemoteFailure or StoreError when that
 * cannot be found out.
 */
export async function askedThemselves(
  core: Core,
  approval: Approval,
  user: string,
): Promise<Asked> {
  const asking = beginAsking(core);
  const linked = withLinked(approval, core.config);
  const person = await core.lookup.person(user, asking);
  const actor = await core.directory.serviceUserFor(person, accountReading(asking));
  return hasAsked(core, linked, person, actor, asking);
}

/**
 * Whether a person is one of the route's reviewers, and of those the request narrows them to. dropped: the request
 * names them, but the route does not, or no longer does. `missingGroups`: groups that could not be read. For a
 * reviewer, also looks up which of the groups `also` they are in; `unread`: those that failed.
 */
export async function review(
  { lookup }: { readonly lookup: PeopleLookup },
  route: PresentRoute,
  approval: Approval,
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
    const isOne = await lookup.isMember(approval.channel, person.id, options);
    if (isOne) through.add(CHANNEL);
    return isOne;
  };
  const isNamed = async ({ users, groups }: NamedPeople) =>
    ids.some((id) => users.includes(id)) || (await Promise.all(groups.map(isIn))).includes(true);
  const deciders = decidersOf(route);
  const isOfRoute = async () =>
    (await isNamed(deciders)) || (deciders.channel && (await isInside()));
  const isNarrowed = approval.narrowedTo !== undefined;
  const isWanted = !isNarrowed || (await isNamed(askedOf(approval, route)));
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
