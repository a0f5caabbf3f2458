import type { RaiseAlert } from '../core/alerts/raise-alert.ts';
import type { Logger } from '../core/engine/reconciler.ts';
import type { Clock } from '../core/lib/clock.ts';
import type { Timers } from '../core/lib/timers.ts';
import { type CheckSignature, lastRemovable } from '../core/store/audit-chain.ts';
import { CHECKPOINT, type Checkpoint, checkpointEntry } from '../core/store/checkpoint.ts';
import { type AuditChain, type AuditPlace, type Store, StoreError } from '../core/store/store.ts';

interface SealNeeds {
  readonly store: Store;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly raise: RaiseAlert;
  readonly check: CheckSignature;
  /** Tells replicas apart, as in `gatepost.start`. */
  readonly run: string;
  /** How long entries are kept. */
  readonly auditMs: number;
  /** How often it is looked for changes. */
  readonly everyMs: number;
}

export interface Seals {
  /** Writes checkpoints where a shard has changed, and removes what is too old. Never rejects with StoreError. */
  seal(): Promise<void>;
  /** Seals the end. Ends within a few seconds, whatever the store does. */
  stop(): Promise<void>;
}

/** What a process knows of its shards. */
interface Known {
  /** Its last checkpoint in each. */
  readonly own: Map<number, OwnCheckpoint>;
  /** Those whose log was changed, which is reported. */
  readonly changed: Set<number>;
}

interface OwnCheckpoint {
  /** Of the checkpoint itself. */
  readonly at: number;
  readonly seq: number;
  readonly facts: string;
  /** What it does not cover begins here: others may have written before it came. */
  readonly next: AuditPlace;
  /** It was gone, and that is reported. */
  readonly isReported: boolean;
}

/** Where nothing changed there are a few checkpoints of other replicas. */
const PAGE = 16;
const STOP_MS = 3_000;
/** By so much replicas may differ about what time it is. */
const MARGIN_MS = 5 * 60_000;

/**
 * Seals the audit log: writes a checkpoint in every shard now, and from time to time where one has changed.
 * Whoever changes the log behind the store's back cannot sign one. A replica knows its own last one in each
 * shard, names it in what it writes, and reports it if it is gone.
 */
export async function startSealing(needs: SealNeeds): Promise<Seals> {
  const { store, logger, timers, everyMs } = needs;
  const known: Known = { own: new Map(), changed: new Set() };
  let cancel = () => {};
  let isStopped = false;

  const sealOne = async (shard: number): Promise<void> => {
    try {
      await sealShard(needs, known, await store.auditChain(shard));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      logger.warn({ err: error, shard }, 'the audit log could not be sealed');
    }
  };
  // Each by itself: in a Cluster some may be away.
  const sealAll = async () => {
    await Promise.all(Array.from({ length: store.auditShards() }, (_, shard) => sealOne(shard)));
  };
  let sealing = Promise.resolve();
  const seal = () => {
    const result = sealing.then(sealAll);
    // What failed is up to the caller; the next one tries again.
    sealing = result.catch(() => undefined);
    return result;
  };
  const later = () => {
    cancel = timers.after(everyMs, () => {
      seal().finally(() => {
        if (!isStopped) later();
      });
    });
  };
  await seal();
  later();
  return {
    seal,
    async stop() {
      isStopped = true;
      cancel();
      await new Promise<void>((resolve, reject) => {
        const giveUp = timers.after(STOP_MS, resolve);
        seal().finally(giveUp).then(resolve, reject);
      });
    },
  };
}

async function sealShard(needs: SealNeeds, known: Known, chain: AuditChain): Promise<void> {
  const { store, run } = needs;
  const { own } = known;
  const { shard, head, lastAt, anchor, now } = chain;
  const last = own.get(shard);
  if (last !== undefined && !(await hasChanged(needs, own, chain, last))) return;
  const old = last && (await removableIn(needs, known, chain));
  // The first one of a process only says what it found.
  const removed = last === undefined ? anchor.seq : (old?.seq ?? 0);
  const body: Checkpoint = { run, shard, covers: head.seq, link: head.link, time: now, removed };
  const entry = checkpointEntry(body);
  const part = { shard, at: lastAt, ...head };
  const id = await store.writeAudit(entry, { checkpointOf: part });
  const [, at = 0, seq = 0] = id.split('-').map(Number);
  const next = { at: lastAt, seq: head.seq + 1 };
  own.set(shard, { at, seq, next, facts: JSON.stringify(entry.facts), isReported: false });
  while (old !== undefined && (await store.removeAudit(shard, old)));
}

/** The last entry that is too old. Reports that the log is not what was signed: then nothing goes. */
async function removableIn(
  { store, logger, raise, check, clock, timers, auditMs, everyMs }: SealNeeds,
  { changed }: Known,
  chain: AuditChain,
): Promise<AuditPlace | undefined> {
  const { shard, anchor } = chain;
  if (changed.has(shard)) return undefined;
  const found = await lastRemovable(chain, {
    check,
    before: earlierTime(chain, clock) - auditMs,
    // Where entries come, there is a checkpoint of each replica.
    searchMs: 2 * everyMs,
    pause: () => timers.sleep(0),
  });
  if (found !== 'changed') return found ?? undefined;
  // Another replica may have removed something while it was read.
  if ((await store.auditChain(shard)).anchor.seq !== anchor.seq) return undefined;
  logger.error({ shard }, 'the audit log was changed');
  await raise(logChanged(shard));
  changed.add(shard);
  return undefined;
}

/** Whether anything but checkpoints was written that the own last one does not cover. Reports when that one is gone. */
async function hasChanged(
  { logger, raise, auditMs, clock }: SealNeeds,
  own: Map<number, OwnCheckpoint>,
  chain: AuditChain,
  last: OwnCheckpoint,
): Promise<boolean> {
  let [isThere, isChanged] = [false, false];
  for await (const { seq, text } of chain.entries({ from: last.next, page: PAGE })) {
    isThere ||= seq === last.seq && text[3] === last.facts;
    if (!isThere && seq >= last.seq) break;
    isChanged ||= text[0] !== CHECKPOINT;
    if (isThere && isChanged) return true;
  }
  if (isThere) return false;
  // Then another replica may have let retention remove it.
  const isOld = last.at < earlierTime(chain, clock) - auditMs + MARGIN_MS;
  if (isOld || last.isReported) return true;
  const facts = { shard: chain.shard, entry: last.seq };
  logger.error(facts, 'a checkpoint is missing from the audit log');
  await raise(checkpointMissing(chain.shard, last.seq));
  own.set(chain.shard, { ...last, isReported: true });
  return true;
}

/** Whoever can write to the store can set its time ahead. By the time of this machine nothing is old then. */
function earlierTime({ now }: AuditChain, clock: Clock): number {
  return Math.min(now, clock.now());
}

/** For entries that were removed from the end of the log, or that the store has lost. */
function checkpointMissing(shard: number, seq: number) {
  return {
    about: 'audit.cut',
    text: `Entries are missing from the audit log: checkpoint ${seq} of shard ${shard}, which Gatepost wrote, is gone. Either the store lost writes (a failover, a restored backup), or somebody changed the log. Keep a copy of the store, then run \`gatepost audit verify\`.`,
  };
}

/** For entries that retention would remove. */
function logChanged(shard: number) {
  return {
    about: 'audit.changed',
    text: `The audit log was changed: old entries of shard ${shard} are not what Gatepost signed. They are kept: nothing is removed from this shard. Keep a copy of the store, then run \`gatepost audit verify\`.`,
  };
}
