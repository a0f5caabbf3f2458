import * as z from 'zod';
import type { RaiseAlert } from '../core/alerts/raise-alert.ts';
import type { Logger } from '../core/engine/reconciler.ts';
import type { Timers } from '../core/lib/timers.ts';
import { auditLine } from '../core/store/audit-line.ts';
import {
  type AuditChain,
  type KeptAuditEntry,
  type Store,
  StoreError,
} from '../core/store/store.ts';
import type { AuditOutput } from './audit-output.ts';

/**
 * Writes each entry of the audit log as a line to where AUDIT_LOG says: in order for each shard, each at least once. One
 * replica writes a shard at a time. A small key holds whose turn it is and how far the lines are; it is replaced after
 * each write, so that whoever comes after a crash repeats at most one write. Clicks never wait for that.
 */

interface StreamNeeds {
  readonly store: Store;
  readonly logger: Logger;
  readonly timers: Timers;
  readonly raise: RaiseAlert;
  readonly output: AuditOutput;
  /** Distinguishes replicas, as in `gatepost.start`. */
  readonly run: string;
  /** How often to look for new entries. */
  readonly everyMs: number;
}

export interface AuditStream {
  /** Writes what is new. Never rejects with StoreError or an error of the output. */
  pump(): Promise<void>;
  /** Writes what is new, and ends within a few seconds, whatever store and output do. */
  stop(): Promise<void>;
}

const state = z.object({
  /** Whose turn it is, until `until` by the store's clock. */
  run: z.string(),
  until: z.number(),
  /** The last written entry; number 0: none. */
  at: z.number(),
  seq: z.number(),
  link: z.string(),
});

type State = z.infer<typeof state>;
type Position = Pick<State, 'at' | 'seq' | 'link'>;

const LEASE_MS = 30_000;
const STOP_MS = 3_000;
/** How long a write may take before administrators are told. */
const STALLED_MS = 60_000;
/** As long as the store is used. */
const KEPT_MS = 10 * 365 * 86_400_000;
/** In characters; a line can be longer. */
const WRITE_MOST = 256 * 1024;
const BEGINNING: Position = { at: 0, seq: 0, link: '' };

export function startAuditStream(needs: StreamNeeds): AuditStream {
  const { store, logger, timers, raise, output, everyMs } = needs;
  /** What this process has written last, by shard: a store that went back knows less. */
  const written = new Map<number, Position>();
  /** What is wrong and was reported. */
  const told = new Set<'store' | 'output'>();
  let isStopped = false;
  let cancel = () => {};
  let unwatch = () => {};

  const failed = async (error: unknown, shard: number) => {
    const of = error instanceof StoreError ? 'store' : 'output';
    if (told.has(of)) return;
    told.add(of);
    if (of === 'store') {
      logger.warn({ err: error, shard }, 'the audit log could not be read for AUDIT_LOG');
      return;
    }
    logger.error({ err: error, shard }, 'AUDIT_LOG could not be written');
    await raise(streamFailed(error)).catch((failure: unknown) => {
      told.delete('output');
      logger.warn({ err: failure }, 'could not alert administrators');
    });
  };
  /** Nobody reads standard output, or the disk hangs: the write goes on waiting. */
  const watched = (shard: number): AuditOutput => ({
    ...output,
    async write(lines) {
      unwatch = timers.after(STALLED_MS, () => void failed(new StalledError(), shard));
      await output.write(lines).finally(unwatch);
    },
  });
  const pumpAll = async () => {
    let isDone = true;
    for (let shard = 0; shard < store.auditShards(); shard += 1) {
      try {
        await pumpShard({ ...needs, output: watched(shard) }, written, shard);
      } catch (error) {
        // Another replica may have a disk that is not full.
        if (!(error instanceof StoreError)) await letGo(needs, shard);
        isDone = false;
        await failed(error, shard);
      }
    }
    if (isDone && told.has('output')) logger.info({}, 'AUDIT_LOG is written again');
    if (isDone) told.clear();
  };
  let pumping = Promise.resolve();
  const pump = () => {
    const result = pumping.then(pumpAll);
    // The caller handles failures; the next one tries again.
    pumping = result.catch(() => undefined);
    return result;
  };
  const later = () => {
    cancel = timers.after(everyMs, () => {
      pump().finally(() => {
        if (!isStopped) later();
      });
    });
  };
  later();
  return {
    pump,
    async stop() {
      isStopped = true;
      cancel();
      await new Promise<void>((resolve, reject) => {
        const giveUp = timers.after(STOP_MS, () => {
          unwatch();
          resolve();
        });
        pump()
          .then(() => Promise.all([...written.keys()].map((shard) => letGo(needs, shard))))
          .then(() => output.close())
          .finally(giveUp)
          .then(resolve, reject);
      });
    },
  };
}

class StalledError extends Error {
  override readonly name = 'StalledError';
  readonly code = 'stalled';

  constructor() {
    super(`a write did not finish within ${STALLED_MS / 1000} s`);
  }
}

