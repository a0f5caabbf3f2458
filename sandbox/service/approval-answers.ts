import { type Answer, isObject } from '../exchange.ts';
import type { ApprovalAction, ApprovalEffect, ApprovalState } from './approval-state.ts';
import { errorAnswer, type Variant } from './variant.ts';

/** GET of an approval (Interface 4.3). */
export function statusAnswer(approval: ApprovalState | undefined, variant: Variant): Answer {
  if (!approval) return unknownToken(404, variant);
  const pending = approval.status === 'PENDING';
  if (!pending && variant.usedTokenGet !== 200) return unknownToken(variant.usedTokenGet, variant);
  const withTime = variant.resolvedAtInGet && approval.resolvedAt !== null;
  return wrap(
    {
      [variant.statusField]: approval.status,
      ...(pending && { [variant.promptField]: approval.prompt }),
      ...(withTime && { resolvedAt: approval.resolvedAt }),
    },
    variant,
  );
}

/** POST of an action (Interface 4.4). @param before the approval before it; `after` is the one after it. */
export function respondAnswer(
  before: ApprovalState,
  after: ApprovalState,
  variant: Variant,
): Answer {
  if (before.status !== 'PENDING' && variant.usedTokenPost !== 200) {
    if (variant.usedTokenPost !== 409) return unknownToken(variant.usedTokenPost, variant);
    return errorAnswer(409, 'This approval was resolved before.', variant);
  }
  return wrap({ [variant.statusField]: after.status, resolvedAt: after.resolvedAt }, variant);
}

export function unknownToken(status: 404 | 410, variant: Variant): Answer {
  return errorAnswer(status, 'There is no pending approval for this token.', variant);
}

function wrap(body: object, { wrapped }: Variant): Answer {
  return { status: 200, body: wrapped ? { data: body } : body };
}

interface Action {
  readonly action: ApprovalAction;
  readonly userId: string | null;
}

/** Accepts only the two members that the interface shows; a string says what is wrong. */
export function readAction(body: unknown): Action | string {
  if (!isObject(body)) return 'The body is no JSON object.';
  const { action, userId, ...others } = body;
  if (Object.keys(others).length > 0) return 'The body has members that are not known.';
  if (action !== 'approve' && action !== 'reject') return 'action is approve or reject.';
  if (userId !== undefined && typeof userId !== 'string') return 'userId is a string.';
  return { action, userId: userId ?? null };
}

/** Every rule returns the approval after it: the same object if nothing took effect. */
export function openApproval(id: string, token: string, prompt: string): ApprovalState {
  return { id, token, prompt, status: 'PENDING', resolvedAt: null, effects: [] };
}

/** The first action wins; later ones have no effect (Interface 3.2). @param effect its `at` is ISO 8601. */
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
