import { dueResult, dueShow, dueToldPart } from '../posts/telling.ts';
import { type Due, firstDue } from '../reconcile/first-due.ts';
import type { Plan } from '../reconcile/flow.ts';
import { dueSend } from '../reconcile/sending.ts';
import { faceOf } from './case-face.ts';
import { audienceOf, type CaseRecord, isCreated, type Outcome } from './case-record.ts';
import type { CaseStep } from './case-step.ts';

/** So long at least what was entered can be sent once more. */
export const TEXT_KEPT_MS = 86_400_000;

/** The one thing to do next for a test case; finished, it is kept for `keepMs`, and at least a day. */
export function planCase(
  record: CaseRecord,
  { keepMs }: { readonly keepMs: number },
  now: number,
): Plan<CaseStep> {
  const face = faceOf(record);
  const audience = audienceOf(record);
  const isAnnounced = record.announce && isCreated(record);
  const dues: readonly (() => Due<CaseStep>)[] = [
    () => dueShow(record, face, now),
    () => dueWork(record, now),
    () => dueAlert(record.outcome, record),
    // Whoever reads of one in the channel finds its choices offered.
    () => (isCreated(record) && record.remembered === undefined ? { kind: 'remember' } : null),
    () => (isAnnounced ? dueToldPart(record, audience, 'announcement', face, now) : null),
    () => dueResult(record, audience, face, now),
  ];
  return firstDue(dues, Math.max(keepMs, TEXT_KEPT_MS));
}

/** Once for each sending that the person wanted. */
export function dueAlert(
  end: Outcome | undefined,
  { alerted }: Pick<CaseRecord, 'alerted'>,
): { readonly kind: 'alert' } | null {
  return end?.code === 'unauthorized' && alerted === undefined ? { kind: 'alert' } : null;
}

function dueWork({ phase }: CaseRecord, now: number): Due<CaseStep> {
  if (phase.name === 'over') return null;
  const due = dueSend(phase, now);
  if (typeof due === 'number') return due;
  if (due === 'lost' && phase.name === 'sending') {
    // Whoever sent it may still come with the answer.
    const { mustEndBy, plannedAt } = phase.attempt;
    return now < mustEndBy ? mustEndBy : { kind: 'give-up', plannedAt };
  }
  return due === 'check' ? { kind: 'check' } : { kind: 'send', plannedAt: now };
}
