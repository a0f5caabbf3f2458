/**
 * Gatepost's storage interface.
 *
 * A record has a due time and an inbox for signals, and is processed by its lease holder. Three implementations pass
 * the same contract tests: `redis/`, `embedded/` and `memory/`. All times are milliseconds since the epoch on the
 * store's own clock.
 */

import type { FailureFacts } from '../lib/failure.ts';
import { TRUE_TIME } from '../lib/timing.ts';

/** Work that people wait for, and background polling: neither may starve the other. */
export type Lane = 'people' | 'background';

/** Where a record's message is in Slack; `message` (its `ts`) is null until it is posted. */
export interface Place {
  readonly channel: string;
  readonly message: string | null;
}

/** An event for a record. `body` is the feature's own JSON text. */
export interface Signal {
  /** Unique within the record: a signal whose id is already in the inbox is not added again. */
  readonly id: string;
  readonly at: number;
  readonly body: string;
}

export interface StoredRecord {
  /** `<shard>-<random>`: opaque, safe in URLs and in Slack. */
  readonly id: string;
  readonly kind: string;
  /** The feature's own JSON text. */
  readonly data: string;
  readonly lane: Lane;
  /** null: nothing is left to do. */
  readonly dueAt: number | null;
  readonly place: Place | null;
  readonly uniqueKey: string | null;
  /** Names of the lists it is on. */
  readonly lists: readonly string[];
}

export interface NewRecord {
  readonly kind: string;
  readonly data: string;
  readonly lane: Lane;
  /** How long from now it becomes due. */
  readonly dueInMs: number;
  readonly place: Place | null;
  /** Unique among living records. Must not contain a secret in plain text. */
  readonly uniqueKey?: string;
  /**
   * Names of the lists it is on until a save changes them or finishes it; see `Store.list`. Without white space and
   * "=".
   */
  readonly lists?: readonly string[];
  readonly audit?: readonly NewAuditEntry[];
}

/**
 * Proof that the caller holds a record. The token is random, and every save replaces it (`renewed.ts`), so that a
 * rewound store rejects holders whose saves it lost.
 */
export interface Lease {
  readonly id: string;
  readonly token: string;
}

/** A record leased to the caller, with the signals from its inbox, oldest first. */
export interface Held {
  /** As last renewed by the holder. */
  lease: Lease;
  readonly record: StoredRecord;
  readonly inbox: readonly Signal[];
  /** How many times it was leased since a save last made progress, including this time. */
  readonly claims: number;
  /** The store's time when the lease was given. */
  readonly now: number;
}

export type Created =
  | { readonly kind: 'created'; readonly id: string; readonly now: number; readonly held?: Held }
  | { readonly kind: 'exists'; readonly record: StoredRecord };

export type Signalled =
  | { readonly kind: 'leased'; readonly held: Held }
  | { readonly kind: 'queued' }
  /** It arrived before, with `once`, and was handled: nothing is added or due. */
  | { readonly kind: 'known' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'mismatch' };

export interface SignalOptions {
  /** Where the click came from: `mismatch` unless the record's message is there. */
  readonly place?: { readonly channel: string; readonly message: string };
  /** Take the lease if the record is free. Otherwise it becomes due now, in the lane `people`. */
  readonly hold: boolean;
  /** Remember the id for `KNOWN_MS`, even after the signal was handled: a repeated delivery counts once. */
  readonly once?: boolean;
}

export interface Change {
  /** null: data and place are unchanged (cheaper). */
  readonly data: string | null;
  /** Ids of the signals that `data` includes; they are removed from the inbox. */
  readonly handled: readonly string[];
  readonly place: Place | null;
  /** All lists the record is on from now on; absent: unchanged (free). */
  readonly lists?: readonly string[];
  readonly audit: readonly NewAuditEntry[];
  /** An effect follows that cannot be looked up: answer only when the write is as durable as `create` makes it. */
  readonly durable?: boolean;
  readonly next:
    | { readonly kind: 'keep' }
    /** Nothing to do before `dueAt`. */
    | { readonly kind: 'release'; readonly lane: Lane; readonly dueAt: number }
    /**
     * Nothing to do at all; the record leaves its lists, and is removed with its unique key after `keepMs` unless it is
     * saved again.
     */
    | { readonly kind: 'finish'; readonly keepMs: number };
}

