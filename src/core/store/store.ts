/**
 * What Gatepost needs of a place to keep records.
 *
 * A record is due at a time, has an inbox for signals, and is worked on by whoever holds its lease.
 * Three implementations pass one set of contract tests: `redis/`, `embedded/` and `memory/`.
 * All times are milliseconds since the epoch on the store's own clock.
 */

import type { FailureFacts } from '../lib/failure.ts';
import { TRUE_TIME } from '../lib/timing.ts';

/** What people wait for, and background polling: neither may starve the other. */
export type Lane = 'people' | 'background';

/** Where a record's message stands in Slack; `message` (its `ts`) is null until a post is known. */
export interface Place {
  readonly channel: string;
  readonly message: string | null;
}

/** Something that happened to a record. `body` is the feature's own JSON text. */
export interface Signal {
  /** Unique within the record: a signal whose id waits in the inbox already is not added again. */
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
  /** Names of the lists that it stands on. */
  readonly lists: readonly string[];
}

export interface NewRecord {
  readonly kind: string;
  readonly data: string;
  readonly lane: Lane;
  /** How long from now until the record is due. */
  readonly dueInMs: number;
  readonly place: Place | null;
  /** No two living records share it. It must hold no secret in clear. */
  readonly uniqueKey?: string;
  /**
   * Names of the lists that it stands on until a save says otherwise or finishes it; see `Store.list`.
   * No white space and no "=" in them.
   */
  readonly lists?: readonly string[];
  readonly audit?: readonly NewAuditEntry[];
}

/**
 * Proof that the caller holds a record. The token is random, and each save makes it another one (`renewed.ts`), so that a
 * store that went back accepts nobody of whose saves it has lost one.
 */
export interface Lease {
  readonly id: string;
  readonly token: string;
}

