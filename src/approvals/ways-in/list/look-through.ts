import type { Store, StoredRecord } from '../../../core/store/store.ts';
import type { Approval } from '../../approval.ts';
import { APPROVAL_KIND } from '../../approval.ts';
import { readableApproval } from '../../stored-approval.ts';

/** Requests found on lists of the store. */
export interface Found {
  readonly requests: readonly FoundRequest[];
  /** How many could not be checked. */
  readonly untold: number;
  /** Where to continue; null: there are no more. */
  readonly next: string | null;
  /** False: not checked whether there are more. */
  readonly isMoreCertain: boolean;
}

export interface FoundRequest {
  readonly id: string;
  readonly approval: Approval;
}

interface Wanted {
  readonly lists: readonly string[];
  readonly after: string | undefined;
  readonly newestFirst: boolean;
  /** The largest number to return. */
  readonly most: number;
  /** The largest number of records to read. */
  readonly lookedAtMost: number;
  /** Whether this one is wanted. */
  readonly isNamed: (record: Pick<StoredRecord, 'id' | 'place'>) => boolean;
  /** `unknown`: cannot be checked now. */
  readonly belongs: (approval: Approval) => Promise<'yes' | 'no' | 'unknown'>;
}

const AT_ONCE = 50;

/**
 * Searches lists for requests that belong to somebody, up to one more than wanted. A request on several lists is
 * returned once. Throws StoreError.
 */
export async function lookThrough(
  { store }: { readonly store: Store },
  { lists, after, newestFirst, most, lookedAtMost, isNamed, belongs }: Wanted,
): Promise<Found> {
  const found: (FoundRequest & { cursor: string })[] = [];
  let untold = 0;
  const upTo = (next: string | null, isMoreCertain: boolean): Found => ({
    requests: found.map(({ id, approval }) => ({ id, approval })),
    ...{ untold, next, isMoreCertain },
  });
  let from = after;
  for (let looked = 0; looked < lookedAtMost; looked += AT_ONCE) {
    const { entries, next } = await store.list(lists, { after: from, limit: AT_ONCE, newestFirst });
    const judged = await Promise.all(
      entries.map(({ record }) => (isNamed(record) ? judge(record, belongs) : ('no' as const))),
    );
    for (const [i, { cursor }] of entries.entries()) {
      const request = judged[i] ?? 'no';
      if (request === 'unknown') untold += 1;
      if (typeof request === 'string') continue;
      const same = found.find(({ id }) => id === request.id);
      if (same !== undefined) {
        same.cursor = cursor;
        continue;
      }
      if (found.length === most) return upTo(found.at(-1)?.cursor ?? null, true);
      found.push({ ...request, cursor });
    }
    if (next === null) return upTo(null, true);
    from = next;
  }
  return upTo(from ?? null, false);
}

/** Skips records that are not requests, and unreadable ones, such as a later version's: the loop reports those. */
async function judge(
  record: StoredRecord,
  belongs: Wanted['belongs'],
): Promise<FoundRequest | 'no' | 'unknown'> {
  if (record.kind !== APPROVAL_KIND) return 'no';
  const approval = readableApproval(record);
  if (approval === undefined) return 'unknown';
  const answer = await belongs(approval);
  return answer === 'yes' ? { id: record.id, approval } : answer;
}
