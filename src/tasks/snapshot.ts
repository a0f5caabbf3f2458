import type { Task } from '../service/task.ts';
import type { Store } from '../store/store.ts';

/** What an automation posted of a work item, and when: milliseconds on the store's clock. */
export interface Snapshot {
  readonly item: Task;
  readonly at: number;
}

/** How long a snapshot is kept. */
export const SNAPSHOT_DAYS = 7;
const LIFETIME_MS = SNAPSHOT_DAYS * 86_400_000;

/** Keeps the newest snapshot of an item, to be found by its id and by its key. Throws StoreError. */
export async function keepSnapshot(store: Pick<Store, 'put'>, snapshot: Snapshot): Promise<void> {
  const { id, key } = snapshot.item;
  const names = key === null ? [id] : [id, key];
  const text = JSON.stringify(snapshot);
  await Promise.all(names.map((name) => store.put(keyOf(name), text, LIFETIME_MS)));
}

/** By id or key, whichever case; undefined: there is none, or it is too old. Throws StoreError. */
export async function readSnapshot(
  store: Pick<Store, 'get'>,
  reference: string,
): Promise<Snapshot | undefined> {
  const text = await store.get(keyOf(reference));
  // as: written by `keepSnapshot` alone
  return text === undefined ? undefined : (JSON.parse(text) as Snapshot);
}

function keyOf(name: string): string {
  // Whoever types a key may type anything of any length.
  return `tasks.snapshot:${name.slice(0, 300).toLowerCase()}`;
}
