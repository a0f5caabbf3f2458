import { withPost } from './apply-report.ts';
import {
  type MessageState,
  postNamed,
  type Report,
  type ReportResult,
  type ReportStep,
} from './report.ts';
import type { OperationTypes, Progress } from './rules.ts';

/** Something whose record is gone, at its end as far as is known: nobody goes on with it. */
export function forgotten<T extends OperationTypes, P extends Progress<T>>(progress: P): P {
  const { phase, unconfirmed } = progress;
  if (phase.name === 'done') return progress;
  const maybe = { quietAt: 0, lost: 1, hasEnded: false };
  const isSent = phase.name === 'sending' || phase.name === 'read-back';
  return {
    ...progress,
    phase: { name: 'done' },
    outcome: { code: 'forgotten' },
    ...(isSent && { unconfirmed: unconfirmed ?? maybe }),
  };
}

/** Tells the person the end once: in the modal, or by direct message. `tell` makes the call of a step. */
export async function tellOnce<State extends MessageState, Record extends Report>(
  record: Record,
  state: State,
  tell: (record: Record, step: ReportStep<State>) => Promise<ReportResult>,
): Promise<void> {
  if (record.silent) return;
  if (record.modal !== undefined) {
    const { kind } = await tell(record, { kind: 'show', state });
    if (kind === 'done') return;
  }
  const { ts } = postNamed(record, 'result');
  if (ts !== undefined) {
    await tell(record, { kind: 'update', state, ts });
    return;
  }
  const post = { post: 'result', state, plannedAt: 0 } as const;
  const opened = await tell(record, { kind: 'open', ...post });
  if (opened.kind !== 'opened') return;
  const { channel } = opened;
  await tell(withPost(record, { name: 'result', channel }), { kind: 'post', ...post });
}
