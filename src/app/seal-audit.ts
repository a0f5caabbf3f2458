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
  /** Distinguishes replicas, as in `gatepost.start`. */
  readonly run: string;
  /** How long entries are kept. */
  readonly auditMs: number;
  /** How often to check for changes. */
  readonly everyMs: number;
}

export interface Seals {
  /** Writes checkpoints for changed shards, and removes old entries. Never rejects with StoreError. */
  seal(): Promise<void>;
  /** Writes last checkpoints. Ends within a few seconds, whatever the store does. */
  stop(): Promise<void>;
}

/** A process's knowledge of its shards. */
interface Known {
  /** Its last checkpoint in each shard. */
  readonly own: Map<number, OwnCheckpoint>;
  /** Shards whose log was changed, which was reported. */
  readonly changed: Set<number>;
}

interface OwnCheckpoint {
  /** The checkpoint's own position. */
  readonly at: number;
  readonly seq: number;
  readonly facts: string;
  /** The first entry it does not cover: others may have written before it. */
  readonly next: AuditPlace;
  /** It was missing, which was reported. */
  readonly isReported: boolean;
}

/** An unchanged shard has a few checkpoints of other replicas. */
const PAGE = 16;
const STOP_MS = 3_000;
/** How much replicas' clocks may differ. */
const MARGIN_MS = 5 * 60_000;

/**
 * Seals the audit log: writes a checkpoint in every shard now, and later whenever one has changed. Somebody who changes
 * the log in the store cannot sign one. A replica remembers its own last checkpoint in each shard, names it in its
 * entries, and reports it if it is missing.
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
  // Independently: in a Cluster some shards may be unavailable.
  const sealAll = async () => {
    await Promise.all(Array.from({ length: store.auditShards() }, (_, shard) => sealOne(shard)));
  };
  let sealing = Promise.resolve();
  const seal = () => {
    const result = sealing.then(sealAll);
    // The caller handles failures; the next seal tries again.
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
  // A process's first checkpoint just notes what was already removed.
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

/** The last expired entry. If the log is not as it was signed, that is reported and nothing is removed. */
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
    // Where entries are written, every replica has written a checkpoint.
    searchMs: 2 * everyMs,
    pause: () => timers.sleep(0),
  });
  if (found !== 'changed') return found ?? undefined;
  // Another replica may have removed entries while this was read.
  if ((await store.auditChain(shard)).anchor.seq !== anchor.seq) return undefined;
  logger.error({ shard }, 'the audit log was changed');
  await raise(logChanged(shard));
  changed.add(shard);
  return undefined;
}

/** Whether anything other than checkpoints was written after our last one. Reports if that is missing. */
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
  // Retention of another replica may have removed it.
  const isOld = last.at < earlierTime(chain, clock) - auditMs + MARGIN_MS;
  if (isOld || last.isReported) return true;
  const facts = { shard: chain.shard, entry: last.seq };
  logger.error(facts, 'a checkpoint is missing from the audit log');
  await raise(checkpointMissing(chain.shard, last.seq));
  own.set(chain.shard, { ...last, isReported: true });
  return true;
}

/** Anybody who can write to the store can set its time ahead. By this machine's time nothing is old then. */
function earlierTime({ now }: AuditChain, clock: Clock): number {
  return Math.min(now, clock.now());
}

/** For entries that were removed from the end of the log, or lost by the store. */
function checkpointMissing(shard: number, seq: number) {
  return {
    about: 'audit.cut',
    text: `Entries are missing from the audit log: checkpoint ${seq} of shard ${shard}, which Gatepost wrote, is gone. Either the store lost writes (a failover, a restored backup), or somebody changed the log. Keep a copy of the store, then run \`gatepost audit verify\`.`,
  };
}

/** For entries that retention was about to remove. */
function logChanged(shard: number) {
  return {
    about: 'audit.changed',
    text: `The audit log was changed: old entries of shard ${shard} are not what Gatepost signed. They are kept: nothing is removed from this shard. Keep a copy of the store, then run \`gatepost audit verify\`.`,
  };
}
