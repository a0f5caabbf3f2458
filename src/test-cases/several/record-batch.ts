import { type RecordedOnce, recordOnce } from '../../reconcile/record-once.ts';
import type { SubmitNeeds } from '../submit-form.ts';
import { BATCH_KIND, type BatchRecord, decodeBatch, encodeBatch } from './batch.ts';
import { queueOf } from './queue.ts';

/** What somebody asked for. */
export type BatchWish = Pick<BatchRecord, 'by' | 'channel' | 'place' | 'lines'>;

export interface RecordedBatch extends Pick<RecordedOnce, 'carryOn'> {
  /** What was recorded first. */
  readonly batch: BatchRecord;
}

/**
 * Records several test cases, durably and once: a second delivery of the same finds the first. `key`:
 * unique to the form. Throws StoreError.
 */
export async function recordBatch(
  needs: SubmitNeeds,
  wish: BatchWish,
  key: string,
): Promise<RecordedBatch> {
  const { by, place, lines } = wish;
  const facts = {
    project: place.projectId,
    suite: place.suiteId ?? null,
    lines: lines.length,
  };
  const batch = newBatch(wish, needs.places.cases.announce, needs.store.now());
  const { created, carryOn } = await recordOnce(needs, {
    kind: BATCH_KIND,
    data: encodeBatch(batch),
    key,
    audit: { action: 'test-cases.asked', record: null, actor: by, facts },
  });
  const isFirst = created.kind === 'created';
  return { batch: isFirst ? batch : decodeBatch(created.record.data), carryOn };
}

function newBatch(wish: BatchWish, announce: boolean, createdAt: number): BatchRecord {
  return {
    v: 1,
    ...wish,
    announce,
    createdAt,
    ...queueOf(
      wish.lines.map((_, index) => index),
      0,
    ),
    allowedAt: 0,
    run: 0,
    page: 0,
    parts: [],
  };
}
