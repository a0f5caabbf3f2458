import { z } from 'zod';
import type { AuditChain, AuditText, KeptAuditEntry, NewAuditEntry } from './store.ts';

/**
 * A checkpoint is an entry of the audit log that signs what its shard held shortly before: the number of an
 * entry, whose link holds for everything up to it, and the time. Replicas write them (`app/seal-audit.ts`).
 * Each entry of a replica names the last checkpoint that it has written in the shard, so that none can be
 * taken out from before other entries. Retention removes only what a checkpoint allows.
 */

export const CHECKPOINT = 'gatepost.checkpoint';

/** Others, of later builds, are left out. */
const facts = z.object({
  /** The process that wrote it, as in `gatepost.start`. */
  run: z.string(),
  shard: z.number(),
  covers: z.number(),
  link: z.string(),
  time: z.number(),
  /** Up to which number retention may remove entries; 0: none. */
  removed: z.number(),
});

export type Checkpoint = z.infer<typeof facts>;

export function checkpointEntry(checkpoint: Checkpoint): NewAuditEntry {
  return { action: CHECKPOINT, record: null, actor: 'gatepost', facts: checkpoint };
}

/**
 * How far the time that the store adds may be from the one that is signed: a write comes within seconds, and
 * the clocks of a Cluster differ. In between all entries are ordered by their time.
 */
const SKEW_MS = 5 * 60_000;
/** So many entries may come between reading where the log ends and writing the checkpoint. */
const ENTRIES_BETWEEN = 32_768;
/** An entry names the last one of its own replica. So many of other replicas may come between the two. */
const CHECKPOINTS_KNOWN = 10_000;

type Note = (kind: 'anchor' | 'checkpoint', seq: number, sentence: string) => void;

/** What the checkpoints of a chain say about it, entry for entry, in memory that does not grow with the log. */
export function createSeals({ shard, anchor }: AuditChain, note: Note) {
  /** There was a checkpoint, here or in what was removed. */
  let haveBegun = false;
  /** One was signed over other entries. */
  let isBroken = false;
  let [entries, notSealed] = [0, 0];
  let covered = { seq: anchor.seq, entries: 0 };
  /** Up to which number entries may have been removed. */
  let removable = 0;
  /** By number: the link, and how many entries but for checkpoints there are up to it. */
  const recent = new Recent<number, { link: string; entries: number }>(ENTRIES_BETWEEN);
  recent.set(anchor.seq, { link: anchor.link, entries: 0 });
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

  /** Whether the entries that it was signed over are the ones that are there. */
  const isOver = ({ covers, link }: Checkpoint, seq: number): boolean => {
    // Once one is wrong, so are all that follow.
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
      const sentence = `Entries ${covered.seq + 1} to ${covers} are not what checkpoint ${seq} signed: one was removed, added, changed, moved or given another date.`;
      note('checkpoint', seq, sentence);
    }
    return false;
  };

  /** `mayRemove`: what it allows counts. */
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
    /** `isSigned`: not wrongly. */
    read(entry: KeptAuditEntry, { isSigned }: { readonly isSigned: boolean }): void {
      const { seq, link, text } = entry;
      const isCheckpoint = text[0] === CHECKPOINT;
      const name = checkpointNamedBy(text);
      if (isSigned && name !== null) look(name, seq);
      if (isSigned && isCheckpoint) {
        // The first one of a process names none, and allows what it found removed. Somebody may have removed that:
        // it counts only as the first one of the log.
        readCheckpoint(entry, name !== null || !haveBegun);
        if (name === null && !haveBegun) notSealed = entries;
      }
      if (isSigned && (isCheckpoint || name !== null)) haveBegun = true;
      if (!isCheckpoint) entries += 1;
      recent.set(seq, { link, entries });
    },
    end(): { readonly notSealed: number; readonly sinceCheckpoint: number } {
      if (haveBegun && !isBroken && anchor.seq > removable) {
        const sentence = `Entries up to ${anchor.seq} were removed, but not by retention: no checkpoint allows it.`;
        note('anchor', anchor.seq, sentence);
      }
      if (!haveBegun) return { notSealed: entries, sinceCheckpoint: 0 };
      return { notSealed, sinceCheckpoint: entries - covered.entries };
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

/** Whether the store has given it another date than the one that is signed. */
export function isRedated({ time }: Checkpoint, at: number): boolean {
  return Math.abs(at - time) > SKEW_MS;
}

/** What other entries call a checkpoint. */
interface CheckpointName {
  readonly seq: number;
  /** The beginning of its HMAC. */
  readonly id: string;
}

/** `<number>.<id>`; '' where it is not signed. */
export function checkpointName(seq: number, mac: string): string {
  const [, hmac] = mac.split('.');
  return hmac === undefined ? '' : `${seq}.${hmac.slice(0, 8)}`;
}

function nameIn(name: string): CheckpointName {
  const [seq = '', id = ''] = name.split('.');
  return { seq: Number(seq), id };
}

/** It stands behind the signature of an entry. */
function checkpointNamedBy([, , , , mac]: AuditText): CheckpointName | null {
  const [, , ...name] = mac.split('.');
  return name.length === 0 ? null : nameIn(name.join('.'));
}

/** Knows at least as many of the last ones as it was made for, and no more than twice as many. */
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
