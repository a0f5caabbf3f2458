import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { membershipOf } from '../../core/people/membership.ts';
import type { SlackPerson } from '../../core/slack/slack-person.ts';
import { StoreError } from '../../core/store/store.ts';
import type { Action, Ballot, Voter } from '../approval.ts';
import { type Absence, absencesCoveredBy } from './absence.ts';
import type { Asking } from './asking.ts';
import type { Electorate } from './electorate.ts';
import {
  type Accepted,
  type Authorization,
  eligible,
  isReviewer,
  type Known,
  knownBy,
  type RefusalCode,
  type Unchecked,
} from './eligible.ts';
import { isRequester } from './own-request.ts';
import { canFill, tally } from './tally.ts';
import { isSamePerson, share, slackIdsOf } from './votes.ts';

/**
 * Substitutes: somebody decides for an absent person, only with that person's own permission, which is checked like any
 * other; so nobody can substitute for a substitute. The ballot counts as the absent person's.
 */

declare module '../approval.ts' {
  interface Ballot {
    /** Whom they decided for: the ballot counts as that person's, and `through` is how that person was a reviewer. */
    readonly for?: Voter;
  }
  interface Credit {
    /** For whom some of them decided: user ids by user id. */
    readonly for?: Readonly<Record<string, string>>;
  }
  interface Unconfirmed {
    /** In whose place. */
    readonly for?: string;
  }
  interface CountedPress {
    readonly for?: string;
  }
}

declare module './eligible.ts' {
  interface Accepted {
    /** Whom they decide for; `through` is then that person's. */
    readonly for?: Voter;
  }
  interface Refusals {
    readonly 'giver-cannot': unknown;
    readonly 'giver-voted': unknown;
    /** They are back, or name the person as substitute no more. */
    readonly 'giver-back': unknown;
  }
}

/**
 * Authorizes a press: by the person's own permission or, if that is not enough, as the substitute of an absent person.
 * Throws StoreError.
 */
export async function authorizePress(
  core: Core,
  electorate: Electorate,
  ballots: readonly Ballot[],
  user: string,
  asking: Asking,
  action: Action,
): Promise<Authorization> {
  const own = await eligible(core, electorate, user, asking, action);
  if (electorate.route?.substitutes !== true) return own;
  if (!isMore(own, electorate, ballots, user, action)) return own;
  const given = await absencesOf(core, user, asking);
  if (given.kind === 'failed') return own.kind === 'accepted' ? own : given;
  const ends: Authorization[] = [];
  for (const { ids } of given.absences) {
    if (hasVoted(ballots, ids, user, action)) {
      ends.push(notAllowed('giver-voted'));
      continue;
    }
    // The id they have in this workspace, which their own press would carry.
    const giver = ids.at(-1) ?? ids[0];
    const found = await authorizeFor(core, electorate, { user, giver }, asking, action);
    const helps = own.kind !== 'accepted' || fillsAny(electorate, ballots, user, found);
    if (found.kind === 'accepted' && helps) return found;
    ends.push(found);
  }
  if (own.kind === 'accepted') return own;
  return ends.find(({ kind }) => kind === 'failed') ?? ends.at(-1) ?? own;
}

/**
 * Authorizes a voter again, by the permission their ballot was cast with: a substitute still has to stand in. Throws
 * StoreError.
 */
export async function authorizeAgain(
  core: Core,
  electorate: Electorate,
  ballots: readonly Ballot[],
  user: string,
  asking: Asking,
  action: Action = 'approve',
): Promise<Authorization> {
  const ballot = ballots.find((each) => each.user === user);
  const giver = ballot?.for?.user;
  if (giver !== undefined) {
    const [covered, found] = await Promise.all([
      absencesOf(core, user, asking),
      authorizeFor(core, electorate, { user, giver }, asking, action),
    ]);
    if (found.kind === 'not-allowed') return found;
    if (covered.kind === 'failed') return covered;
    const isCovered = covered.absences.some(({ ids }) => ids.includes(giver));
    return isCovered ? found : notAllowed('giver-back');
  }
  const found = await eligible(core, electorate, user, asking, action);
  // It may only now be known that they are the requester, or that self-approval has to be loud.
  const isSilent = found.kind === 'accepted' && found.self === true && ballot?.reason === undefined;
  return isSilent ? notAllowed('reason-missing') : found;
}

/**
 * Neither person may be the requester, whatever the route says about self-approval, and the substitute may not be a
 * guest.
 */
