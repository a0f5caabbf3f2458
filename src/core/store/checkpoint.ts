import * as z from 'zod';
import type { AuditChain, AuditText, KeptAuditEntry, NewAuditEntry } from './store.ts';

/**
 * A checkpoint is an entry of the audit log that signs the state of its shard shortly before: an entry's number and
 * link, which covers everything up to it, and the time. Replicas write them (`app/seal-audit.ts`). Every other entry
 * names the last checkpoint its replica wrote in the shard, so that a checkpoint cannot be removed from before other
 * entries. Retention removes only what a checkpoint allows.
 */

export const CHECKPOINT = 'gatepost.checkpoint';

/** Facts added by later versions are ignored. */
const facts = z.object({
  /** The process that wrote it, as in `gatepost.start`. */
  run: z.string(),
  shard: z.number(),
  covers: z.number(),
  link: z.string(),
  time: z.number(),
  /** The last entry that retention may remove; 0: none. */
  removed: z.number(),
});

export type Checkpoint = z.infer<typeof facts>;

export function checkpointEntry(checkpoint: Checkpoint): NewAuditEntry {
  return { action: CHECKPOINT, record: null, actor: 'gatepost', facts: checkpoint };
}

/**
 * The largest difference between the time added by the store and the signed time: a write takes seconds, and the clocks
 * of a Cluster differ. Between two checkpoints, entries are ordered by time anyway.
 */
const SKEW_MS = 5 * 60_000;
/** The most entries between reading the end of the log and writing the checkpoint. */
const ENTRIES_BETWEEN = 32_768;
/** The most checkpoints of other replicas between an entry and the checkpoint it names. */
const CHECKPOINTS_KNOWN = 10_000;

type Note = (kind: 'anchor' | 'checkpoint', seq: number, sentence: string) => void;

export interface Sealed {
  /** Entries that precede the first checkpoint, without checkpoints. */
  readonly notSealed: number;
  /** Entries that no checkpoint covers yet. */
  readonly sinceCheckpoint: number;
  /** The numbers of those between, later than one and up to the other. */
  readonly sealed: { readonly after: number; readonly to: number };
}

/** Checks a chain's checkpoints, entry by entry, in constant memory. */
export function createSeals({ shard, anchor }: AuditChain, note: Note) {
  /** There was a checkpoint, possibly removed since. */
  let haveBegun = false;
  /** A checkpoint does not match its entries. */
  let isBroken = false;
  let [entries, notSealed, notSealedTo] = [0, 0, 0];
  let covered = { seq: anchor.seq, entries: 0 };
  /** The last entry that may have been removed. */
  let removable = 0;
  const recent = new RecentLinks(ENTRIES_BETWEEN);
  recent.set(anchor.seq, anchor.link, 0);
  /** Numbers of checkpoints, by the ids in their names. */
  const known = new Recent<string, number>(CHECKPOINTS_KNOWN);
  const missing = new Recent<string, true>(CHECKPOINTS_KNOWN);

  const look = ({ seq, id }: CheckpointName, namedBy: number): void => {
    const isThere = seq <= anchor.seq || known.get(id) === seq;
    if (isThere || missing.get(id)) return;
    missing.set(id, true);
    const sentence = `Checkpoint ${seq}, which entry ${namedBy} names, is missing: entries were removed, or lost by the store.`;
    note('checkpoint', namedBy, sentence);
  };

  /** Whether the checkpoint matches the entries. */
  const isOver = ({ covers, link }: Checkpoint, seq: number): boolean => {
    // After a mismatch no later one matches.
    if (isBroken || covers < anchor.seq) return false;
    const found = recent.get(covers);
    if (found?.link === link) {
      if (covers > covered.seq) covered = { seq: covers, entries: found.entries };
      return true;
    }
    isBroken = true;
    if (covers === anchor.seq) {
      note('anchor', covers, `The beginning of the log is not what checkpoint ${seq} signed.`);
    } else {
      const first = covered.seq + 1;
      const which = first === covers ? `Entry ${first} is` : `Entries ${first} to ${covers} are`;
      const sentence = `${which} not what checkpoint ${seq} signed: one was removed, added, changed, moved or given another date.`;
      note('checkpoint', seq, sentence);
    }
    return false;
  };

  /** `mayRemove`: whether its permission to remove entries counts. */
  const readCheckpoint = ({ at, seq, text }: KeptAuditEntry, mayRemove: boolean): void => {
    const checkpoint = checkpointIn(text);
    if (checkpoint === undefined) {
      const sentence = `Checkpoint ${seq} has facts that this version of Gatepost cannot read. Verify with the version that the bot runs.`;
      note('checkpoint', seq, sentence);
      return;
    }
    if (checkpoint.shard !== shard) {
      note('checkpoint', seq, `Checkpoint ${seq} belongs to another shard.`);
      return;
    }
    const { id } = nameIn(checkpointName(seq, text[4]));
    const earlier = known.get(id);
    if (earlier !== undefined) {
      note('checkpoint', seq, `Checkpoint ${seq} is a copy of checkpoint ${earlier}.`);
      return;
    }
    known.set(id, seq);
    const { time, removed } = checkpoint;
    if (isRedated(checkpoint, at)) {
      const [signed, dated] = [time, at].map((ms) => new Date(ms).toISOString());
      note('checkpoint', seq, `Checkpoint ${seq} is dated ${dated}, but was signed ${signed}.`);
    }
    if (isOver(checkpoint, seq) && mayRemove) removable = Math.max(removable, removed);
  };

  return {
    get haveBegun() {
      return haveBegun;
    },
    /** `isSigned`: the signature is right, or its key unknown. */
    read(entry: KeptAuditEntry, { isSigned }: { readonly isSigned: boolean }): void {
      const { seq, link, text } = entry;
      const isCheckpoint = text[0] === CHECKPOINT;
      const name = checkpointNamedBy(text);
      if (isSigned && name !== null) look(name, seq);
      if (isSigned && isCheckpoint) {
        // The first checkpoint of a process names none, and allows whatever was already removed, possibly by somebody
        // else: that counts only for the first one in the log.
        readCheckpoint(entry, name !== null || !haveBegun);
        if (name === null && !haveBegun) [notSealed, notSealedTo] = [entries, seq];
      }
      if (isSigned && (isCheckpoint || name !== null)) haveBegun = true;
      if (!isCheckpoint) entries += 1;
      recent.set(seq, link, entries);
    },
    end(): Sealed {
      if (haveBegun && !isBroken && anchor.seq > removable) {
        const sentence = `Entries up to ${anchor.seq} were removed, but not by retention: no checkpoint allows it.`;
        note('anchor', anchor.seq, sentence);
      }
      if (!haveBegun)
        return { notSealed: entries, sinceCheckpoint: 0, sealed: { after: 0, to: 0 } };
      const sealed = { after: notSealedTo, to: covered.seq };
      return { notSealed, sinceCheckpoint: entries - covered.entries, sealed };
    },
  };
}

