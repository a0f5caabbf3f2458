import type { Cluster, Redis } from 'ioredis';
import type { Clock } from '../../lib/clock.ts';
import { parseRedisAddress } from '../../lib/redis-address.ts';
import type { System } from '../../lib/system.ts';
import type { Timers } from '../../lib/timers.ts';
import { type Away, StoreConfigError, StoreError, type StoreLogger } from '../store.ts';
import { type Confirm, Confirmations } from './confirmation.ts';
import { createLink, untilReady } from './create-link.ts';
import { clockKeyFor } from './keys.ts';
import { ANSWER_MS, type Link } from './link.ts';
import { loadScripts, type ScriptName } from './load-scripts.ts';
import { notConnected, redisFailure } from './redis-failure.ts';
import { type Life, ServerLives } from './server-lives.ts';
import { speaksTls } from './speaks-tls.ts';
import { StoreTime } from './store-time.ts';

/**
 * A write that arrives at the server later than this is refused: earlier than its caller gives up, by more than the
 * error in our estimate of the server's time.
 */
const WRITE_WITHIN_MS = 1_400;

const TLS_QUESTION = 'Is this a TLS port? Then REDIS_URL starts with rediss';

export type Argument = string | number;
type ScriptCommand = (keyCount: number, ...keysAndArguments: Argument[]) => Promise<unknown>;

interface ConnectionNeeds extends System {
  /** For `parseRedisAddress`. */
  readonly url: string;
  readonly logger: StoreLogger;
  readonly leaseMs: number;
  readonly readyMs: number;
}

/**
 * The connection to one Redis server, or to each node of a Cluster. A command is sent immediately and once, or not at
 * all; connections are always reopened. All methods throw StoreError.
 */
export class RedisConnection implements AsyncDisposable {
  readonly #link: Link;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #logger: StoreLogger;
  /** By server and clock key: each shard has its own time. */
  readonly #times = new WeakMap<Redis, Map<string, StoreTime>>();
  readonly #turnEnd = new TurnEnd();
  readonly #corked = new Set<Redis['stream']>();
  readonly #lives: ServerLives;
  #confirmations: Confirmations | undefined;

  private constructor(link: Link, { clock, timers, random, logger }: ConnectionNeeds) {
    this.#link = link;
    this.#clock = clock;
    this.#timers = timers;
    this.#lives = new ServerLives(random);
    this.#logger = logger;
  }

  /**
   * Throws StoreError `unavailable` when not every server is ready within `readyMs`, and StoreConfigError when the
   * database is refused.
   */
  static async open(needs: ConnectionNeeds): Promise<RedisConnection> {
    const { logger, timers, readyMs } = needs;
    const scripts = await loadScripts(needs);
    const address = parseRedisAddress(needs.url);
    const link = createLink(address, { scripts, logger, connectTimeoutMs: readyMs });
    const connection = new RedisConnection(link, needs);
    try {
      await untilReady(link, timers, readyMs);
      await connection.ping();
    } catch (error) {
      await link.close();
      const isPlain = !address.tls && !(error instanceof StoreConfigError);
      if (!isPlain || !(error instanceof StoreError)) throw error;
      if (!(await speaksTls(address.hosts[0], timers))) throw error;
      throw new StoreError('unavailable', `${error.message}. ${TLS_QUESTION}`);
    }
    link.onReady((node) => {
      for (const time of connection.#times.get(node)?.values() ?? []) time.forget();
    });
    return connection;
  }

  /** From now on `write` with a marker waits for confirmation. */
  confirmWith(confirm: Confirm): void {
    this.#confirmations = new Confirmations(confirm, this.#timers, this.#logger);
  }

  /** Whether records are spread over several servers. */
  get isCluster(): boolean {
    return this.#link.commands.isCluster;
  }

  /**
   * Runs a script that answers with a list whose second item is the store's time. Its last key is the one that holds
   * that time.
   */
  async run(
    name: ScriptName,
    keys: readonly string[],
    args: readonly Argument[],
  ): Promise<readonly unknown[]> {
    // as: ioredis adds a method for each defined command at run time
    const commands = this.#link.commands as unknown as Record<ScriptName, ScriptCommand>;
    const [first = ''] = keys;
    const all = [...keys, clockKeyFor(first)];
    const time = this.#timeOf(this.#nodeOf(name, first), first);
    const sentAt = this.#clock.monotonic();
    const answer = await this.send(name, first, () => commands[name](all.length, ...all, ...args));
    if (!Array.isArray(answer)) throw new StoreError('unknown', `${name}: unreadable answer`);
    time.learn(sentAt, Number(answer[1]));
    return answer;
  }

  /**
   * Runs a script whose first argument is the time after which it refuses to write: once the caller gives up, the write
   * has either happened or never will. With a `marker`, a key of the same hash tag, also waits for confirmation, as
   * configured.
   */
  async write(
    name: 'create' | 'signal' | 'lease' | 'save' | 'defer' | 'audit',
    keys: readonly string[],
    args: readonly Argument[],
    marker?: string,
  ): Promise<readonly unknown[]> {
    const startedAt = this.#clock.monotonic();
    const [first = ''] = keys;
    const answer = await this.#noticing(name, first, (time) =>
      this.run(name, keys, [time.in(WRITE_WITHIN_MS), ...args]),
    );
    if (answer[0] === 'late') throw new StoreError('unavailable', `${name}: came too late`);
    if (marker !== undefined) await this.#confirmed(name, marker, startedAt);
    return answer;
  }

