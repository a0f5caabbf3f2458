import type { Core } from '../core/core.ts';
import { RemoteFailure } from '../core/lib/failure.ts';
import { StoreError } from '../core/store/store.ts';
import { type Absence, givenTo } from './absence/absence.ts';
import type { Action, Approval, Ballot } from './approval.ts';
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
 * Who decides in the place of somebody who is away: only by that person's own right, which is read as anew as theirs,
 * so that nobody decides for somebody who is a substitute themselves. What they cast counts as that person's.
 */

/**
 * Whether somebody may decide by a press: by their own right or, where that is not enough, in the place of somebody whose
 * substitute they are. Throws StoreError.
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
    // As Slack shows them here, and as their own press would name them.
    const giver = ids.at(-1) ?? ids[0];
    const found = await authorizeFor(core, route, approval, { user, giver }, asking, action);
    const helps = own.kind !== 'accepted' || fillsAny(approval, route, user, found);
    if (found.kind === 'accepted' && helps) return found;
    ends.push(found);
  }
  if (own.kind === 'accepted') return own;
  return ends.find(({ kind }) => kind === 'failed') ?? ends.at(-1) ?? own;
}

/** Whether somebody who voted may still, by the right that their ballot was cast by. */
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
    return authorizeFor(core, route, approval, { user, giver }, asking, action);
  }
  const found = await authorizeReviewer(core, route, approval, user, asking, action);
  // Only now it is known that they asked for it, or that this has to be loud.
  const isSilent = found.kind === 'accepted' && found.self === true && ballot?.reason === undefined;
  return isSilent ? notAllowed('reason-missing') : found;
}

/**
 * Neither may have asked for it, whatever the route says of people who decide themselves, and a substitute is no guest.
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
  // How they are a reviewer, and nothing of who they are.
  const { kind, serviceUser, account, alsoKnownAs, reason, ...right } = theirs;
  return { ...own, ...right, for: { user: giver, ...knownBy(theirs) } };
}

function notAllowed(code: RefusalCode): Authorization {
  return { kind: 'not-allowed', code };
}

/** No reviewers as far as is known: of anybody else their own right, or bar, is what counts. */
const NO_REVIEWER: ReadonlySet<RefusalCode> = new Set([
  'not-a-reviewer',
  'reviewer-no-more',
  'group-missing',
  'no-user-groups',
]);

/** Another's right may do more than their own. */
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

/** Of the places that nobody else fills. */
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

/** Their own vote, or that of another substitute: one more for them would only take its place. */
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
    const absences = await givenTo(store, await lookup.person(user, asking));
    return { kind: 'found', absences };
  } catch (error) {
    if (error instanceof RemoteFailure) return { kind: 'failed', failure: error.facts };
    if (error instanceof StoreError) return { kind: 'failed', failure: error.facts, of: 'store' };
    throw error;
  }
}
