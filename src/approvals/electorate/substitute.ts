import type { Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { membershipOf } from '../../core/people/membership.ts';
import { personIfAny, type SlackPerson } from '../../core/slack/slack-person.ts';
import { StoreError } from '../../core/store/store.ts';
import type { Action, Ballot } from '../approval.ts';
import { type Absence, absencesCoveredBy } from './absence.ts';
import type { Asking } from './asking.ts';
import {
  type Accepted,
  type Authorization,
  type Known,
  knownBy,
  notAllowed,
  type Press,
  type RefusalCode,
  type Unchecked,
} from './authorization.ts';
import type { Electorate } from './clause.ts';
import { isRequester } from './own-request.ts';
import type { Judge, StandIn } from './stand-in.ts';
import { canFill, tally } from './tally.ts';
import { isSamePerson, share, slackIdsOf } from './votes.ts';
import { whoIsAway } from './who-is-away.ts';

/**
 * Substitutes: somebody decides for an absent person, only with that person's own permission, which is checked like any
 * other; so nobody can substitute for a substitute. The ballot counts as the absent person's.
 */

declare module './clause.ts' {
  interface Refusals {
    readonly 'giver-cannot': unknown;
    readonly 'giver-voted': unknown;
    /** They are back, or name the person as substitute no more. */
    readonly 'giver-back': unknown;
  }
}

/** The press of somebody who decides for an absent person; `own`: by their own permission. Throws StoreError. */
async function instead(
  core: Core,
  electorate: Electorate,
  { ballots, user, asking, action }: Press,
  own: Authorization,
  judge: Judge,
): Promise<Authorization> {
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
    const found = await authorizeFor(core, electorate, { user, giver }, asking, action, judge);
    const helps = own.kind !== 'accepted' || fillsAny(electorate, ballots, user, found);
    if (found.kind === 'accepted' && helps) return found;
    ends.push(found);
  }
  if (own.kind === 'accepted') return own;
  return ends.find(({ kind }) => kind === 'failed') ?? ends.at(-1) ?? own;
}

/** A substitute still has to stand in. Throws StoreError. */
async function again(
  core: Core,
  electorate: Electorate,
  { user, asking, action }: Press,
  giver: string,
  judge: Judge,
): Promise<Authorization> {
  const [covered, found] = await Promise.all([
    absencesOf(core, user, asking),
    authorizeFor(core, electorate, { user, giver }, asking, action, judge),
  ]);
  if (found.kind === 'not-allowed') return found;
  if (covered.kind === 'failed') return covered;
  const isCovered = covered.absences.some(({ ids }) => ids.includes(giver));
  return isCovered ? found : notAllowed('giver-back');
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
  { eligible }: Judge,
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

/** By recent look-ups, and whatever their account; `givers`: absent people whom they decide for. */
async function reviews(
  core: Core,
  electorate: Electorate,
  person: SlackPerson,
  givers: readonly SlackPerson[],
  signal: AbortSignal,
  { isReviewer }: Judge,
): Promise<Known> {
  const mayStandIn =
    electorate.route?.substitutes === true &&
    membershipOf(person, { ...core.workspace, guests: false }) === 'member';
  if (!mayStandIn || isRequester(electorate, person) !== 'no') return 'no';
  const given = givers.filter((giver) => isRequester(electorate, giver) === 'no');
  const told = await Promise.all(given.map((giver) => isReviewer(core, electorate, giver, signal)));
  return told.find((each) => each === 'yes') ?? told.find((each) => each === 'unknown') ?? 'no';
}

/**
 * The absent people somebody decides for, as far as Slack shows them. Reads the store only if a route allows
 * substitutes.
 */
async function givers(
  core: Core,
  person: SlackPerson,
  signal: AbortSignal,
): Promise<readonly SlackPerson[]> {
  if (!core.config.routes.some(isOn)) return [];
  const given = await absencesCoveredBy(core.store, person);
  const givers = await Promise.all(
    given.map(({ ids }) => personIfAny(core.lookup.recent, ids.at(-1) ?? ids[0], { signal })),
  );
  return givers.filter((each) => each !== undefined);
}

function isOn({ substitutes }: Route): boolean {
  return substitutes;
}

export const substitutes: StandIn = { whoIsAway, instead, again, reviews, givers, isOn };

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
