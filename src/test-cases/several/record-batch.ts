import { createHash } from 'node:crypto';
import type { RecordNeeds } from '../record-case.ts';
import { BATCH_KIND, type BatchRecord, decodeBatch, encodeBatch } from './batch-record.ts';
import { queueOf } from './queue.ts';

/** What somebody asked for. */
export type BatchWish = Pick<BatchRecord, 'by' | 'channel' | 'place' | 'lines'>;

export interface RecordedBatch {
  /** What was recorded first. */
  readonly batch: BatchRecord;
  /** Begins at once, after the acknowledgement. */
  carryOn(): void;
}

/**
 * Records several test cases, durably and once: a second delivery of the same finds the first. `key`:
 * unique to the form. Throws StoreError.
 */
export async function recordBatch(
  { store, reconciler, places }: RecordNeeds,
  wish: BatchWish,
  key: string,
): Promise<RecordedBatch> {
  const { by, place, lines } = wish;
  const facts = {
    project: place.projectId,
    suite: place.suiteId ?? null,
    lines: lines.length,
  };
  const batch = newBatch(wish, places.cases.announce, store.now());
  const created = await store.create(
    {
      kind: BATCH_KIND,
      data: encodeBatch(batch),
      lane: 'people',
      dueInMs: 0,
      place: null,
      uniqueKey: createHash('sha256').update(`${BATCH_KIND}\0${key}`).digest('base64url'),
      audit: [{ action: 'test-cases.asked', record: null, actor: by, facts }],
    },
    { hold: reconciler.hasRoom },
  );
  if (created.kind === 'exists') return { batch: decodeBatch(created.record.data), carryOn() {} };
  const { held } = created;
  return { batch, carryOn: () => void (held && reconciler.run(held)) };
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
