import { dueToldPart, faceKey, partNamed } from '../../posts/telling.ts';
import { type Due, firstDue } from '../../reconcile/first-due.ts';
import type { Plan } from '../../reconcile/flow.ts';
import { dueSend } from '../../reconcile/sending.ts';
import { dueAlert, TEXT_KEPT_MS } from '../plan-case.ts';
import { type BatchFace, batchFace } from './batch-face.ts';
import { type BatchRecord, batchAudience } from './batch-record.ts';
import type { BatchStep } from './batch-step.ts';

/** The one thing to do next for a batch; finished, it is kept for `keepMs`, and at least a day. */
export function planBatch(
  record: BatchRecord,
  { keepMs }: { readonly keepMs: number },
  now: number,
): Plan<BatchStep> {
  const face = batchFace(record);
  const dues: readonly (() => Due<BatchStep>)[] = [
    // The message promises nothing before that is known.
    () => (face.state === 'checking' ? dueLine(record, now) : null),
    () => dueMessage(record, face, now),
    () => dueLine(record, now),
    () => dueAlert(record.stopped, record),
    () => dueAnnouncement(record, face, now),
  ];
  return firstDue(dues, Math.max(keepMs, TEXT_KEPT_MS));
}

/** It is posted before the first line is sent, and shows how far it is, its end at once. */
function dueMessage(record: BatchRecord, face: BatchFace, now: number): Due<BatchStep> {
  const audience = batchAudience(record);
  const { ts } = partNamed(record, audience, 'result');
  if (ts === undefined) return dueToldPart(record, audience, 'result', face, now);
  if (record.told === faceKey(face)) return null;
  const quietUntil = face.state === 'over' ? 0 : (record.quietUntil ?? 0);
  const from = Math.max(record.showing?.notBefore ?? 0, quietUntil);
  return now < from ? from : { kind: 'update', face };
}

/** Once, of what the first run created. */
function dueAnnouncement(record: BatchRecord, face: BatchFace, now: number): Due<BatchStep> {
  if (!record.announce || face.state !== 'over' || face.created === 0) return null;
  return dueToldPart(record, batchAudience(record), 'announcement', face, now);
}

function dueLine(record: BatchRecord, now: number): Due<BatchStep> {
  const { phase, queue, lines } = record;
  const [line] = queue;
  if (phase.name === 'over' || line === undefined) return null;
  const due = dueSend(phase, now);
  if (typeof due === 'number') return due;
  if (due === 'check') return { kind: 'check' };
  if (due === 'lost' && phase.name === 'sending') {
    // Whoever sent it may still come with the answer.
    const { mustEndBy, plannedAt } = phase.attempt;
    return now < mustEndBy ? mustEndBy : { kind: 'give-up', line, plannedAt };
  }
  // What was lost must not arrive behind what is sent now.
  const quietAt = lines[line]?.doubt?.quietAt ?? 0;
  if (now < quietAt) return quietAt;
  return record.turn === undefined ? { kind: 'budget' } : { kind: 'send', line, plannedAt: now };
}
