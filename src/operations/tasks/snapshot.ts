import { compareIsoTimes } from '../../core/lib/iso-time.ts';
import type { Task, TaskNode, TaskVersion } from '../../core/service/task.ts';
import { changeValue } from '../../core/store/change-value.ts';
import type { Store } from '../../core/store/store.ts';
import type { Progress } from '../flow/rules.ts';
import { itemsOf } from './item.ts';
import type { MoveTypes } from './move.ts';

/** What Gatepost knows about an item without asking the service. `at`: milliseconds on the store's clock. */
export type KnownItem = Snapshot | MovedItem;

/** An item as reported by an automation. */
interface Snapshot {
  readonly kind: 'reported';
  /** The source that owns the item. */
  readonly source: string;
  readonly item: Task;
  readonly at: number;
}

/** Gatepost moved the item, and nothing newer was reported. */
export interface MovedItem {
  readonly kind: 'moved';
  /** null: it was never reported. */
  readonly source: string | null;
  /** Its version before the move. */
  readonly was: TaskVersion;
  /** Its new key; null: the service did not say. */
  readonly key: string | null;
  /** Its new project. */
  readonly projectId: string;
  /** Slack user id. */
  readonly by: string;
  readonly at: number;
}

/** How long it is kept. */
export const SNAPSHOT_DAYS = 7;
const LIFETIME_MS = SNAPSHOT_DAYS * 86_400_000;

/** foreign: the item, or its key, belongs to another source. older: a newer version is already stored. */
type Kept = 'kept' | 'older' | 'foreign';

/**
 * Stores a source's report under the item's id and key, if the item belongs to the source or to none, and nothing newer
 * is known. Atomic, even with simultaneous reports. `isSource`: whether a source with that id still exists. Throws
 * StoreError.
 */
export async function keepSnapshot(
  store: Store,
  snapshot: Snapshot,
  isSource: (id: string) => boolean,
): Promise<Kept> {
  const { source, item } = snapshot;
  const isForeign = (owner: string | null | undefined) =>
    typeof owner === 'string' && owner !== source && isSource(owner);
  // An id that equals another item's key would be found instead.
  for (const name of item.key === null ? [item.id] : [item.key, item.id]) {
    const holder = readHolder(await store.get(keyOf(name)));
    if (holder?.id !== item.id && isForeign(holder?.source)) return 'foreign';
  }
  // So would another item whose id equals this item's key.
  const namesake = item.key === null ? undefined : read(await store.get(idOf(item.key)));
  if (namesake && itemIdOf(namesake) !== item.id && isForeign(namesake.source)) return 'foreign';
  const kept = await change<Kept>(store, item.id, (known) => {
    if (isForeign(known?.source)) return 'foreign';
    if (known !== undefined && !replaces(item, known)) return 'older';
    return { known: snapshot, result: 'kept' };
  });
  if (kept === 'kept') await lead(store, item.key, { id: item.id, source }, isForeign);
  return kept;
}

/** Whether a report replaces what is known. */
function replaces(item: Task, known: KnownItem): boolean {
  if (known.kind === 'moved') return !isBeforeMove(item, known);
  // A report with the same time may have more: a sub-item's status can change without it.
  return compareIsoTimes(item.updatedAt, known.item.updatedAt) >= 0;
}

/** Only a move changes an item's key (Interface 2.1). */
function isBeforeMove(item: Task, { was, projectId }: MovedItem): boolean {
  const order = compareIsoTimes(item.updatedAt, was.updatedAt);
  const isThere = item.projectId === projectId || (item.key !== null && item.key !== was.key);
  return order < 0 || (order === 0 && !isThere);
}

/**
 * Notes that Gatepost moved an item: earlier reports of it and its sub-items are no longer used, later ones stay.
 * Throws StoreError.
 */
export async function noteMove(store: Store, move: Progress<MoveTypes>, at: number): Promise<void> {
  const { by, item, target } = move.wish.draft;
  const key = move.outcome !== undefined && 'key' in move.outcome ? move.outcome.key : null;
  const [root, ...below] = itemsOf(item);
  const moved = (node: TaskNode, updatedAt: string, source: string | null): MovedItem => {
    const was = { id: node.id, key: node.key, title: node.title, updatedAt };
    const newKey = node === root ? key : null;
    return { kind: 'moved', source, was, key: newKey, projectId: target.projectId, by, at };
  };
  const source = await change(store, item.id, (known) => {
    const owner = known?.source ?? null;
    const note = moved(item, item.updatedAt, owner);
    return known !== undefined && isAfter(known, note) ? owner : { known: note, result: owner };
  });
  const holder = { id: item.id, source };
  await lead(store, item.key, holder, (owner) => owner !== source);
  // Confirmed by the service.
  if (key !== null) await store.put(keyOf(key), JSON.stringify(holder), LIFETIME_MS);
  await Promise.all(
    below.map((node) =>
      change(store, node.id, (known) => {
        if (known?.kind !== 'reported') return null;
        const note = moved(node, known.item.updatedAt, known.source);
        return isAfter(known, note) ? null : { known: note, result: null };
      }),
    ),
  );
}

/** Whether something known is later than the move. */
function isAfter(known: KnownItem, note: MovedItem): boolean {
  if (known.kind === 'reported') return !isBeforeMove(known.item, note);
  return compareIsoTimes(known.was.updatedAt, note.was.updatedAt) > 0;
}

/** By id or by any key, ignoring case; undefined: unknown, or expired. Throws StoreError. */
export async function readKnown(store: Store, reference: string): Promise<KnownItem | undefined> {
  const own = read(await store.get(idOf(reference)));
  if (own !== undefined) return own;
  const holder = readHolder(await store.get(keyOf(reference)));
  return holder && read(await store.get(idOf(holder.id)));
}

async function change<Result extends string | null>(
  store: Store,
  id: string,
  next: (
    known: KnownItem | undefined,
  ) => Result | { readonly known: KnownItem; readonly result: Result },
): Promise<Result> {
  return changeValue(store, { key: idOf(id), lifetimeMs: LIFETIME_MS }, (text) => {
    const changed = next(read(text));
    if (typeof changed === 'string' || changed === null) return { result: changed };
    return { after: JSON.stringify(changed.known), result: changed.result };
  });
}

/** Maps the key to the item; a key that is already mapped elsewhere stays. */
async function lead(
  store: Store,
  key: string | null,
  holder: Holder,
  isForeign: (owner: string | null) => boolean,
): Promise<void> {
  if (key === null) return;
  await changeValue(store, { key: keyOf(key), lifetimeMs: LIFETIME_MS }, (text) => {
    const known = readHolder(text);
    const stays = known !== undefined && known.id !== holder.id && isForeign(known.source);
    return { result: null, ...(!stays && { after: JSON.stringify(holder) }) };
  });
}

/** The item that has a key. */
interface Holder {
  readonly id: string;
  readonly source: string | null;
}

function itemIdOf(known: KnownItem): string {
  return known.kind === 'reported' ? known.item.id : known.was.id;
}

function read(text: string | undefined): KnownItem | undefined {
  // as: only `change` writes it
  return text === undefined ? undefined : (JSON.parse(text) as KnownItem);
}

function readHolder(text: string | undefined): Holder | undefined {
  // as: only `lead` and `noteMove` write it
  return text === undefined ? undefined : (JSON.parse(text) as Holder);
}

function idOf(id: string): string {
  return `tasks.item:${short(id)}`;
}

function keyOf(key: string): string {
  return `tasks.key:${short(key)}`;
}

/** Typed keys may be of any length. */
function short(name: string): string {
  return name.slice(0, 300).toLowerCase();
}