/** A record in the caller's hands, with the signals that waited in its inbox, oldest first. */
export interface Held {
  /** As the holder last renewed it. */
  lease: Lease;
  readonly record: StoredRecord;
  readonly inbox: readonly Signal[];
  /** How often the record was leased since a save last made progress, this time included. */
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
  /** It came before, with `once`, and was handled: nothing is added, and nothing is due. */
  | { readonly kind: 'known' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'mismatch' };

export interface SignalOptions {
  /** Where the click came from: refused as `mismatch` unless it is where the record's message stands. */
  readonly place?: { readonly channel: string; readonly message: string };
  /** Take the lease if the record is free. Without it the record becomes due now in the lane `people`. */
  readonly hold: boolean;
  /** The id is known for `KNOWN_MS`, even once the signal was handled: what is delivered twice is one. */
  readonly once?: boolean;
}

export interface Change {
  /** null: data and place are unchanged (cheaper). */
  readonly data: string | null;
  /** Ids of the signals that `data` has taken in; they leave the inbox. */
  readonly handled: readonly string[];
  readonly place: Place | null;
  /** All lists that the record stands on from now on; absent: as before, which costs nothing. */
  readonly lists?: readonly string[];
  readonly audit: readonly NewAuditEntry[];
  /** An effect follows that cannot be looked up: answered only when it is as safe as `create` makes it. */
  readonly durable?: boolean;
  readonly next:
    | { readonly kind: 'keep' }
    /** Nothing to do before `dueAt`. */
    | { readonly kind: 'release'; readonly lane: Lane; readonly dueAt: number }
    /**
     * Nothing to do at all; the record leaves its lists, and it and its unique key go after `keepMs`
     * without a further save.
     */
    | { readonly kind: 'finish'; readonly keepMs: number };
}

export type Saved =
  | {
      readonly kind: 'saved';
      /** False when unread signals kept the lease in the caller's hands in spite of `release` or `finish`. */
      readonly released: boolean;
      /** Signals that came in since and are not handled yet, oldest first. */
      readonly inbox: readonly Signal[];
      readonly now: number;
    }
  | { readonly kind: 'lost' };

/**
 * What happened, to which record, by whom. Never a token; other people's text only as far as a sentence
 * that was delivered quotes it.
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

/** The text of an entry, as the stores keep it: action, record or '', actor, facts as JSON, signature or ''. */
export type AuditText = readonly [
  action: string,
  record: string,
  actor: string,
  facts: string,
  mac: string,
];

/** An entry to the letter, with its place in the chain of its shard; see `audit-chain.ts`. */
export interface KeptAuditEntry {
  /** 1 is the first that was ever written in the shard. */
  readonly seq: number;
  readonly at: number;
  readonly text: AuditText;
  readonly link: string;
}

/** Where an entry stands in its shard. */
export type AuditPlace = Pick<KeptAuditEntry, 'at' | 'seq'>;

/** All entries of a shard up to this one, which has this link. */
export interface SealedPart extends AuditPlace {
  readonly shard: number;
  readonly link: string;
}

/** The audit log of one shard, from what retention has left. */
export interface AuditChain {
  readonly shard: number;
  /** About what time it is in this shard. */
  readonly now: number;
  readonly hash: 'sha1' | 'sha256';
  /** The entry that retention removed last; without any: 0, and what the first entry follows. */
  readonly anchor: { readonly seq: number; readonly link: string };
  /** The entry that was written last, as it was noted beside the log. */
  readonly head: { readonly seq: number; readonly link: string };
  /** When that was. */
  readonly lastAt: number;
  /** In the order in which they stand; `from`: the first that is wanted, or what stands behind its place. */
  entries(options?: {
    readonly from?: AuditPlace;
    /** How many are read at once. */
    readonly page?: number;
  }): AsyncIterable<KeptAuditEntry>;
  /** The last entry from before that time; undefined: there is none. */
  lastBefore(at: number): Promise<AuditPlace | undefined>;
}

/** Servers of a Cluster that were away, or gave nothing, are left out: look again soon. */
export interface Claimed {
  readonly held: readonly Held[];
  readonly now: number;
  /** When the next record of this lane is due (leased ones: when their lease ends); null: never. */
  readonly nextDueAt: number | null;
  /** Records of this lane that are due at some time. */
  readonly size: number;
}

export interface ListPiece {
  /** What a `Listed` gave; anything else is the beginning. */
  readonly after?: string | undefined;
  /** At least 1. */
  readonly limit: number;
  /** The one put on last comes first. */
  readonly newestFirst?: boolean;
}

export interface Listed {
  readonly entries: readonly {
    readonly record: StoredRecord;
    /** What stands behind it begins here. */
    readonly cursor: string;
  }[];
  /** Where the next piece begins; null: this was the last. */
  readonly next: string | null;
}

export interface StoreOverview {
  readonly now: number;
  /** In the order in which they were asked for. `firstAt`: null where nothing is on it. */
  readonly lists: readonly { readonly count: number; readonly firstAt: number | null }[];
  /** When the first record of each lane is due, leased ones when their lease ends; null: none ever. */
  readonly firstDueAt: Readonly<Record<Lane, number | null>>;
}

/** Counting stops here. */
export const COUNTED_MOST = 10_000;

export interface Rate {
  readonly intervalMs: number;
  readonly burst: number;
  readonly onlyNow?: boolean;
  /** With `onlyNow`: joins a line, one after the other, where the slot would come later or others wait in it. */
  readonly joinsLine?: boolean;
}

/** Slots that all replicas share; in a Cluster, while their server is away, each process has slots of its own. */
export interface RateLimiter {
  /**
   * Takes the next slot at something that all replicas together may do once per `intervalMs`, with
   * `burst` slots at once after a rest (GCRA). Gives in how many milliseconds the slot comes, 0 for
   * now; it is the caller's, who then goes on without asking again. With `onlyNow` a slot that would
   * come later is not taken, so that it delays nobody: ask again then. With `joinsLine` as well, when to
   * ask again is a turn of its own behind all who joined before; nobody waits for a slot because of it.
   */
  pace(name: string, rate: Rate): Promise<number>;
  /** Slots at `name` that are taken from now on come after `forMs` (a longer pause already set stays). */
  pause(name: string, forMs: number): Promise<void>;
}

export interface Store extends RateLimiter, AsyncDisposable {
  /** For logs: `redis`, `embedded` or `memory`. */
  readonly name: string;
  /**
   * Stores a new record, or answers with the one that holds the unique key. With `hold` the new
   * record is already leased to the caller. Interactive: throws StoreError within 1.5 s.
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
   * Writes the holder's view, drops handled signals, adds audit entries, renews or ends the lease: one step. The next
   * save is made with the lease as `renewed` gives it. Where no answer came nobody knows whether it was renewed: the
   * lease from before that save is good until then.
   */
  save(lease: Lease, change: Change): Promise<Saved>;
  /**
   * Gives a record back untouched, due at `dueAt`: no data is written, no signal handled, and the
   * count of claims goes on. For a worker that could not make progress.
   */
  defer(lease: Lease, dueAt: number): Promise<'deferred' | 'lost'>;
  read(id: string): Promise<StoredRecord | undefined>;
  /** The record that holds a unique key. */
  find(uniqueKey: string): Promise<StoredRecord | undefined>;
  /**
   * Records that stand on one of these lists, the one put on longest ago first. Fewer than `limit`, or
   * none, do not mean the end. Those that stay where they are come once, for each list they are on.
   */
  list(names: readonly string[], piece: ListPiece): Promise<Listed>;

  /**
   * How many records stand on each of these lists and since when the first one, and since when records
   * are due. One round trip a shard; what it costs does not grow with the records.
   */
  overview(lists: readonly string[]): Promise<StoreOverview>;

