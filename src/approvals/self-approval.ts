import type { Route } from '../core/config/config.ts';
import type { Post } from '../core/posts/post.ts';
import { type Approval, type Ballot, isOwnGate, postNamed } from './approval.ts';
import { votersFor, votesFor } from './votes.ts';

/**
 * Whoever asked for an own gate approves it themself (`selfApproval: loud`): before that is recorded, a reply in the
 * thread, shown in the channel too, mentions the other reviewers. Another one of them then marks it as reviewed.
 */

/** Whether whoever asked can decide. Loudly only what Gatepost decides itself: nothing is approved before all are told. */
export function selfApprovalOf(
  request: { readonly key?: string | undefined },
  { selfApproval }: Route,
): Route['selfApproval'] {
  return selfApproval === 'loud' && !isOwnGate(request) ? false : selfApproval;
}

/** The approval of whoever asked for it, where the decision uses that. */
export function selfApprovalIn({ ballots, decision }: Approval): Ballot | undefined {
  if (decision?.action !== 'approve') return undefined;
  const { approvers = votersFor('approve', ballots) } = decision;
  return votesFor('approve', ballots).find(
    ({ user, self }) => self === true && approvers.includes(user),
  );
}

const SELF_APPROVAL = 'self-approval-';

export function isSelfApproval(name: string): boolean {
  return name.startsWith(SELF_APPROVAL);
}

/** The reply that the decision waits for, by the press that it tells of; undefined: it waits for none. */
export function selfApprovalPost(approval: Approval): Post | undefined {
  const ballot = selfApprovalIn(approval);
  return ballot && postNamed(approval, `${SELF_APPROVAL}${ballot.at}`, approval.channel);
}

/** Nothing goes on before that reply is posted. */
export function isUntold(approval: Approval): boolean {
  const post = selfApprovalPost(approval);
  return post !== undefined && post.ts === undefined;
}
