import type { Failed } from '../reconcile/settled.ts';
import type { Decision } from './approval.ts';
import type { ResponseAnswer, StepResult } from './step.ts';
import { SHOW_DECIDING_AFTER_MS } from './timing.ts';

/** How a call to the service ended. */
export type Settled = { readonly kind: 'status'; readonly answer: ResponseAnswer } | Failed;

/**
 * In how many ms the message is shown as being decided if a decision that is sent now has no answer
 * by then; undefined: it was shown before, so long ago was the press.
 */
export function showDecidingInMs(
  { asker }: Decision,
  { plannedAt }: { readonly plannedAt: number },
): number | undefined {
  const inMs = asker.at + SHOW_DECIDING_AFTER_MS - plannedAt;
  return inMs > 0 ? inMs : undefined;
}

/**
 * Waits for the service's answer to a decision. If that takes longer than `showInMs`, the message is
 * shown as being decided meanwhile; both have ended when this returns, so that no later update is
 * overtaken.
 */
export async function sendDecision(calls: {
  readonly answer: Promise<Settled>;
  readonly showDeciding: () => Promise<StepResult>;
  readonly showInMs: number | undefined;
}): Promise<StepResult> {
  if (calls.showInMs === undefined) return { kind: 'responded', end: await calls.answer };
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<'slow'>((resolve) => {
    timer = setTimeout(resolve, calls.showInMs, 'slow');
  });
  const first = await Promise.race([calls.answer, slow]).finally(() => clearTimeout(timer));
  if (first !== 'slow') return { kind: 'responded', end: first };
  const [end, shown] = await Promise.all([calls.answer, calls.showDeciding()]);
  const isUnclear = shown.kind === 'failed' && shown.failure.class === 'ambiguous';
  return { kind: 'responded', end, deciding: isUnclear ? 'unclear' : 'shown' };
}
