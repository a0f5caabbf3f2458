import { patientWaitMs, RETRY_MS } from '../reconcile/patience.ts';
import type { Approval, Tell } from './approval.ts';
import type { StepResult } from './step.ts';

/** What comes after a way that failed. */
const NEXT = { url: 'ephemeral', ephemeral: 'direct', direct: undefined } as const;

/**
 * Folds the delivery of a sentence. A way that Slack refused or that ended unclear is left for the
 * next one: better twice than never. The last one is tried until Slack takes or refuses it.
 */
export function foldTold(
  approval: Approval,
  id: string,
  result: StepResult,
  now: number,
): Approval {
  const owed = approval.tells.find((each) => each.id === id);
  if (owed === undefined) return approval;
  const next = result.kind === 'failed' ? retried(owed, result, now) : undefined;
  const tells = approval.tells.flatMap((each) => (each !== owed ? [each] : next ? [next] : []));
  return { ...approval, tells };
}

function retried(
  owed: Tell,
  { failure }: Extract<StepResult, { kind: 'failed' }>,
  now: number,
): Tell | undefined {
  const tries = owed.tries ?? 0;
  const via = NEXT[owed.via];
  const isLimited = failure.status === 429;
  const isRefused = failure.class === 'refused' && !isLimited;
  if (via === undefined && isRefused) return undefined;
  const isWorthWaiting = isLimited || failure.class === 'not-sent';
  if (via !== undefined && !(isWorthWaiting && tries < RETRY_MS.length)) {
    const { tries: _, notBefore: __, ...rest } = owed;
    return { ...rest, via };
  }
  const waitMs = failure.retryAfterMs ?? patientWaitMs(tries, RETRY_MS[0], 60_000);
  return { ...owed, tries: tries + 1, notBefore: now + waitMs };
}
