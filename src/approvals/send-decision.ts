import type { Failed } from '../reconcile/settled.ts';
import type { ResponseAnswer, StepResult } from './step.ts';
import { SHOW_DECIDING_AFTER_MS } from './timing.ts';

/** How a call to the service ended. */
export type Settled = { readonly kind: 'status'; readonly answer: ResponseAnswer } | Failed;

/**
 * Waits for the service's answer to a decision. If that takes over a second, the message is shown as
 * being decided meanwhile; both have ended when this returns, so that no later update is overtaken.
 */
export async function sendDecision(calls: {
  readonly answer: Promise<Settled>;
  readonly showDeciding: () => Promise<StepResult>;
}): Promise<StepResult> {
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<'slow'>((resolve) => {
    timer = setTimeout(resolve, SHOW_DECIDING_AFTER_MS, 'slow');
  });
  const first = await Promise.race([calls.answer, slow]).finally(() => clearTimeout(timer));
  if (first !== 'slow') return { kind: 'responded', end: first };
  const [end, shown] = await Promise.all([calls.answer, calls.showDeciding()]);
  const isUnclear = shown.kind === 'failed' && shown.failure.class === 'ambiguous';
  return { kind: 'responded', end, deciding: isUnclear ? 'unclear' : 'shown' };
}