  /** Calls at the end of the next turn of the event loop: more that arrives until then can be sent with it. */
  atNextTurnsEnd<T>(call: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      setImmediate(() => this.#turnEnd.add(() => void call().then(resolve, reject)));
    });
  }

  /** Sends a command about a key with ioredis, if there is a connection for it. */
  async send<T>(
    operation: string,
    key: string | undefined,
    command: (redis: Redis | Cluster) => Promise<T>,
  ): Promise<T> {
    this.#corkForThisTurn(this.#nodeOf(operation, key));
    try {
      return await command(this.#link.commands);
    } catch (error) {
      throw redisFailure(operation, error);
    }
  }

  /** Asks every server that accepts writes. */
  async askEach<T>(operation: string, ask: (server: Redis) => Promise<T>): Promise<readonly T[]> {
    if (!this.#link.isReady()) throw this.#away(operation);
    try {
      return await Promise.all(this.#link.nodes().map(ask));
    } catch (error) {
      throw error instanceof StoreError ? error : redisFailure(operation, error);
    }
  }

  /** See `Store`. */
  get servingSince(): number {
    return this.#lives.servingSince;
  }

  /** See `Store`. */
  get wentBackAt(): number {
    return this.#lives.wentBackAt;
  }

  /**
   * Notes which server holds each of these keys, before anything is written. If that cannot be learned now, the first
   * server that is written to counts as a different one.
   */
  async noteLives(keys: readonly string[]): Promise<void> {
    await Promise.all(
      keys.map(async (key) => {
        const node = this.#link.nodeOf(key);
        if (node !== undefined) this.#lives.note(this.#tagOf(key), await this.#lives.learn(node));
      }),
    );
  }

  /** Writes, and notices a change of server or its run before the answer is returned. */
  async #noticing<T>(
    operation: string,
    key: string,
    write: (time: StoreTime) => Promise<T>,
  ): Promise<T> {
    const node = this.#nodeOf(operation, key);
    const time = this.#timeOf(node, key);
    if (!time.isKnown) await this.learnTime(key);
    const now = () => (time.isKnown ? time.in(0) : this.now());
    const tag = this.#tagOf(key);
    // Commands keep their order: known answers are not awaited.
    this.#notice(tag, this.#lives.of(node) ?? (await this.#lives.learn(node)), now);
    const { stream } = node;
    const answer = await write(time);
    const holder = this.#link.nodeOf(key) ?? node;
    // Redirected: a different server executed it.
    if (holder.stream !== stream) this.#notice(tag, await this.#lives.learn(holder), now);
    return answer;
  }

  #notice(tag: string, life: Life, now: () => number): void {
    if (!this.#lives.notice(tag, life, now)) return;
    this.#logger.warn({}, 'Redis was restarted or replaced: checking what it may have lost');
  }

  #tagOf(key: string): string {
    return this.isCluster ? key.slice(0, key.indexOf('}') + 1) : ONLY;
  }

  /**
   * The store's time in the shard of a key, if known; otherwise the first known shard's: a Cluster's clocks agree well
   * enough.
   */
  now(key?: string): number {
    for (const node of this.#link.nodes()) {
      const times = this.#times.get(node);
      const own = key === undefined ? undefined : times?.get(clockKeyFor(key))?.now;
      if (own !== undefined) return own;
    }
    for (const node of this.#link.nodes()) {
      for (const { now } of this.#times.get(node)?.values() ?? [])
        if (now !== undefined) return now;
    }
    return this.#clock.now();
  }

  /** Reads the time in the shard of a key. */
  async learnTime(key: string): Promise<void> {
    await this.run('store-time', [key], []);
    this.#lives.begin(this.now());
  }

  /** Throws unless every server that accepts writes answers. */
  async ping(): Promise<void> {
    await this.askEach('time', (node) => node.time());
  }

  /**
   * Writes each of these keys, one per shard, and waits for confirmation, as configured. Returns what could not be
   * written; null: nothing. Throws when none could.
   */
  async probe(markers: readonly string[]): Promise<Away | null> {
    const asked = await Promise.allSettled(markers.map((marker) => this.#probeOne(marker)));
    const errors = asked.map((each) => (each.status === 'rejected' ? each.reason : null));
    const [error] = errors.filter((each) => each !== null);
    if (error === undefined) return null;
    const away = markers.filter((_, i) => errors[i] !== null);
    if (!(error instanceof StoreError) || away.length === markers.length) throw error;
    const servers = away.map((marker) => this.#link.addressOf(marker));
    return {
      shards: away.length,
      ofShards: markers.length,
      servers: [...new Set(servers.filter((each) => each !== undefined))],
      error,
    };
  }

  async #probeOne(marker: string): Promise<void> {
    const startedAt = this.#clock.monotonic();
    await this.#noticing('ping', marker, () =>
      this.send('ping', marker, (redis) => redis.set(marker, '')),
    );
    await this.#confirmed('ping', marker, startedAt);
  }

  /** Waits for confirmation of everything acknowledged on the server of `marker`. */
  async #confirmed(operation: string, marker: string, startedAt: number): Promise<void> {
    if (this.#confirmations === undefined) return;
    const leftMs = ANSWER_MS - (this.#clock.monotonic() - startedAt);
    await this.#confirmations.confirm(operation, this.#link.nodeOf(marker), marker, leftMs);
  }

  #timeOf(node: Redis, key: string): StoreTime {
    const times = this.#times.get(node) ?? new Map<string, StoreTime>();
    this.#times.set(node, times);
    const clock = clockKeyFor(key);
    const time = times.get(clock) ?? new StoreTime(this.#clock);
    times.set(clock, time);
    return time;
  }

  #nodeOf(operation: string, key: string | undefined): Redis {
    const node = key === undefined ? undefined : this.#link.nodeOf(key);
    if (node === undefined) throw this.#away(operation);
    return node;
  }

  #away(operation: string): StoreError {
    return this.#link.refusal() ?? notConnected(operation);
  }

  /**
   * Sends all commands of one turn of the event loop with one system call. ioredis's own batching delays commands while
   * a batch is in flight, which would extend the deadline.
   */
  #corkForThisTurn({ stream }: Redis): void {
    if (this.#corked.has(stream)) return;
    this.#corked.add(stream);
    stream.cork();
    this.#turnEnd.add(() => {
      this.#corked.delete(stream);
      stream.uncork();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#link.close(), this.#confirmations?.close()]);
  }
}

/** The tag for all keys of a standalone server. */
const ONLY = '';

/** Runs tasks after the callbacks of this turn of the event loop. */
class TurnEnd {
  #tasks: (() => void)[] = [];

  /** In order; tasks added by a task run in the same turn. */
  add(task: () => void): void {
    if (this.#tasks.push(task) > 1) return;
    setImmediate(() => {
      for (const each of this.#tasks) each();
      this.#tasks = [];
    });
  }
}