  put(key: string, value: string, lifetimeMs: number): Promise<void>;
  /** True when the key was free and is now the caller's. */
  putIfAbsent(key: string, value: string, lifetimeMs: number): Promise<boolean>;
  /** Puts `to` only where `from` is now; true when it did: of many who replace the same, one does. */
  replace(key: string, from: string, to: string, lifetimeMs: number): Promise<boolean>;
  get(key: string): Promise<string | undefined>;
  /** Reads and removes. */
  take(key: string): Promise<string | undefined>;

  /**
   * Writes an audit entry of its own, for what no record keeps, as safely as `create` writes; gives
   * the entry's id. Interactive: throws StoreError within 1.5 s. `checkpointOf`: it is a checkpoint of the
   * log up to there, written only where that still is so (else `unavailable`: a failover may have lost it).
   * What this process writes in the shard from then on names it in its signature.
   */
  writeAudit(
    entry: NewAuditEntry,
    options?: { readonly checkpointOf?: SealedPart },
  ): Promise<string>;
  /** Audit entries but for checkpoints, oldest first. */
  readAudit(filter: {
    readonly record?: string;
    readonly sinceAt?: number;
    readonly limit?: number;
  }): AsyncIterable<AuditEntry>;

  /** In how many shards the audit log is: 0 and so on. */
  auditShards(): number;
  /** The chain of a shard, by which it is seen whether its part of the audit log is whole. */
  auditChain(shard: number): Promise<AuditChain>;
  /**
   * Removes audit entries of a shard, oldest first, up to this one, and keeps where the rest begins in the
   * same step. True: some of them are left, for the next call. Entries go in no other way.
   */
  removeAudit(shard: number, upTo: AuditPlace): Promise<boolean>;

  /** What time it is in the store, as far as this process knows. */
  now(): number;
  /**
   * Since when this process writes to the server, or folder, that it writes to now: its start, or the
   * first write after another one took over. An older record may have lost its last saves, by a failover
   * or a restored backup; known before such a record is given out.
   */
  servingSince(): number;
  /** When that last happened while this process wrote: another server, or life of it, took over. 0: never. */
  wentBackAt(): number;
  /**
   * Writes something small to every shard, as safely as `create` does; as a `trial` more than any approval takes, where
   * a full disk tells them apart. Gives what took none of it; null: nothing. Throws StoreError when the store takes no
   * writes at all now.
   */
  ping(options?: { readonly trial?: boolean }): Promise<Away | null>;
}

/** The part of a store on several servers that takes no writes, while the others do. */
export interface Away {
  readonly shards: number;
  readonly ofShards: number;
  /** Where they are, `host:port`, as far as that is known. */
  readonly servers: readonly string[];
  /** Why, of one of them. */
  readonly error: StoreError;
}

/**
 * The store could not do it.
 * `unavailable`: certainly not done. `unknown`: sent, no answer; it may have been done.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: 'unavailable' | 'unknown';
  constructor(code: 'unavailable' | 'unknown', message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** As the failure of a step that only asked for something. */
  get facts(): FailureFacts {
    return { class: 'not-sent', code: 'store_away' };
  }
}

/** The store is not one that this version can use as it is set up. No other one is used instead. */
export class StoreConfigError extends StoreError {
  /** What to do, a sentence. */
  readonly fix: string;
  constructor(message: string, fix: string) {
    super('unavailable', message);
    this.fix = fix;
  }
}

/**
 * The form in which everything is kept, as each store notes it at its first start. Whoever changes it so that the
 * version before cannot read it counts on.
 */
export const FORM = 1;

/** undefined: the store has none yet, or is of version 0.1, which kept the same and noted nothing. */
export function checkForm(found: number | undefined): void {
  if (found === undefined || found === FORM) return;
  throw new StoreConfigError(
    `its records are kept in format ${found}, and this version of Gatepost only knows format ${FORM}`,
    'Go back to the version that wrote them, or have it finish what is open and set REDIS_URL or DATA_DIR to an empty store for this one.',
  );
}

/** The calls that ask the store itself; the others answer from memory, or piece by piece. */
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

/** How long a lease lasts, unless it is opened with another timing; every save renews it. */
export const LEASE_MS = TRUE_TIME.leaseMs;
/**
 * How long a signal that came with `once` is known. Longer than Slack's signature is accepted: five
 * minutes after its time, which may itself be five minutes ahead.
 */
export const KNOWN_MS = 15 * 60_000;
/** After this many claims without progress, a record is handed out less and less often (see `retryInMs`). */
export const PATIENT_CLAIMS = 10;
const MAX_RETRY_MS = 3_600_000;

/**
 * When a record whose holder went silent is handed out again: after its lease, and later each time (1 min
 * doubling to 1 h) once it was leased `PATIENT_CLAIMS` times without progress.
 */
export function retryInMs(claims: number): number {
  if (claims < PATIENT_CLAIMS) return LEASE_MS;
  return Math.min(60_000 * 2 ** (claims - PATIENT_CLAIMS), MAX_RETRY_MS);
}

/** What the stores log with; pino fits. */
export interface StoreLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}
