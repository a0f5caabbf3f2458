import { partNamed } from '../../posts/telling.ts';
import { type BatchRecord, batchAudience, type Counts, countsOf } from './batch-record.ts';

/** What the message shows of a batch: two equal faces look the same. */
export interface BatchFace extends Counts {
  readonly state: 'creating' | 'over';
  /** So many of `queued` have been sent. */
  readonly done: number;
  readonly queued: number;
  readonly page: number;
  readonly run: number;
  /** The channel could not be told. */
  readonly untold?: true;
}

export function batchFace(record: BatchRecord): BatchFace {
  const { phase, queue, queued, page, run } = record;
  const isUntold = partNamed(record, batchAudience(record), 'announcement').failed !== undefined;
  return {
    state: phase.name === 'over' ? 'over' : 'creating',
    ...countsOf(record),
    done: queued - queue.length,
    queued,
    page,
    run,
    ...(isUntold && { untold: true as const }),
  };
}
