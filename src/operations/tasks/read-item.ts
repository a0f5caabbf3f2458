import { keyRefused } from '../../core/alerts/key-alerts.ts';
import type { RaiseAlert } from '../../core/alerts/raise-alert.ts';
import type { Config } from '../../core/config/config.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import type { ServiceClient } from '../../core/service/service-client.ts';
import type { Task } from '../../core/service/task.ts';
import type { Store } from '../../core/store/store.ts';
import type { Draft } from './draft.ts';
import { type MovedItem, readKnown } from './snapshot.ts';

/** Why an item could not be read; it may be entered by hand instead. */
export type ReadTrouble =
  | 'no-source'
  | 'by-hand'
  | 'no-snapshot'
  | 'not-found'
  | 'unauthorized'
  | 'forbidden'
  | 'refused'
  | 'busy'
  | 'incomplete'
  | 'unreadable'
  | 'unreachable';

type ItemRead =
  | ({ readonly kind: 'found'; readonly item: Task } & Pick<Draft, 'from' | 'readAt'>)
  /** By Gatepost, and nothing newer was reported of it. */
  | { readonly kind: 'moved'; readonly moved: MovedItem }
  /** `detail`: the service's own words; for `incomplete` the member that its answer does not have. */
  | { readonly kind: 'trouble'; readonly why: ReadTrouble; readonly detail: string | null };

export interface ReadItemNeeds {
  readonly source: Config['move']['source'];
  /** null: there is no way to read one. */
  readonly read: NonNullable<ServiceClient['tasks']>['read'];
  readonly store: Store;
  readonly raise: RaiseAlert;
}

/**
 * Reads an item by its id or key: from the service where it can be read there, otherwise the last
 * snapshot that was posted of it, or where Gatepost moved it since. Throws StoreError.
 */
export async function readItem(needs: ReadItemNeeds, reference: string): Promise<ItemRead> {
  if (needs.source === 'http' && needs.read !== null) return askService(needs, reference);
  const known = await readKnown(needs.store, reference);
  if (known?.kind === 'moved') return { kind: 'moved', moved: known };
  if (known !== undefined) {
    return { kind: 'found', item: known.item, from: 'push', readAt: known.at };
  }
  return trouble(WITHOUT_SNAPSHOT[needs.source]);
}

const WITHOUT_SNAPSHOT = {
  http: 'no-source',
  none: 'no-source',
  manual: 'by-hand',
  push: 'no-snapshot',
} as const satisfies Record<Config['move']['source'], ReadTrouble>;

async function askService(
  { read, store, raise }: ReadItemNeeds,
  reference: string,
): Promise<ItemRead> {
  const readAt = store.now();
  try {
    const answer = await read?.(reference);
    if (answer === undefined) return trouble('no-source');
    if (answer.kind === 'found') return { kind: 'found', item: answer.task, from: 'http', readAt };
    if (answer.kind === 'incomplete') return trouble('incomplete', answer.noMember);
    if (answer.kind === 'unauthorized') await raise(keyRefused());
    return trouble(answer.kind, answer.detail);
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    return trouble(whyOf(error), error.detail ?? null);
  }
}

function whyOf({ class: kind, code, status }: RemoteFailure): ReadTrouble {
  if (status === 429) return 'busy';
  if (kind === 'unreadable') return 'unreadable';
  if (kind === 'refused') return code === 'bad_id' ? 'not-found' : 'refused';
  return 'unreachable';
}

function trouble(why: ReadTrouble, detail: string | null = null): ItemRead {
  return { kind: 'trouble', why, detail };
}