async function authorizeFor(
  core: Core,
  electorate: Electorate,
  { user, giver }: { readonly user: string; readonly giver: string },
  asking: Asking,
  action: Action,
): Promise<Authorization> {
  const { route } = electorate;
  if (route === undefined || !route.substitutes) return notAllowed('not-a-reviewer');
  const strict = { ...electorate, selfApproval: false } as const;
  const noGuests = { ...strict, route: { ...route, guests: false } };
  const [own, theirs] = await Promise.all([
    eligible(core, noGuests, user, asking, action, true),
    eligible(core, strict, giver, asking, action),
  ]);
  if (own.kind !== 'accepted') return own;
  if (theirs.kind === 'failed') return theirs;
  if (theirs.kind === 'not-allowed') return { ...theirs, code: 'giver-cannot' };
  // What makes them a reviewer, without their identity.
  const { kind, serviceUser, account, alsoKnownAs, reason, ...right } = theirs;
  return { ...own, ...right, for: { user: giver, ...knownBy(theirs) } };
}

/**
 * Whether somebody reviews a request, themselves or in the place of absent people (`givers`), by recent look-ups and
 * whatever their account.
 */
export async function reviews(
  core: Core,
  electorate: Electorate,
  person: SlackPerson,
  givers: readonly SlackPerson[],
  signal: AbortSignal,
): Promise<Known> {
  const { route } = electorate;
  const own = await isReviewer(core, electorate, person, signal);
  const mayStandIn =
    route?.substitutes === true &&
    membershipOf(person, { ...core.workspace, guests: false }) === 'member';
  if (own !== 'no' || !mayStandIn || isRequester(electorate, person) !== 'no') return own;
  const given = givers.filter((giver) => isRequester(electorate, giver) === 'no');
  const told = await Promise.all(given.map((giver) => isReviewer(core, electorate, giver, signal)));
  return told.find((each) => each === 'yes') ?? told.find((each) => each === 'unknown') ?? 'no';
}

function notAllowed(code: RefusalCode): Authorization {
  return { kind: 'not-allowed', code };
}

/** Not a reviewer, as far as known; with any other refusal the person's own permission is final. */
const NO_REVIEWER: ReadonlySet<RefusalCode> = new Set([
  'not-a-reviewer',
  'reviewer-no-more',
  'group-missing',
  'no-user-groups',
]);

/** Whether substituting could achieve more than their own permission. */
function isMore(
  own: Authorization,
  electorate: Electorate,
  ballots: readonly Ballot[],
  user: string,
  action: Action,
): boolean {
  if (own.kind === 'not-allowed') return NO_REVIEWER.has(own.code);
  const hasNeeds = action === 'approve' && electorate.places.length > 0;
  return own.kind === 'accepted' && hasNeeds && !fillsAny(electorate, ballots, user, own);
}

/** Whether the ballot fills a place that nobody else fills. */
function fillsAny(
  electorate: Electorate,
  ballots: readonly Ballot[],
  user: string,
  found: Authorization,
): boolean {
  if (found.kind !== 'accepted') return false;
  const ballot = ballotOf(user, found);
  const others = ballots.filter((each) => !isSamePerson(each, ballot));
  const open = tally(electorate, others).open.flatMap(({ of }) => of);
  return electorate.places.some((need) => open.includes(need.name) && canFill(ballot, need));
}

function ballotOf(user: string, found: Accepted): Ballot {
  const { through, for: giver } = found;
  return {
    user,
    action: 'approve',
    at: 0,
    ...knownBy(found),
    ...(through !== undefined && { through }),
    ...(giver !== undefined && { for: giver }),
  };
}

/** The absent person has voted, or another substitute has for them: another ballot would only replace that one. */
function hasVoted(
  ballots: readonly Ballot[],
  ids: readonly string[],
  user: string,
  action: Action,
): boolean {
  return ballots.some(
    (each) =>
      each.action === action &&
      !slackIdsOf(each).includes(user) &&
      share(slackIdsOf(each.for ?? each), ids),
  );
}

async function absencesOf(
  { lookup, store }: Core,
  user: string,
  asking: Asking,
): Promise<{ readonly kind: 'found'; readonly absences: readonly Absence[] } | Unchecked> {
  try {
    const absences = await absencesCoveredBy(store, await lookup.person(user, asking));
    return { kind: 'found', absences };
  } catch (error) {
    if (error instanceof RemoteFailure) return { kind: 'failed', failure: error.facts };
    if (error instanceof StoreError) return { kind: 'failed', failure: error.facts, of: 'store' };
    throw error;
  }
}
