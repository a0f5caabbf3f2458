import type { Folded } from '../reconcile/flow.ts';
import type { Approval } from './approval.ts';
import { WITHDRAWN, WITHDRAWN_STATE } from './message/sentences.ts';
import { closeDecision, isInDoubt, loseSight, tell } from './transitions.ts';

/**
 * Takes a request back without deciding anything. An answer that is on its way, or may have been
 * taken, is still looked up; one that was not sent is not sent any more, and who waits is told.
 */
export function withdraw(approval: Approval, at: number): Folded<Approval> {
  if (approval.outcome !== undefined || approval.withdrawnAt !== undefined) {
    return { data: approval };
  }
  const { queue, watch, ...rest } = approval;
  const { askers = [], ...unasked } = watch;
  const closed = endUnsent({ ...rest, queue: [], watch: unasked, withdrawnAt: at }, at);
  const told = queue.reduce((owing, click) => tell(owing, click, WITHDRAWN), closed);
  const data = askers.reduce((owing, asker) => tell(owing, asker, WITHDRAWN_STATE), told);
  const entry = { action: 'approvals.withdrawn', record: null, actor: approval.source, facts: {} };
  return { data, audit: [entry] };
}

/** Ends a decision of a withdrawn request whose answer is not on its way now. */
export function endUnsent(approval: Approval, at: number): Approval {
  const { decision } = approval;
  const isSent = decision?.phase.name === 'sending' || decision?.phase.name === 'settle';
  if (decision === undefined || isSent) return approval;
  return isInDoubt(decision)
    ? loseSight(approval, 'unsure', at)
    : closeDecision(approval, WITHDRAWN);
}
