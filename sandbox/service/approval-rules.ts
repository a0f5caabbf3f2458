import type { ApprovalAction, ApprovalEffect, ApprovalState } from './approval-state.ts';

/** Every rule gives the approval as it is afterwards: the same object when nothing took effect. */
export function openApproval(id: string, token: string, prompt: string): ApprovalState {
  return { id, token, prompt, status: 'PENDING', resolvedAt: null, effects: [] };
}

/** The first action wins, later ones change nothing (Interface 3.2). @param effect its `at` is ISO 8601. */
export function resolveApproval(approval: ApprovalState, effect: ApprovalEffect): ApprovalState {
  if (approval.status !== 'PENDING') return approval;
  return {
    ...approval,
    status: statusAfter(effect.action),
    resolvedAt: effect.at,
    effects: [...approval.effects, effect],
  };
}

export function timeOutApproval(approval: ApprovalState, at: string): ApprovalState {
  if (approval.status !== 'PENDING') return approval;
  return { ...approval, status: 'TIMED_OUT', resolvedAt: at };
}

function statusAfter(action: ApprovalAction): 'APPROVED' | 'REJECTED' {
  return action === 'approve' ? 'APPROVED' : 'REJECTED';
}
