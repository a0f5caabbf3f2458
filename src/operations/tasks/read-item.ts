import { keyRefused } from '../../core/alerts/key-alerts.ts';
import type { Config } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import type { ServiceClient } from '../../core/service/service-client.ts';
import type { Task } from '../../core/service/task.ts';
import type { Draft } from './draft.ts';
import { type MovedItem, readKnown } from './snapshot.ts';

/** Why an item could not be read; it can be entered by hand instead. */
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
  /** Moved by Gatepost, without a later report. */
  | { readonly kind: 'moved'; readonly moved: MovedItem }
  /** `detail`: the service's own words; for `incomplete` the place of the member. */
  | { readonly kind: 'trouble'; readonly why: ReadTrouble; readonly detail: string | null };

/**
 * Reads an item by its id or key: from the service if possible, otherwise its last posted snapshot, or where Gatepost
 * has moved it since. Throws StoreError.
 */
export async function readItem(core: Core, reference: string): Promise<ItemRead> {
  const { source } = core.config.move;
  const read = core.service.tasks?.read ?? null;
  if (source === 'http' && read !== null) return askService(core, read, reference);
  const known = await readKnown(core.store, reference);
  if (known?.kind === 'moved') return { kind: 'moved', moved: known };
  if (known !== undefined) {
    return { kind: 'found', item: known.item, from: 'push', readAt: known.at };
  }
  return trouble(WITHOUT_SNAPSHOT[source]);
}

const WITHOUT_SNAPSHOT = {
  http: 'no-source',
  none: 'no-source',
  manual: 'by-hand',
  push: 'no-snapshot',
} as const satisfies Record<Config['move']['source'], ReadTrouble>;

async function askService(
  { store, raise }: Core,
  read: NonNullable<NonNullable<ServiceClient['tasks']>['read']>,
  reference: string,
): Promise<ItemRead> {
  const readAt = store.now();
  try {
    const answer = await read(reference);
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
