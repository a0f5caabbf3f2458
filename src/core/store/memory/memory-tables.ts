import type { Signal } from '../store.ts';
import type {
  AuditKey,
  AuditRow,
  ChainRow,
  DueKey,
  ExpiryKey,
  InboxKey,
  KeyRange,
  ListKey,
  RecordRow,
  SmallRow,
  SortedKey,
  SortedTable,
  Table,
  Tables,
  WaitingKey,
} from '../tables/tables.ts';

export type MemoryTables = ReturnType<typeof emptyTables>;

export function emptyTables() {
  return {
    records: new PlainMemoryTable<RecordRow>(),
    inboxes: new SortedMemoryTable<Signal, InboxKey>(),
    waiting: new SortedMemoryTable<number, WaitingKey>(),
    unique: new PlainMemoryTable<string>(),
    due: {
      people: new SortedMemoryTable<true, DueKey>(),
      background: new SortedMemoryTable<true, DueKey>(),
    },
    lists: new SortedMemoryTable<true, ListKey>(),
    small: new PlainMemoryTable<SmallRow>(),
    expiry: new SortedMemoryTable<true, ExpiryKey>(),
    audit: new SortedMemoryTable<AuditRow, AuditKey>(),
    chain: new PlainMemoryTable<ChainRow>(),
  } satisfies Tables;
}

/** Rows are never changed, only replaced, so a copy can share them. */
export function copyTables(tables: MemoryTables): MemoryTables {
  const { records, inboxes, waiting, unique, due, lists, small, expiry, audit, chain } = tables;
  return {
    records: records.copy(),
    inboxes: inboxes.copy(),
    waiting: waiting.copy(),
    unique: unique.copy(),
    due: { people: due.people.copy(), background: due.background.copy() },
    lists: lists.copy(),
    small: small.copy(),
    expiry: expiry.copy(),
    audit: audit.copy(),
    chain: chain.copy(),
  };
}

class PlainMemoryTable<Value> implements Table<Value, string> {
  readonly #values: Map<string, Value>;

  constructor(values: Iterable<readonly [string, Value]> = []) {
    this.#values = new Map(values);
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  putSync(key: string, value: Value): void {
    this.#values.set(key, value);
  }

  removeSync(key: string): boolean {
    return this.#values.delete(key);
  }

  copy(): PlainMemoryTable<Value> {
    return new PlainMemoryTable(this.#values);
  }
}

interface Entry<Value, Key> {
  readonly key: Key;
  readonly value: Value;
}

/** A run with more entries is split. */
const LONGEST_RUN = 512;

/** Keeps its entries sorted, in runs, so that an insertion moves few of them. */
export class SortedMemoryTable<Value, Key extends SortedKey> implements SortedTable<Value, Key> {
  /** Unless it is the only one, no run is empty. */
  #runs: Entry<Value, Key>[][] = [[]];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: Key): Value | undefined {
    const { run, at, isThere } = this.#find(key);
    return isThere ? run[at]?.value : undefined;
  }

  putSync(key: Key, value: Value): void {
    const { runAt, run, at, isThere } = this.#find(key);
    run.splice(at, isThere ? 1 : 0, { key, value });
    if (isThere) return;
    this.#size += 1;
    if (run.length > LONGEST_RUN) this.#runs.splice(runAt + 1, 0, run.splice(LONGEST_RUN / 2));
  }

  removeSync(key: Key): boolean {
    const { runAt, run, at, isThere } = this.#find(key);
    if (!isThere) return false;
    run.splice(at, 1);
    this.#size -= 1;
    if (run.length === 0 && this.#runs.length > 1) this.#runs.splice(runAt, 1);
    return true;
  }

  getRange({ start = [], end, limit, reverse }: KeyRange): readonly Entry<Value, Key>[] {
    const found: Entry<Value, Key>[] = [];
    const step = reverse ? -1 : 1;
    let { runAt, at } = reverse && start.length === 0 ? this.#end() : this.#find(start);
    if (reverse) at -= 1;
    while (found.length < limit) {
      const entry = this.#runs[runAt]?.[at];
      if (entry === undefined) {
        runAt += step;
        const run = this.#runs[runAt];
        if (run === undefined) break;
        at = reverse ? run.length - 1 : 0;
        continue;
      }
      if (end !== undefined && compareKeys(entry.key, end) >= 0) break;
      found.push(entry);
      at += step;
    }
    return found;
  }

  getKeys(range: KeyRange): readonly Key[] {
    return this.getRange(range).map(({ key }) => key);
  }

  copy(): SortedMemoryTable<Value, Key> {
    const copy = new SortedMemoryTable<Value, Key>();
    copy.#runs = this.#runs.map((run) => [...run]);
    copy.#size = this.#size;
    return copy;
  }

  /** The position behind the last entry. */
  #end() {
    const runAt = this.#runs.length - 1;
    return { runAt, at: this.#runs[runAt]?.length ?? 0 };
  }

  /** The position of the key, or where it would be. */
  #find(key: SortedKey) {
    const isBehind = (entry: Entry<Value, Key> | undefined) =>
      entry !== undefined && compareKeys(entry.key, key) >= 0;
    const last = this.#runs.length - 1;
    const runAt = Math.min(
      last,
      firstIndex(this.#runs, (each) => isBehind(each?.at(-1))),
    );
    const run = this.#runs[runAt] ?? [];
    const at = firstIndex(run, isBehind);
    const found = run[at];
    return { runAt, run, at, isThere: found !== undefined && compareKeys(found.key, key) === 0 };
  }
}

/** The index of the first item for which `isBehind` is true, as it then is for all later ones. */
function firstIndex<T>(items: readonly T[], isBehind: (item: T | undefined) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(items[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}

function compareKeys(a: SortedKey, b: SortedKey): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const [part, other] = [a[i] ?? '', b[i] ?? ''];
    if (part !== other) return compareParts(part, other);
  }
  return a.length - b.length;
}

/** The same position of a table's keys always has the same type. */
function compareParts(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a) < String(b) ? -1 : 1;
}