async function pumpShard(
  needs: StreamNeeds,
  written: Map<number, Position>,
  shard: number,
): Promise<void> {
  const { store, output, logger } = needs;
  const held = await takeTurn(needs, shard);
  if (held === undefined) return;
  const known = written.get(shard) ?? (await lastIn(output, shard));
  written.set(shard, known);
  const chain = await store.auditChain(shard);
  const { seq: done, link } = held.position;
  if (known.seq <= done && chain.head.seq === done && chain.head.link === link) return;
  const from = await whereToGoOn(chain, held.position, known);
  if (from.lost !== undefined) {
    const { seq, link } = from.lost;
    logger.error({ shard, entry: seq }, 'the store went back: AUDIT_LOG has entries that it lost');
    await output.write(markerLine(needs, shard, { marker: 'went-back', lost: { seq, link } }));
    written.set(shard, from.position);
  }
  let [lines, last] = ['', from.position];
  const commit = async (): Promise<boolean> => {
    if (lines !== '') {
      if (!held.isOurs()) return false;
      await output.write(lines);
      written.set(shard, last);
    }
    lines = '';
    return await held.save(last);
  };
  for await (const entry of chain.entries({ from: from.position })) {
    if (entry.seq <= from.position.seq) continue;
    // Not before the first entry that is written at all.
    if (last.seq > 0 && entry.seq > last.seq + 1) {
      const removed = { from: last.seq + 1, to: entry.seq - 1 };
      logger.error({ shard, ...removed }, 'entries were removed before AUDIT_LOG had them');
      lines += markerLine(needs, shard, { marker: 'removed', removed });
    }
    lines += auditLine(shard, entry);
    last = positionOf(entry);
    if (lines.length >= WRITE_MOST && !(await commit())) return;
  }
  if (lines !== '' || from.lost !== undefined) await commit();
}

/** A line about the lines, instead of an entry. */
type Marker =
  | { readonly marker: 'went-back'; readonly lost: Pick<Position, 'seq' | 'link'> }
  /** `from` and `to` are numbers of entries. */
  | {
      readonly marker: 'removed';
      readonly removed: { readonly from: number; readonly to: number };
    };

function markerLine({ store }: StreamNeeds, shard: number, marker: Marker): string {
  return `${JSON.stringify({ audit: true, time: store.now(), shard, ...marker })}\n`;
}

interface Turn {
  readonly position: Position;
  /** By the clock of the store. */
  isOurs(): boolean;
  /** Saves how far the lines are, and keeps the turn. False: another replica has it. */
  save(position: Position): Promise<boolean>;
}

/** undefined: another replica's turn. Renewed once half of it is over. */
async function takeTurn(
  { store, run }: Pick<StreamNeeds, 'store' | 'run'>,
  shard: number,
): Promise<Turn | undefined> {
  const key = keyOf(shard);
  let text = await store.get(key);
  const found = text === undefined ? undefined : stateIn(text);
  if (found === null) throw new Error(`${key} cannot be read by this version`);
  const now = store.now();
  if (found !== undefined && found.run !== run && found.until > now) return undefined;
  let until = found?.run === run ? found.until : 0;
  const save = async (position: Position): Promise<boolean> => {
    const [endsAt, before] = [store.now() + LEASE_MS, text];
    const next = textOf(run, endsAt, position);
    const isSaved =
      before === undefined
        ? await store.putIfAbsent(key, next, KEPT_MS)
        : await store.replace(key, before, next, KEPT_MS);
    if (isSaved) [text, until] = [next, endsAt];
    return isSaved;
  };
  const position = found === undefined ? BEGINNING : positionOf(found);
  const isFresh = until > now + LEASE_MS / 2;
  if (!isFresh && !(await save(position))) return undefined;
  return { position, save, isOurs: () => store.now() < until };
}

/** So that another replica goes on at once. */
async function letGo(
  { store, run }: Pick<StreamNeeds, 'store' | 'run'>,
  shard: number,
): Promise<void> {
  try {
    const text = await store.get(keyOf(shard));
    const found = text === undefined ? undefined : stateIn(text);
    if (text === undefined || found?.run !== run) return;
    await store.replace(keyOf(shard), text, textOf(run, 0, positionOf(found)), KEPT_MS);
  } catch (error) {
    // The turn ends by itself.
    if (!(error instanceof StoreError)) throw error;
  }
}

/**
 * The entry after which to go on. `lost`: one that was written and is not in the store, which has lost writes, was
 * restored or changed. Then everything after what it still knows to be written is written again.
 */
async function whereToGoOn(
  chain: AuditChain,
  position: Position,
  known: Position,
): Promise<{ readonly position: Position; readonly lost?: Position }> {
  const isThere = await hasEntry(chain, position);
  if (!isThere) return { position: BEGINNING, lost: position };
  const isKnown = known.seq <= position.seq || (await hasEntry(chain, known));
  return isKnown ? { position } : { position, lost: known };
}

/** Also if retention has removed it: a gap after it is found by the numbers. */
async function hasEntry(
  { anchor, ...chain }: AuditChain,
  { at, seq, link }: Position,
): Promise<boolean> {
  if (seq <= anchor.seq) return seq < anchor.seq || seq === 0 || link === anchor.link;
  for await (const entry of chain.entries({ from: { at, seq }, page: 1 })) {
    return entry.seq === seq && entry.link === link;
  }
  return false;
}

async function lastIn(output: AuditOutput, shard: number): Promise<Position> {
  const last = await output.last(shard);
  return last === undefined ? BEGINNING : { at: last.time, seq: last.seq, link: last.link };
}

/** null: not what this version writes. */
function stateIn(text: string): State | null {
  try {
    return state.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function positionOf({ at, seq, link }: Position | KeptAuditEntry): Position {
  return { at, seq, link };
}

function textOf(run: string, until: number, position: Position): string {
  return JSON.stringify({ run, until, ...position } satisfies State);
}

function keyOf(shard: number): string {
  return `audit.stream.${shard}`;
}

function streamFailed(error: unknown) {
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return {
    about: 'audit.stream',
    text: `The audit log cannot be written to where AUDIT_LOG says${code}. Nothing is lost: the entries are in the store, and are written once it works again. Check the disk, the permissions, and what reads standard output.`,
  };
}
