import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { fileTrouble } from '../../core/lib/file-trouble.ts';
import type { AuditProblem } from '../../core/store/audit-chain.ts';
import type { AuditChain, KeptAuditEntry, Store } from '../../core/store/store.ts';
import { AgainstError, countText, TURN, type Visit } from './visit.ts';

/** Compares the audit log with lines that left the house (AUDIT_LOG), where the store's administrators cannot change them. */

/** Members that others add are ignored. What an entry says is covered by its link. */
const entry = z.object({ shard: z.number(), seq: z.number(), time: z.number(), link: z.string() });
const line = z.union([
  entry,
  z.object({ marker: z.literal('went-back'), lost: z.object({ seq: z.number() }) }),
  z.object({
    marker: z.literal('removed'),
    removed: z.object({ from: z.number(), to: z.number() }),
  }),
]);

type Line = z.infer<typeof entry>;
type Marker = Exclude<z.infer<typeof line>, Line>;

export interface Compared {
  readonly problems: readonly AuditProblem[];
  readonly sentences: readonly string[];
}

/** More problems of a shard add nothing. */
const MOST_PROBLEMS = 20;

/** Reads the file once, in constant memory. Throws AgainstError. */
export async function compareWith(
  { store, system, terminal }: Visit,
  path: string,
): Promise<Compared> {
  const shards = new Map<number, ComparedShard>();
  const sentences: string[] = [];
  let [read, unread] = [0, 0];
  const of = async (shard: number): Promise<ComparedShard | undefined> => {
    if (shard >= store.auditShards()) return undefined;
    const known =
      shards.get(shard) ?? new ComparedShard(store, await store.auditChain(shard), path);
    shards.set(shard, known);
    return known;
  };
  for await (const text of linesOf(path)) {
    read += 1;
    if (read % TURN === 0) await system.timers.sleep(0);
    terminal.signal.throwIfAborted();
    const found = lineIn(text);
    if (found === 'other') continue;
    if (found === 'unread') {
      unread += 1;
      continue;
    }
    if ('marker' in found) {
      sentences.push(`${path} says that ${markedText(found)}.`);
      continue;
    }
    const shard = await of(found.shard);
    if (shard === undefined) unread += 1;
    else await shard.read(found);
  }
  const all = [...shards.values()];
  const sum = (count: (each: ComparedShard) => number) =>
    all.reduce((total, each) => total + count(each), 0);
  const same = sum((each) => each.same);
  const problems = all.flatMap((each) => each.problems);
  const [removed, only] = [sum((each) => each.removed), sum((each) => each.onlyInLog)];
  if (same === 0 && removed === 0 && problems.length === 0) {
    const sentence = `No entry of this log is in ${path}.`;
    problems.push({ shard: 0, seq: 0, kind: 'against', sentence });
  }
  return {
    problems,
    sentences: [
      ...sentences,
      `The same in ${path}: ${countText(same)}.`,
      ...(removed > 0 ? [`Removed by retention since: ${countText(removed)}.`] : []),
      ...(only > 0 ? [`Only in the log: ${countText(only)}.`] : []),
      ...(unread > 0 ? [`Lines of ${path} that cannot be read: ${unread}.`] : []),
    ],
  };
}

function markedText(found: Marker): string {
  if (found.marker === 'went-back') {
    return `the store went back: it had lost entry ${found.lost.seq}`;
  }
  const { from, to } = found.removed;
  const entries = from === to ? `entry ${from} was` : `entries ${from} to ${to} were`;
  return `${entries} removed from the log without being written there`;
}

async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) {
      throw new AgainstError(`${path} ${fileTrouble(error)}.`);
    }
    throw error;
  }
}

/** other: a line of the log that is not about an entry. */
function lineIn(text: string): z.infer<typeof line> | 'other' | 'unread' {
  try {
    const value: unknown = JSON.parse(text);
    if (Object(value).audit !== true) return 'other';
    return line.safeParse(value).data ?? 'unread';
  } catch {
    return text.includes('"audit":true') ? 'unread' : 'other';
  }
}

/** The bot writes entries, and retention removes some, while the file is read. */
const TRIES = 3;

type Found = 'same' | 'removed' | 'changed' | 'cut';

/** Compares lines of one shard, which are in order except for repeated ones. */
class ComparedShard {
  readonly problems: AuditProblem[] = [];
  same = 0;
  removed = 0;
  readonly #store: Store;
  readonly #path: string;
  /** The last entry that had been removed when the first line was read. */
  readonly #start: number;
  #chain: AuditChain;
  #last = 0;
  #entries: AsyncIterator<KeptAuditEntry> | undefined;
  /** How many entries after `#start` the lines have. */
  #known = 0;

  constructor(store: Store, chain: AuditChain, path: string) {
    [this.#store, this.#chain, this.#path] = [store, chain, path];
    this.#start = chain.anchor.seq;
  }

  /** How many entries of the log no line has. */
  get onlyInLog(): number {
    return Math.max(0, this.#chain.head.seq - this.#start - this.#known);
  }

  async read(line: Line): Promise<void> {
    const { seq } = line;
    const isNew = seq > this.#last;
    if (seq !== this.#last + 1) this.#entries = undefined;
    if (isNew) this.#last = seq;
    const found = await this.#lookAgain(line);
    if (found === 'changed' || found === 'cut') return this.#note(seq, found);
    if (!isNew) return;
    this[found] += 1;
    if (seq > this.#start) this.#known += 1;
  }

  /** Looks again in the log as it is by then before it says that an entry is not there. */
  async #lookAgain(line: Line): Promise<Found> {
    let found = await this.#look(line);
    for (let tries = 1; tries < TRIES && !this.#isFull; tries += 1) {
      if (found === 'same' || found === 'removed') break;
      this.#chain = await this.#store.auditChain(this.#chain.shard);
      found = await this.#look(line);
    }
    return found;
  }

  async #look({ seq, time: at, link }: Line): Promise<Found> {
    const { anchor, head } = this.#chain;
    if (seq <= anchor.seq) {
      return seq < anchor.seq || link === anchor.link ? 'removed' : 'changed';
    }
    this.#entries ??= this.#chain.entries({ from: { at, seq } })[Symbol.asyncIterator]();
    const { value: found } = await this.#entries.next();
    if (found?.seq === seq && found.link === link) return 'same';
    // Another entry was read: the next line is looked for anew.
    this.#entries = undefined;
    return seq > head.seq ? 'cut' : 'changed';
  }

  get #isFull(): boolean {
    return this.problems.length === MOST_PROBLEMS;
  }

  #note(seq: number, found: 'changed' | 'cut'): void {
    if (this.#isFull) return;
    const { shard, head } = this.#chain;
    const sentence =
      found === 'cut'
        ? `Entry ${seq} is in ${this.#path}, but the log ends at ${head.seq}: it was cut off, or lost by the store.`
        : `Entry ${seq} is not the one in ${this.#path}: the log was changed, or the store went back.`;
    this.problems.push({ shard, seq, kind: 'against', sentence });
  }
}
