import type { Redis } from 'ioredis';
import type { Timers } from '../../lib/timers.ts';
import { StoreError, type StoreLogger } from '../store.ts';
import { ANSWER_MS, closeConnection, requireDatabase } from './link.ts';

/** When a write counts: once it is in the server's file on disk, or on this many replicas. */
export type Confirm = 'aof' | { readonly replicas: number };

/** The confirmations of all servers. */
export class Confirmations {
  readonly #confirm: Confirm;
  readonly #timers: Timers;
  readonly #logger: StoreLogger;
  readonly #byServer = new Map<Redis, Confirmation>();
  #failing = false;

  constructor(confirm: Confirm, timers: Timers, logger: StoreLogger) {
    this.#confirm = confirm;
    this.#timers = timers;
    this.#logger = logger;
  }

  /**
   * Resolves when everything `server` has acknowledged is confirmed. Throws StoreError `unknown` when it is not within
   * `withinMs`, or the server is gone (undefined).
   */
  async confirm(
    operation: string,
    server: Redis | undefined,
    marker: string,
    withinMs: number,
  ): Promise<void> {
    let cancel = () => {};
    try {
      if (server === undefined) throw new Error('not connected');
      const late = new Promise<never>((_, reject) => {
        cancel = this.#timers.after(withinMs, () => reject(new Error('late')));
      });
      await Promise.race([this.#of(server).confirm(marker), late]);
      this.#note(true);
    } catch {
      this.#note(false);
      throw new StoreError('unknown', `${operation}: not confirmed by Redis`);
    } finally {
      cancel();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byServer.values()].map((each) => each.close()));
  }

  #of(server: Redis): Confirmation {
    const known = this.#byServer.get(server);
    if (known !== undefined) return known;
    const confirmation = new Confirmation(server, this.#confirm, this.#timers, ANSWER_MS);
    this.#byServer.set(server, confirmation);
    server.once('end', () => {
      this.#byServer.delete(server);
      void confirmation.close();
    });
    return confirmation;
  }

  /** Logs once when confirmations start to fail, and once when they work again. */
  #note(works: boolean): void {
    if (works !== this.#failing) return;
    this.#failing = !works;
    if (works) this.#logger.info({}, 'Redis confirms writes again');
    else this.#logger.warn({}, 'Redis does not confirm writes: see REDIS_CONFIRM');
  }
}

/**
 * While a confirmation is in flight, the next one is sent this much later, on a connection of its own. A server that
 * flushes once a second delays each of them by up to a second; one after the other they would take two.
 */
const SPREAD_MS = 250;

interface Batch {
  /** A key on the server, to be written. */
  readonly marker: string;
  readonly runId: string;
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Waits until writes acknowledged by one server are confirmed as configured. WAIT and WAITAOF cover only their own
 * connection's writes, and block it; so each confirmation writes a marker on a separate connection, and waits for that.
 * Everything the server acknowledged earlier precedes the marker in the same stream.
 */
export class Confirmation {
  readonly #server: Redis;
  readonly #confirm: Confirm;
  readonly #timers: Timers;
  readonly #answerMs: number;
  /** Idle connections. */
  readonly #idle: Redis[] = [];
  readonly #open = new Set<Redis>();
  /** The batch being collected. */
  #next: Batch | undefined;
  #underWay = 0;
  #cancelLeaving = () => {};
  #closed = false;

  /** `answerMs`: the longest time a confirmation may take. */
  constructor(server: Redis, confirm: Confirm, timers: Timers, answerMs: number) {
    this.#server = server;
    this.#confirm = confirm;
    this.#timers = timers;
    this.#answerMs = answerMs;
  }

  /**
   * Call it immediately after a write was acknowledged, with a key of the same hash tag. Resolves when the write is
   * confirmed; rejects when that is not known.
   */
  async confirm(marker: string): Promise<void> {
    const runId = await runIdOf(this.#server);
    if (this.#next?.runId !== runId) this.#begin(marker, runId);
    return this.#next?.done;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelLeaving();
    this.#next?.reject(new Error('closed'));
    await Promise.all([...this.#open].map(closeConnection));
  }

  /** A batch for another run of the server is sent first. */
  #begin(marker: string, runId: string): void {
    this.#leave();
    const { promise: done, ...settle } = withResolvers();
    this.#next = { marker, runId, done, ...settle };
    if (this.#closed) settle.reject(new Error('closed'));
    else if (this.#underWay === 0) setImmediate(() => this.#leave());
    else this.#cancelLeaving = this.#timers.after(SPREAD_MS, () => this.#leave());
  }

  #leave(): void {
    this.#cancelLeaving();
    const batch = this.#next;
    this.#next = undefined;
    if (batch === undefined || this.#closed) return;
    this.#underWay += 1;
    this.#ask(batch)
      .then(batch.resolve, batch.reject)
      .finally(() => {
        this.#underWay -= 1;
        if (this.#underWay === 0) this.#leave();
      });
  }

  async #ask({ marker, runId }: Batch): Promise<void> {
    const lane = this.#idle.pop() ?? (await this.#openLane());
    try {
      // Another server, or another run of this one, may lack what was acknowledged.
      if ((await runIdOf(lane)) !== runId) throw new Error('the server has changed');
      const written = lane.set(marker, '');
      const reached =
        this.#confirm === 'aof'
          ? this.#waitForFile(lane)
          : this.#waitFor(lane, this.#confirm.replicas);
      await Promise.all([written, reached]);
    } catch (error) {
      this.#open.delete(lane);
      lane.disconnect();
      throw error;
    }
    this.#idle.push(lane);
  }

  async #waitForFile(lane: Redis): Promise<void> {
    const answer = await lane.call('WAITAOF', 1, 0, this.#answerMs);
    if (!Array.isArray(answer) || Number(answer[0]) < 1) throw new Error('not in the file');
  }

  async #waitFor(lane: Redis, replicas: number): Promise<void> {
    const reached = await lane.call('WAIT', replicas, this.#answerMs);
    if (Number(reached) < replicas) throw new Error('not on the replicas');
  }

  /** A broken connection is not reopened: what it waited for is unknown. */
  async #openLane(): Promise<Redis> {
    const lane = this.#server.duplicate({
      lazyConnect: true,
      enableOfflineQueue: false,
      retryStrategy: () => null,
      sentinelRetryStrategy: () => null,
      connectTimeout: this.#answerMs,
    });
    requireDatabase(lane);
    lane.on('end', () => {
      this.#open.delete(lane);
      const at = this.#idle.indexOf(lane);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    this.#open.add(lane);
    await lane.connect();
    return lane;
  }
}

function withResolvers() {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // An abandoned promise must not become an unhandled rejection.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** By the connection's stream. */
const runIds = new WeakMap<object, Promise<string>>();

/**
 * Which run of which server a connection leads to; asked once for each connection. Rejects when the server does not
 * say.
 */
export async function runIdOf(redis: Redis): Promise<string> {
  const { stream } = redis;
  const asked = runIds.get(stream) ?? askRunId(redis);
  runIds.set(stream, asked);
  asked.catch(() => runIds.delete(stream));
  const runId = await asked;
  if (redis.stream !== stream) throw new Error('the connection was lost');
  return runId;
}

async function askRunId(redis: Redis): Promise<string> {
  const [, runId] = /^run_id:(\w+)/m.exec(await redis.info('server')) ?? [];
  if (runId === undefined) throw new Error('the server does not tell its run_id');
  return runId;
}
