import type { Store, StoredRecord } from '../../store/store.ts';
import type { Approval } from '../approval.ts';
import { APPROVAL_KIND } from '../approval-flow.ts';
import { isOpen } from '../lists.ts';
import { decodeApproval } from '../stored-approval.ts';

/** What was found on lists of the store. */
export interface Found {
  readonly requests: readonly OpenRequest[];
  /** For so many it could not be told. */
  readonly untold: number;
  /** Where to go on; null: there are no more. */
  readonly next: string | null;
  /** False: whether there are more was not looked at. */
  readonly isMoreCertain: boolean;
}

export interface OpenRequest {
  readonly id: string;
  readonly approval: Approval;
}

export interface Wanted {
  readonly lists: readonly string[];
  readonly after: string | undefined;
  /** So many at most. */
  readonly most: number;
  /** `unknown`: nobody can tell just now. */
  readonly belongs: (approval: Approval) => Promise<'yes' | 'no' | 'unknown'>;
}

/** So many records are looked at for one answer, a few reads of the store. */
export const LOOKED_AT_MAX = 200;
const AT_ONCE = 50;

/**
 * Looks through lists for open requests that belong to somebody, the oldest first, and stops with one
 * more than wanted. Throws StoreError.
 */
export async function lookThrough(
  { store }: { readonly store: Pick<Store, 'list'> },
  { lists, after, most, belongs }: Wanted,
): Promise<Found> {
  const found: (OpenRequest & { readonly cursor: string })[] = [];
  let untold = 0;
  const upTo = (next: string | null, isMoreCertain: boolean): Found => ({
    requests: found.map(({ id, approval }) => ({ id, approval })),
    ...{ untold, next, isMoreCertain },
  });
  let from = after;
  for (let looked = 0; looked < LOOKED_AT_MAX; looked += AT_ONCE) {
    const { entries, next } = await store.list(lists, { after: from, limit: AT_ONCE });
    const requests = entries.flatMap(({ record, cursor }) => {
      const approval = openRequest(record);
      return approval === undefined ? [] : [{ id: record.id, approval, cursor }];
    });
    const answers = await Promise.all(requests.map(({ approval }) => belongs(approval)));
    for (const [i, request] of requests.entries()) {
      if (answers[i] === 'unknown') untold += 1;
      if (answers[i] !== 'yes') continue;
      if (found.length === most) return upTo(found.at(-1)?.cursor ?? null, true);
      found.push(request);
    }
    if (next === null) return upTo(null, true);
    from = next;
  }
  return upTo(from ?? null, false);
}

/** One that was decided since it was found, or is no request, is none. */
function openRequest(record: StoredRecord): Approval | undefined {
  if (record.kind !== APPROVAL_KIND) return undefined;
  const approval = decodeApproval(record);
  return isOpen(approval) ? approval : undefined;
}
