import type { Route } from '../../core/config/config.ts';
import type { Post } from '../../core/posts/post.ts';
import { type Approval, type Ballot, isOwnGate, postNamed } from '../approval.ts';
import { votersFor, votesFor } from './votes.ts';

/**
 * Self-approval: with `selfApproval: loud` a requester can approve their own gate. Before it is recorded, a reply in
 * the thread, also shown in the channel, mentions the other reviewers. One of them then marks it as reviewed.
 */

/** Whether the requester can decide. Loud only for own gates, where nothing is approved before everybody was told. */
export function selfApprovalOf(
  request: { readonly key?: string | undefined },
  { selfApproval }: Route,
): Route['selfApproval'] {
  return selfApproval === 'loud' && !isOwnGate(request) ? false : selfApproval;
}

/** The requester's own approval, if the decision uses it. */
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

/** The reply that has to be posted before the decision; undefined: none. */
export function selfApprovalPost(approval: Approval): Post | undefined {
  const ballot = selfApprovalIn(approval);
  return ballot && postNamed(approval, `${SELF_APPROVAL}${ballot.at}`, approval.channel);
}

/** Nothing goes ahead before that reply is posted. */
export function isUntold(approval: Approval): boolean {
  const post = selfApprovalPost(approval);
  return post !== undefined && post.ts === undefined;
}
