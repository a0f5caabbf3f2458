import { partNamed } from '../../posts/telling.ts';
import { isUnchecked } from '../../reconcile/sending.ts';
import { type BatchRecord, batchAudience, type Counts, countsOf } from './batch-record.ts';

/** What the message shows of a batch: two equal faces look the same. */
export interface BatchFace extends Counts {
  /** checking: whether the person may is not known yet, so nothing is promised. */
  readonly state: 'checking' | 'creating' | 'over';
  /** So many of `queued` have been sent. */
  readonly done: number;
  readonly queued: number;
  readonly page: number;
  readonly run: number;
  /** The channel could not be told. */
  readonly untold?: true;
}

function stateOf(phase: BatchRecord['phase']): BatchFace['state'] {
  if (phase.name === 'over') return 'over';
  return isUnchecked(phase) ? 'checking' : 'creating';
}

export function batchFace(record: BatchRecord): BatchFace {
  const { phase, queue, queued, page, run } = record;
  const isUntold = partNamed(record, batchAudience(record), 'announcement').failed !== undefined;
  return {
    state: stateOf(phase),
    ...countsOf(record),
    done: queued - queue.length,
    queued,
    page,
    run,
    ...(isUntold && { untold: true as const }),
  };
}
