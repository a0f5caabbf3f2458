import { compareIsoTimes } from '../../core/lib/iso-time.ts';
import type { Task, TaskNode, TaskVersion } from '../../core/service/task.ts';
import { type Store, StoreError } from '../../core/store/store.ts';
import { itemsOf } from './item.ts';
import type { Move } from './move.ts';

/** What Gatepost knows of an item without asking the service. `at`: milliseconds on the store's clock. */
export type KnownItem = Snapshot | MovedItem;

/** What an automation reported of an item. */
interface Snapshot {
  readonly kind: 'reported';
  /** The item belongs to it. */
  readonly source: string;
  readonly item: Task;
  readonly at: number;
}

/** Gatepost moved the item, and nothing newer was reported of it. */
export interface MovedItem {
  readonly kind: 'moved';
  /** null: nobody had reported it. */
  readonly source: string | null;
  /** As it was before. */
  readonly was: TaskVersion;
  /** Its new key; null: the service did not say. */
  readonly key: string | null;
  /** Where it is. */
  readonly projectId: string;
  /** Slack user id. */
  readonly by: string;
  readonly at: number;
}

/** How long it is known. */
export const SNAPSHOT_DAYS = 7;
const LIFETIME_MS = SNAPSHOT_DAYS * 86_400_000;

/**
 * foreign: the item, or its key, belongs to another source. older: what is known is newer, and stays.
 */
type Kept = 'kept' | 'older' | 'foreign';

/**
 * Keeps what a source reports, to be found by the item's id and by its key: only of an item that is its
 * own, or nobody's, and only if nothing newer is known. Decided by the store in one step, whoever else
 * reports at the same time. `isSource`: whether there still is a source of that id. Throws StoreError.
 */
export async function keepSnapshot(
  store: Store,
  snapshot: Snapshot,
  isSource: (id: string) => boolean,
): Promise<Kept> {
  const { source, item } = snapshot;
  const isForeign = (owner: string | null | undefined) =>
    typeof owner === 'string' && owner !== source && isSource(owner);
  // An id that is called as another's key would be found in its place.
  for (const name of item.key === null ? [item.id] : [item.key, item.id]) {
    const holder = readHolder(await store.get(keyOf(name)));
    if (holder?.id !== item.id && isForeign(holder?.source)) return 'foreign';
  }
  const kept = await change<Kept>(store, item.id, (known) => {
    if (isForeign(known?.source)) return 'foreign';
    if (known !== undefined && !replaces(item, known)) return 'older';
    return { known: snapshot, result: 'kept' };
  });
  if (kept === 'kept') await lead(store, item.key, { id: item.id, source }, isForeign);
  return kept;
}

/** Whether a report takes the place of what is known. */
function replaces(item: Task, known: KnownItem): boolean {
  if (known.kind === 'moved') return !isBeforeMove(item, known);
  // Of the same time it may tell more: a sub-item's status changes without it.
  return compareIsoTimes(item.updatedAt, known.item.updatedAt) >= 0;
}

/** An item gets another key by a move and by nothing else (Interface 2.1). */
function isBeforeMove(item: Task, { was, projectId }: MovedItem): boolean {
  const order = compareIsoTimes(item.updatedAt, was.updatedAt);
  const isThere = item.projectId === projectId || (item.key !== null && item.key !== was.key);
  return order < 0 || (order === 0 && !isThere);
}

/**
 * Notes that Gatepost moved an item: what was reported of it before, and of its sub-items, is no longer
 * offered. What was reported since stays. Throws StoreError.
 */
export async function noteMove(store: Store, move: Move, at: number): Promise<void> {
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
  // The service said so.
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

/** Whether something is known that came after the move. */
function isAfter(known: KnownItem, note: MovedItem): boolean {
  if (known.kind === 'reported') return !isBeforeMove(known.item, note);
  return compareIsoTimes(known.was.updatedAt, note.was.updatedAt) > 0;
}

/** By id or by any key, whichever case; undefined: nothing, or too long ago. Throws StoreError. */
export async function readKnown(store: Store, reference: string): Promise<KnownItem | undefined> {
  const own = read(await store.get(idOf(reference)));
  if (own !== undefined) return own;
  const holder = readHolder(await store.get(keyOf(reference)));
  return holder && read(await store.get(idOf(holder.id)));
}

/** Whoever writes at the same time is seen, and what is to be written thought over. */
async function change<Result extends string | null>(
  store: Store,
  id: string,
  next: (
    known: KnownItem | undefined,
  ) => Result | { readonly known: KnownItem; readonly result: Result },
): Promise<Result> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const text = await store.get(idOf(id));
    const changed = next(read(text));
    if (typeof changed === 'string' || changed === null) return changed;
    const after = JSON.stringify(changed.known);
    if (await swap(store, idOf(id), text, after)) return changed.result;
  }
  throw new StoreError('unavailable', 'an item is reported by too many at once');
}

const TRIES_MAX = 20;

/** Whoever asks for the key is led to the item; a key that leads elsewhere stays with whoever was faster. */
async function lead(
  store: Store,
  key: string | null,
  holder: Holder,
  isForeign: (owner: string | null) => boolean,
): Promise<void> {
  if (key === null) return;
  const text = await store.get(keyOf(key));
  const known = readHolder(text);
  if (known !== undefined && known.id !== holder.id && isForeign(known.source)) return;
  await swap(store, keyOf(key), text, JSON.stringify(holder));
}

function swap(
  store: Store,
  key: string,
  before: string | undefined,
  after: string,
): Promise<boolean> {
  if (before === undefined) return store.putIfAbsent(key, after, LIFETIME_MS);
  return store.replace(key, before, after, LIFETIME_MS);
}

/** Which item has a key. */
interface Holder {
  readonly id: string;
  readonly source: string | null;
}

function read(text: string | undefined): KnownItem | undefined {
  // as: written by `change` alone
  return text === undefined ? undefined : (JSON.parse(text) as KnownItem);
}

function readHolder(text: string | undefined): Holder | undefined {
  // as: written by `lead` and `noteMove` alone
  return text === undefined ? undefined : (JSON.parse(text) as Holder);
}

function idOf(id: string): string {
  return `tasks.item:${short(id)}`;
}

function keyOf(key: string): string {
  return `tasks.key:${short(key)}`;
}

/** Whoever types a key may type anything of any length. */
function short(name: string): string {
  return name.slice(0, 300).toLowerCase();
}
