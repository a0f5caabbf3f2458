import type { Logger } from 'pino';
import { startApp } from '../../src/app/app.ts';
import type { Config } from '../../src/core/config/config.ts';
import type { ReadConfig } from '../../src/core/config/read-config.ts';
import type { Connect } from '../../src/core/http/exchange.ts';
import type { HttpListener, ListenerOptions } from '../../src/core/http/listener.ts';
import type { System } from '../../src/core/lib/system.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import type { Store } from '../../src/core/store/store.ts';
import type { Chance } from './chance.ts';
import type { Scheduler } from './scheduler.ts';

/** One for all: most deadlines pass when nobody waits any more. */
const TOO_LATE = new DOMException('Too late', 'TimeoutError');

interface ReplicaNeeds {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  /** Milliseconds since the epoch, on everybody else's clock. */
  readonly now: () => number;
  readonly config: Config;
  readonly logger: Logger;
  readonly connect: (replica: Replica) => Connect;
  readonly openStore: (replica: Replica) => Store;
}

/**
 * One process of Gatepost: all of it, as `startApp` assembles it, with a clock, timers, a store and a network that die
 * with it. Everything reaches it through `later`: a killed process does nothing any more, so its promises never
 * resolve, and a stopped one continues afterwards.
 */
export class Replica {
  readonly name: string;
  readonly #needs: ReplicaNeeds;
  #state: 'starting' | 'up' | 'dead' = 'starting';
  /** What arrived while it was stopped; null: it runs. */
  #held: (() => void)[] | null = null;
  /** How far its clock is off. */
  clockOffMs = 0;
  #listener: ListenerOptions | null = null;
  #app: Awaited<ReturnType<typeof startApp>> | null = null;

  constructor(needs: ReplicaNeeds) {
    this.name = needs.name;
    this.#needs = needs;
  }

  get isStarting(): boolean {
    return this.#state === 'starting';
  }

  get isDead(): boolean {
    return this.#state === 'dead';
  }

  /** Its handler of requests; null: it does not listen. */
  get listener(): ListenerOptions | null {
    return this.#state === 'dead' ? null : this.#listener;
  }

  /** Rejects if it could not start. */
  async start(): Promise<void> {
    const { config, logger, connect, openStore } = this.#needs;
    this.#app = await startApp({
      ...this.#system(),
      config,
      timing: TRUE_TIME,
      logger,
      version: 'simulated',
      connect: connect(this),
      openStore: async () => openStore(this),
      listen: async (options) => this.#listen(options),
    });
    this.#state = 'up';
  }

  /** Its rules are replaced, as by SIGHUP: by those that are there when the signal reaches it. */
  reload(read: () => ReadConfig): void {
    this.later(0, () => void this.#app?.reload(read()));
  }

  kill(): void {
    this.#state = 'dead';
    this.#held = null;
    this.#listener = null;
  }

  /** As SIGSTOP does: it stops, while all clocks go on. */
  pause(): void {
    this.#held ??= [];
  }

  /** What waited happens now, in the order of arrival. */
  resume(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const run of held) this.later(0, run);
  }

  get isPaused(): boolean {
    return this.#held !== null;
  }

  /** Something reaches the process, or is due in it. Returns a function that cancels it. */
  later(ms: number, run: () => void): () => void {
    let isOff = false;
    const go = () => {
      if (isOff || this.isDead) return;
      if (this.#held === null) run();
      else this.#held.push(go);
    };
    const cancel = this.#needs.scheduler.after(ms, go);
    return () => {
      isOff = true;
      cancel();
    };
  }

  #listen(options: ListenerOptions): HttpListener {
    this.#listener = options;
    return {
      url: `http://${this.name}`,
      port: 80,
      stop: async () => {
        this.#listener = null;
      },
    };
  }

  #system(): System {
    const { scheduler, chance, now } = this.#needs;
    const after = (ms: number, run: () => void) => this.later(ms, run);
    return {
      clock: { now: () => now() + this.clockOffMs, monotonic: () => scheduler.now },
      random: chance.random(),
      timers: {
        after,
        sleep: (ms, signal) => sleep(after, ms, signal),
        deadline(ms) {
          const controller = new AbortController();
          after(ms, () => controller.abort(TOO_LATE));
          return controller.signal;
        },
      },
    };
  }
}

function sleep(
  after: (ms: number, run: () => void) => () => void,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