export type Saved =
  | {
      readonly kind: 'saved';
      /** False if unread signals made the caller keep the lease in spite of `release` or `finish`. */
      readonly released: boolean;
      /** Signals that arrived since and are not handled yet, oldest first. */
      readonly inbox: readonly Signal[];
      readonly now: number;
    }
  | { readonly kind: 'lost' };

/**
 * What happened to which record, and who did it. Never contains a token; other people's text only in titles of requests,
 * in why a route was closed, and in delivered sentences that quote it.
 */
export interface NewAuditEntry {
  /** Dotted, feature first: `approvals.ballot`. */
  readonly action: string;
  readonly record: string | null;
  /** A Slack user id, `os:user@host` of a command line, a source's id, or `gatepost`. */
  readonly actor: string;
  readonly facts: Readonly<Record<string, string | number | boolean | null>>;
}

export interface AuditEntry extends NewAuditEntry {
  readonly id: string;
  readonly at: number;
}

/** An entry's stored text: action, record or '', actor, facts as JSON, signature or ''. */
export type AuditText = readonly [
  action: string,
  record: string,
  actor: string,
  facts: string,
  mac: string,
];

/** A stored entry with its place in its shard's chain; see `audit-chain.ts`. */
export interface KeptAuditEntry {
  /** Counts from 1, the first entry ever written in the shard. */
  readonly seq: number;
  readonly at: number;
  readonly text: AuditText;
  readonly link: string;
}

/** An entry's position in its shard. */
export type AuditPlace = Pick<KeptAuditEntry, 'at' | 'seq'>;

/** All entries of a shard up to this one, which has this link. */
export interface SealedPart extends AuditPlace {
  readonly shard: number;
  readonly link: string;
}

/** The audit log of one shard, as far as retention has left it. */
export interface AuditChain {
  readonly shard: number;
  /** Approximately the time in this shard. */
  readonly now: number;
  readonly hash: 'sha1' | 'sha256';
  /** The last entry that retention removed; without any: 0, and the link before the first entry. */
  readonly anchor: { readonly seq: number; readonly link: string };
  /** The last written entry, as noted next to the log. */
  readonly head: { readonly seq: number; readonly link: string };
  /** When it was written. */
  readonly lastAt: number;
  /** In order, starting with the first entry at or after `from`. */
  entries(options?: {
    readonly from?: AuditPlace;
    /** How many are read at once. */
    readonly page?: number;
  }): AsyncIterable<KeptAuditEntry>;
  /** The last entry from before that time; undefined: none. */
  lastBefore(at: number): Promise<AuditPlace | undefined>;
}

/** Unavailable or refusing servers of a Cluster are left out: claim again soon. */
export interface Claimed {
  readonly held: readonly Held[];
  readonly now: number;
  /** When the next record of this lane is due (leased ones: when their lease ends); null: never. */
  readonly nextDueAt: number | null;
  /** The number of scheduled records in this lane. */
  readonly size: number;
}

export interface ListPiece {
  /** A cursor from `Listed`; anything else starts at the beginning. */
  readonly after?: string | undefined;
  /** At least 1. */
  readonly limit: number;
  /** The last one added comes first. */
  readonly newestFirst?: boolean;
}

export interface Listed {
  readonly entries: readonly {
    readonly record: StoredRecord;
    /** The cursor to continue after this record. */
    readonly cursor: string;
  }[];
  /** The cursor of the next page; null: this was the last. */
  readonly next: string | null;
}

export interface StoreOverview {
  readonly now: number;
  /** In the order requested. `firstAt`: null for an empty list. */
  readonly lists: readonly { readonly count: number; readonly firstAt: number | null }[];
  /** When the first record of each lane is due, leased ones when their lease ends; null: none. */
  readonly firstDueAt: Readonly<Record<Lane, number | null>>;
}

/** Counting stops here. */
export const COUNTED_MOST = 10_000;

export interface Rate {
  readonly intervalMs: number;
  readonly burst: number;
  readonly onlyNow?: boolean;
  /** With `onlyNow`: joins a queue, if the slot would come later or others are queued. */
  readonly joinsLine?: boolean;
}

