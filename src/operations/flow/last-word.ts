import { withPost } from './apply-report.ts';
import {
  executeReport,
  type MessageState,
  postNamed,
  type Report,
  type ReportViews,
} from './report.ts';
import type { OperationTypes, Progress } from './rules.ts';

/** The last known state of an operation whose record is gone. */
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

/** Tells the person the end once: in the modal, or by direct message. */
export async function tellOnce<Record extends Report, State extends MessageState>(
  views: ReportViews<Record, State>,
  id: string,
  record: Record,
  state: State,
): Promise<void> {
  if (record.silent) return;
  if (record.modal !== undefined) {
    const { kind } = await executeReport(views, id, record, { kind: 'show', state });
    if (kind === 'done') return;
  }
  const { ts } = postNamed(record, 'result');
  if (ts !== undefined) {
    await executeReport(views, id, record, { kind: 'update', state, ts });
    return;
  }
  const post = { post: 'result', state, plannedAt: 0 } as const;
  const opened = await executeReport(views, id, record, { kind: 'open', ...post });
  if (opened.kind !== 'opened') return;
  const known = withPost(record, { name: 'result', channel: opened.channel });
  await executeReport(views, id, known, { kind: 'post', ...post });
}
