import {
  faceKey,
  partNamed,
  type TellResult,
  type TellStep,
  withPart,
} from '../../posts/telling.ts';
import { patientWaitMs, RETRY_MS } from '../../reconcile/patience.ts';
import type { CaseStepResult } from '../case-step.ts';
import type { BatchFace } from './batch-face.ts';
import { type BatchRecord, batchAudience } from './batch-record.ts';

/** Progress is shown no more often: Slack takes about one update a second, and people read slower. */
const PROGRESS_MS = 3_000;
const LONGEST_WAIT_MS = 60_000;

/** Folds a change of the message. Its end is shown for certain: tried until Slack takes it, or posted anew. */
export function foldUpdated(
  batch: BatchRecord,
  { face }: Extract<TellStep<BatchFace>, { kind: 'update' }>,
  result: CaseStepResult | TellResult,
  now: number,
): BatchRecord {
  const { showing, ...rest } = batch;
  if (result.kind === 'done') {
    return { ...rest, told: faceKey(face), quietUntil: now + PROGRESS_MS };
  }
  if (result.kind !== 'failed') throw new Error(`an update does not end as ${result.kind}`);
  const { failure } = result;
  if (failure.class === 'refused' && failure.status !== 429) return refused(rest, face, now);
  const tries = (showing?.tries ?? 0) + 1;
  const waitMs = failure.retryAfterMs ?? patientWaitMs(tries - 1, RETRY_MS[0], LONGEST_WAIT_MS);
  return { ...rest, showing: { tries, notBefore: now + waitMs } };
}

/** The message is gone, or can never be changed. */
function refused(batch: BatchRecord, face: BatchFace, now: number): BatchRecord {
  if (face.state !== 'over' || batch.reposted) {
    return { ...batch, told: faceKey(face), quietUntil: now + PROGRESS_MS };
  }
  const { channel } = partNamed(batch, batchAudience(batch), 'result');
  const anew = { name: 'result', ...(channel !== undefined && { channel }) };
  return { ...withPart(batch, anew), reposted: true };
}

/** The batch after a step of its posts: one that was just posted shows what it showed for a while. */
export function keptShowing(before: BatchRecord, after: BatchRecord, now: number): BatchRecord {
  const tsOf = (batch: BatchRecord) => partNamed(batch, batchAudience(batch), 'result').ts;
  return tsOf(before) === tsOf(after) ? after : { ...after, quietUntil: now + PROGRESS_MS };
}
