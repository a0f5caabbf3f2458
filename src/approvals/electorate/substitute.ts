import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { StoreError } from '../../core/store/store.ts';
import type { Action, Approval, Ballot } from '../approval.ts';
import { type Absence, absencesCoveredBy } from './absence.ts';
import {
  type Accepted,
  type Asking,
  type Authorization,
  authorizeReviewer,
  knownBy,
  type RefusalCode,
} from './policy.ts';
import type { PresentRoute } from './reviewers.ts';
import { canFill, isSamePerson, needsOf, progressOf, share, slackIdsOf } from './votes.ts';

/**
 * Substitutes: somebody decides for an absent person, only with that person's own permission, which is checked like any
 * other; so nobody can substitute for a substitute. The ballot counts as the absent person's.
 */

/**
 * Authorizes a press: by the person's own permission or, if that is not enough, as the substitute of an absent person.
 * Throws StoreError.
 */
export async function authorizePress(
  core: Core,
  route: PresentRoute | undefined,
  approval: Approval,
  user: string,
  asking: Asking,
  action: Action,
): Promise<Authorization> {
  const own = await authorizeReviewer(core, route, approval, user, asking, action);
  if (route?.substitutes !== true || !isMore(own, route, approval, user, action)) return own;
  const given = await absencesOf(core, user, asking);
  if (given.kind === 'failed') return own.kind === 'accepted' ? own : given;
  const ends: Authorization[] = [];
  for (const { ids } of given.absences) {
    if (hasVoted(approval, ids, user, action)) {
      ends.push(notAllowed('giver-voted'));
      continue;
    }
    // The id they have in this workspace, which their own press would carry.
    const giver = ids.at(-1) ?? ids[0];
    const found = await authorizeFor(core, route, approval, { user, giver }, asking, action);
    const helps = own.kind !== 'accepted' || fillsAny(approval, route, user, found);
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
  route: PresentRoute | undefined,
  approval: Approval,
  user: string,
  asking: Asking,
  action: Action = 'approve',
): Promise<Authorization> {
  const ballot = approval.ballots.find((each) => each.user === user);
  const giver = ballot?.for?.user;
  if (giver !== undefined) {
    const [given, both] = await Promise.all([
      absencesOf(core, user, asking),
      authorizeFor(core, route, approval, { user, giver }, asking, action),
    ]);
    if (both.kind === 'not-allowed') return both;
    if (given.kind === 'failed') return given;
    return given.absences.some(({ ids }) => ids.includes(giver)) ? both : notAllowed('giver-back');
  }
  const found = await authorizeReviewer(core, route, approval, user, asking, action);
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
  route: PresentRoute | undefined,
  approval: Approval,
  { user, giver }: { readonly user: string; readonly giver: string },
  asking: Asking,
  action: Action,
): Promise<Authorization> {
  if (route === undefined || !route.substitutes) return notAllowed('not-a-reviewer');
  const strict = { ...route, selfApproval: false };
  const [own, theirs] = await Promise.all([
    authorizeReviewer(core, { ...strict, guests: false }, approval, user, asking, action, true),
    authorizeReviewer(core, strict, approval, giver, asking, action),
  ]);
  if (own.kind !== 'accepted') return own;
  if (theirs.kind === 'failed') return theirs;
  if (theirs.kind === 'not-allowed') return { ...theirs, code: 'giver-cannot' };
  // What makes them a reviewer, without their identity.
  const { kind, serviceUser, account, alsoKnownAs, reason, ...right } = theirs;
  return { ...own, ...right, for: { user: giver, ...knownBy(theirs) } };
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
  route: PresentRoute,
  approval: Approval,
  user: string,
  action: Action,
): boolean {
  if (own.kind === 'not-allowed') return NO_REVIEWER.has(own.code);
  const hasNeeds = action === 'approve' && needsOf(approval, route).length > 0;
  return own.kind === 'accepted' && hasNeeds && !fillsAny(approval, route, user, own);
}

/** Whether the ballot fills a place that nobody else fills. */
function fillsAny(
  approval: Approval,
  route: PresentRoute,
  user: string,
  found: Authorization,
): boolean {
  if (found.kind !== 'accepted') return false;
  const ballot = ballotOf(user, found);
  const others = approval.ballots.filter((each) => !isSamePerson(each, ballot));
  const open = progressOf(approval, route, others).open.flatMap(({ of }) => of);
  return needsOf(approval, route).some((need) => open.includes(need.name) && canFill(ballot, need));
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
  { ballots }: Approval,
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

type Given =
  | { readonly kind: 'found'; readonly absences: readonly Absence[] }
  | Extract<Authorization, { readonly kind: 'failed' }>;

async function absencesOf({ lookup, store }: Core, user: string, asking: Asking): Promise<Given> {
  try {
    const absences = await absencesCoveredBy(store, await lookup.person(user, asking));
    return { kind: 'found', absences };
  } catch (error) {
    if (error instanceof RemoteFailure) return { kind: 'failed', failure: error.facts };
    if (error instanceof StoreError) return { kind: 'failed', failure: error.facts, of: 'store' };
    throw error;
  }
}
