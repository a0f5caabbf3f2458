import { keyRefused } from '../../notices/key-notices.ts';
import { authorizeWithAccount } from '../../people/permission.ts';
import { performTelling } from '../../posts/perform-telling.ts';
import { takeBudgetTurn } from '../../reconcile/budget.ts';
import type { CaseStepResult } from '../case-step.ts';
import { type PerformCaseNeeds, sendCase } from '../perform-case.ts';
import { noticeView } from '../result-view.ts';
import { batchAnnouncement, batchMessage } from './batch-message.ts';
import { type BatchRecord, batchAudience } from './batch-record.ts';
import type { BatchStep } from './batch-step.ts';
import { headline } from './batch-words.ts';
import { lineAt } from './queue.ts';

export interface PerformBatchNeeds extends PerformCaseNeeds {
  readonly budgetPerMinute: number;
}

/** Makes the one external call of a step. What fails elsewhere is a result; only our own mistakes throw. */
export async function performBatch(
  needs: PerformBatchNeeds,
  id: string,
  batch: BatchRecord,
  step: BatchStep,
): Promise<CaseStepResult> {
  const { places, store, budgetPerMinute } = needs;
  switch (step.kind) {
    case 'check':
      return authorizeWithAccount(needs, { user: batch.by, channel: batch.channel });
    case 'budget':
      return { kind: 'turn', waitMs: await takeBudgetTurn(store, budgetPerMinute) };
    case 'send':
      return sendCase(needs, lineAt(batch, step.line).wanted);
    case 'alert':
      await needs.raise(keyRefused());
      return { kind: 'done' };
    case 'give-up':
      return { kind: 'done' };
    default: {
      const told = { id, telling: batch, audience: batchAudience(batch) };
      return performTelling(needs, told, step, {
        view: (face) => noticeView(headline(batch, face, places)),
        result: (face) => batchMessage(id, batch, face, places),
        announcement: () => batchAnnouncement(batch, places),
      });
    }
  }
}
