import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import timersPromises from 'node:timers/promises';

/**
 * The product and the sandbox take time, timers, randomness and the network as arguments. The libraries below them
 * (Bolt, Slack's client, pino, zod) do not: in a simulation's thread the globals are replaced before any of them is
 * loaded. Time and timers are simulated; randomness and the network, which nobody should use except through the
 * arguments, throw.
 */
export interface WorldTime {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
}

/** The real one, kept before it is replaced. */
const realImmediate = setImmediate;

/** Node polls the machine once in this many turns: nothing comes from there. */
const TURNS_AT_ONCE = 256;

/** Calls `turn` until it returns `last`, each time once no promise can continue. Rejects with what it throws. */
export function turns(turn: () => 'more' | 'last'): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const end = (finish: () => void) => {
      isOver = true;
      finish();
    };
    const take = (): void => {
      if (isOver) return;
      try {
        if (turn() === 'last') end(resolve);
      } catch (error) {
        end(() => reject(error));
      }
    };
    const takeMany = (): void => {
      if (isOver) return;
      for (let count = 1; count < TURNS_AT_ONCE; count += 1) realImmediate(take);
      realImmediate(takeMany);
      take();
    };
    realImmediate(takeMany);
  });
}

let world: WorldTime | null = null;

/** From here on, until `leaveWorld`, time is simulated. One world at a time in a thread. */
export function enterWorld(time: WorldTime): void {
  if (world !== null) throw new Error('A world is already running in this thread');
  world = time;
}

export function leaveWorld(): void {
  world = null;
}

/** Replaces the globals of this thread. Call it once, before importing what is simulated. */
export function closeThread(): void {
  const RealDate = Date;
  const real = {
    now: RealDate.now.bind(RealDate),
    monotonic: performance.now.bind(performance),
    random: Math.random.bind(Math),
    setTimeout,
    setImmediate,
    setInterval,
    clearTimeout,
    timeout: AbortSignal.timeout.bind(AbortSignal),
  };

  class WorldDate extends RealDate {
    // as: accepts what Date accepts; without arguments it is now
    constructor(...given: [] | [number]) {
      super(...((given.length === 0 ? [WorldDate.now()] : given) as [number]));
    }
    static override now(): number {
      return world === null ? real.now() : world.now();
    }
  }
  const epoch = real.now();

  Object.assign(globalThis, {
    Date: WorldDate,
    setTimeout: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      world === null ? real.setTimeout(run, ms, ...args) : worldTimer(run, ms, args),
    setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) =>
      world === null ? real.setImmediate(run, ...args) : worldTimer(run, 0, args),
    setInterval: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      if (world !== null) throw new Error('Nothing here repeats for ever: setInterval');
      return real.setInterval(run, ms, ...args);
    },
    clearTimeout: (timer: unknown) => {
      if (timer instanceof WorldTimer) timer.cancel();
      // as: whatever else Node accepts and ignores
      else real.clearTimeout(timer as NodeJS.Timeout);
    },
    fetch: fails('fetch'),
  });
  performance.now = () => (world === null ? real.monotonic() : world.now() - epoch);
  Math.random = () => {
    if (world !== null) throw new Error('Chance past the seed: Math.random');
    return real.random();
  };
  AbortSignal.timeout = (ms) => {
    if (world === null) return real.timeout(ms);
    const controller = new AbortController();
    const abort = () => controller.abort(new DOMException('Too late', 'TimeoutError'));
    world.after(ms, abort);
    return controller.signal;
  };
  net.Socket.prototype.connect = fails('a connection');
  const chance = [
    [crypto, ['randomBytes', 'randomUUID', 'randomFillSync', 'randomInt']],
    [crypto.webcrypto, ['getRandomValues', 'randomUUID']],
  ] as const;
  for (const [owner, names] of chance) {
    for (const name of names) {
      // as: the function with this name, called as its caller does
      const own = Reflect.get(owner, name) as (...args: never[]) => unknown;
      Object.assign(owner, {
        [name]: (...args: never[]) => {
          if (world !== null) throw new Error(`Chance past the seed: crypto.${name}`);
          return own.apply(owner, args);
        },
      });
    }
  }
  // Node checks signatures in other threads, whose time is not the world's.
  const { subtle } = crypto.webcrypto;
  const verify: typeof subtle.verify = subtle.verify.bind(subtle);
  subtle.verify = async (algorithm, key, signature, data) => {
    if (world === null) return verify(algorithm, key, signature, data);
    // as: what jose gives: bytes
    const [signed, given] = [data as Uint8Array, signature as Uint8Array];
    return crypto.verify(null, signed, crypto.KeyObject.from(key), given);
  };
  Object.assign(timersPromises, { setTimeout: fails('timers/promises') });
  syncBuiltinESMExports();
}

class WorldTimer {
  readonly cancel: () => void;
  constructor(cancel: () => void) {
    this.cancel = cancel;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
}

function worldTimer(run: (...args: unknown[]) => void, ms: number, args: unknown[]): WorldTimer {
  return new WorldTimer(world?.after(ms, () => run(...args)) ?? (() => {}));
}

function fails(what: string): () => never {
  return () => {
    throw new Error(`Nothing leaves a simulated world: ${what}`);
  };
}