/** Slots shared by all replicas; while their server in a Cluster is unavailable, each process has its own. */
export interface RateLimiter {
  /**
   * Reserves the next slot for something that all replicas together may do once per `intervalMs`, with `burst` slots at
   * once after a rest (GCRA). Returns in how many milliseconds the slot comes, 0 for now; the caller has it, and need
   * not ask again. With `onlyNow`, a slot that would come later is not reserved, so that it delays nobody: ask again
   * then. With `joinsLine` too, the time to ask again is a turn of its own behind all who joined before; it does not
   * delay anybody's slot.
   */
  pace(name: string, rate: Rate): Promise<number>;
  /** Slots at `name` reserved from now on come after `forMs` (a longer pause already set stays). */
  pause(name: string, forMs: number): Promise<void>;
}

export interface Store extends RateLimiter, AsyncDisposable {
  /** For logs: `redis`, `embedded` or `memory`. */
  readonly name: string;
  /**
   * Stores a new record, or returns the one that holds the unique key. With `hold` the new record is leased to the
   * caller. Interactive: throws StoreError within 1.5 s.
   */
  create(record: NewRecord, options: { readonly hold: boolean }): Promise<Created>;
  /** Puts a signal into a record's inbox, in one step and one round trip. Interactive. */
  signal(
    id: string,
    signal: { readonly id: string; readonly body: string },
    options: SignalOptions,
  ): Promise<Signalled>;
  /** Leases up to `limit` due records of a lane to the caller, earliest due first. */
  claim(lane: Lane, limit: number): Promise<Claimed>;
  /**
   * Saves the holder's data, removes handled signals, adds audit entries, and renews or ends the lease, in one step.
   * The next save uses the lease from `renewed`. After a save without an answer it is not known whether it was renewed:
   * the previous lease stays valid until the next save.
   */
  save(lease: Lease, change: Change): Promise<Saved>;
  /**
   * Releases a record unchanged, due at `dueAt`: no data is written, no signal handled, and the count of claims
   * continues. For a worker that could not make progress.
   */
  defer(lease: Lease, dueAt: number): Promise<'deferred' | 'lost'>;
  read(id: string): Promise<StoredRecord | undefined>;
  /** The record that holds a unique key. */
  find(uniqueKey: string): Promise<StoredRecord | undefined>;
  /**
   * Records on any of these lists, in the order they were added. Fewer than `limit` results, or none, do not mean the
   * end. Records that stay on their lists are returned once for each of them.
   */
  list(names: readonly string[], piece: ListPiece): Promise<Listed>;

  /**
   * How many records are on each of these lists and since when the first one, and since when records are due. One round
   * trip per shard; its cost does not depend on the number of records.
   */
  overview(lists: readonly string[]): Promise<StoreOverview>;

  put(key: string, value: string, lifetimeMs: number): Promise<void>;
  /** True when the key was free and is now the caller's. */
  putIfAbsent(key: string, value: string, lifetimeMs: number): Promise<boolean>;
  /** Replaces the value only if it is `from`; true if it was: of several simultaneous callers, one succeeds. */
  replace(key: string, from: string, to: string, lifetimeMs: number): Promise<boolean>;
  get(key: string): Promise<string | undefined>;
  /** Reads and removes. */
  take(key: string): Promise<string | undefined>;

  /**
   * Writes a separate audit entry that belongs to no save, as durably as `create`; returns its id. Interactive: throws
   * StoreError within 1.5 s. `checkpointOf`: it is a checkpoint of the log up to there, written only if that is still
   * in the log (otherwise `unavailable`: a failover may have lost it). Later entries of this process in the shard name
   * it in their signatures.
   */
  writeAudit(
    entry: NewAuditEntry,
    options?: { readonly checkpointOf?: SealedPart },
  ): Promise<string>;
  /** Audit entries without checkpoints, oldest first. */
  readAudit(filter: {
    readonly record?: string;
    readonly sinceAt?: number;
    readonly limit?: number;
  }): AsyncIterable<AuditEntry>;

  /** The number of shards of the audit log, counted from 0. */
  auditShards(): number;
  /** The chain of a shard, to verify that its part of the audit log is complete. */
  auditChain(shard: number): Promise<AuditChain>;
  /**
   * Removes audit entries of a shard, oldest first, up to this one, and stores the new start in the same step. True:
   * some are left for the next call. Entries are never removed otherwise.
   */
  removeAudit(shard: number, upTo: AuditPlace): Promise<boolean>;