export function checkpointIn([, , , text]: AuditText): Checkpoint | undefined {
  try {
    return facts.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Whether the store's date differs from the signed one. */
export function isRedated({ time }: Checkpoint, at: number): boolean {
  return Math.abs(at - time) > SKEW_MS;
}

/** How other entries name a checkpoint. */
interface CheckpointName {
  readonly seq: number;
  /** The beginning of its HMAC. */
  readonly id: string;
}

/** `<number>.<id>`; '' if it is not signed. */
export function checkpointName(seq: number, mac: string): string {
  const [, hmac] = mac.split('.');
  return hmac === undefined ? '' : `${seq}.${hmac.slice(0, 8)}`;
}

function nameIn(name: string): CheckpointName {
  const [seq = '', id = ''] = name.split('.');
  return { seq: Number(seq), id };
}

/** It follows an entry's signature. */
function checkpointNamedBy([, , , , mac]: AuditText): CheckpointName | null {
  const [, , ...name] = mac.split('.');
  return name.length === 0 ? null : nameIn(name.join('.'));
}

/** Longer than any link. */
const LINK_BYTES = 64;

/**
 * The links of the latest entries by their numbers, and how many entries other than checkpoints are up to each. In fixed
 * memory: as objects, these would be most of what reading a long log leaves to the garbage collector.
 */
class RecentLinks {
  readonly #size: number;
  readonly #links: Buffer;
  readonly #lengths: Uint8Array;
  readonly #seqs: Float64Array;
  readonly #entries: Float64Array;

  constructor(size: number) {
    this.#size = size;
    this.#links = Buffer.alloc(size * LINK_BYTES);
    this.#lengths = new Uint8Array(size);
    this.#seqs = new Float64Array(size).fill(-1);
    this.#entries = new Float64Array(size);
  }

  get(seq: number): { readonly link: string; readonly entries: number } | undefined {
    const at = seq % this.#size;
    if (this.#seqs[at] !== seq) return undefined;
    const from = at * LINK_BYTES;
    const link = this.#links.toString('latin1', from, from + (this.#lengths[at] ?? 0));
    return { link, entries: this.#entries[at] ?? 0 };
  }

  set(seq: number, link: string, entries: number): void {
    const at = seq % this.#size;
    this.#lengths[at] = this.#links.write(link, at * LINK_BYTES, 'latin1');
    this.#seqs[at] = seq;
    this.#entries[at] = entries;
  }
}

/** Remembers at least the given number of latest entries, and at most twice as many. */
class Recent<Key, Value> {
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  readonly #least: number;

  constructor(least: number) {
    this.#least = least;
  }

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: Key, value: Value): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#least) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