  /** The time in the store, as far as this process knows. */
  now(): number;
  /**
   * Since when this process has been writing to its current server or folder: since its start, or the first write after
   * another server took over. An older record may have lost its last saves, by a failover or a restored backup; known
   * before such a record is leased.
   */
  servingSince(): number;
  /** When another server, or a new run of it, last took over while this process was writing. 0: never. */
  wentBackAt(): number;
  /**
   * Writes a small value to every shard, as durably as `create`; as a `trial`, larger than any approval, if that
   * matters on a full disk. Returns the part that failed; null: none. Throws StoreError when the store accepts no
   * writes at all.
   */
  ping(options?: { readonly trial?: boolean }): Promise<Away | null>;
}

/** The part of a store on several servers that accepts no writes, while the others do. */
export interface Away {
  readonly shards: number;
  readonly ofShards: number;
  /** Their addresses, `host:port`, as far as known. */
  readonly servers: readonly string[];
  /** The failure of one of them. */
  readonly error: StoreError;
}

/** What a store is out of, in words that follow its name. */
export const SHORTAGE = {
  disk: 'its disk is full, or at its limit',
  memory: 'its memory is full',
  saving: 'it cannot save to its disk',
} as const;

type Shortage = (typeof SHORTAGE)[keyof typeof SHORTAGE];

/** The store failed. `unavailable`: certainly not done. `unknown`: sent without an answer; it may have been done. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: 'unavailable' | 'unknown';
  /** Why, if the store said that it is out of something; the message ends with it. */
  readonly shortage: Shortage | undefined;
  constructor(
    code: 'unavailable' | 'unknown',
    message: string,
    { shortage, ...options }: ErrorOptions & { readonly shortage?: Shortage | undefined } = {},
  ) {
    super(shortage === undefined ? message : `${message}: ${shortage}`, options);
    this.code = code;
    this.shortage = shortage;
  }

  /** As the failure of a step that only reads. */
  get facts(): FailureFacts {
    return { class: 'not-sent', code: 'store_away' };
  }
}

/** The store's setup does not work with this version. No other store is used instead. */
export class StoreConfigError extends StoreError {
  /** What to do, as a sentence. */
  readonly fix: string;
  constructor(message: string, fix: string) {
    super('unavailable', message);
    this.fix = fix;
  }
}

/**
 * The form of the stored data, noted at the first start. A change that the previous version cannot read increments it.
 */
export const FORM = 1;

/** undefined: a new store, or one of version 0.1, which had the same form but noted nothing. */
export function checkForm(found: number | undefined): void {
  if (found === undefined || found === FORM) return;
  throw new StoreConfigError(
    `its records are kept in format ${found}, and this version of Gatepost only knows format ${FORM}`,
    'Go back to the version that wrote them, or have it finish what is open and set REDIS_URL or DATA_DIR to an empty store for this one.',
  );
}

/** The calls that use the store itself; others answer from memory, or in pieces. */
export const STORE_CALLS = [
  'create',
  'signal',
  'claim',
  'save',
  'defer',
  'read',
  'find',
  'list',
  'overview',
  'put',
  'putIfAbsent',
  'replace',
  'get',
  'take',
  'pace',
  'pause',
  'writeAudit',
  'removeAudit',
  'ping',
] as const satisfies readonly (keyof Store)[];

/** How long a lease lasts with the default timing; every save renews it. */
export const LEASE_MS = TRUE_TIME.leaseMs;
/**
 * How long a signal with `once` is remembered. Longer than Slack's signature is accepted: five minutes after its time,
 * which may itself be five minutes ahead.
 */
export const KNOWN_MS = 15 * 60_000;
/** After this many claims without progress, a record is leased less and less often (see `retryInMs`). */
export const PATIENT_CLAIMS = 10;
const MAX_RETRY_MS = 3_600_000;

/**
 * When a record whose holder went silent is leased again: after its lease, and after growing waits (1 min doubling to 1
 * h) once it was leased `PATIENT_CLAIMS` times without progress.
 */
export function retryInMs(claims: number): number {
  if (claims < PATIENT_CLAIMS) return LEASE_MS;
  return Math.min(60_000 * 2 ** (claims - PATIENT_CLAIMS), MAX_RETRY_MS);
}

/** The logger of the stores; pino fits. */
export interface StoreLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}
