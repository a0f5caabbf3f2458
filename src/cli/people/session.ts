import { formatProblems, readPeopleConfig } from '../../core/config/read-config.ts';
import { type Connect, connectThrough } from '../../core/http/exchange.ts';
import type { System } from '../../core/lib/system.ts';
import type { Timing } from '../../core/lib/timing.ts';
import {
  type AccountCalls,
  createServiceClient,
  type UserFinder,
  type UserPages,
} from '../../core/service/service-client.ts';
import { Memory } from '../../core/store/memory/memory-store.ts';
import { visitStore } from '../../core/store/open-store.ts';
import { type Store, StoreConfigError, StoreError } from '../../core/store/store.ts';
import { troubleOf, troubleSentence } from '../../operations/accounts/trouble.ts';
import { EXIT, type ExitCode, OutputError, type Terminal, unwrittenCode } from '../terminal.ts';
import { createOutput, type Output } from './output.ts';
import { FIND_MS, type PersistNeeds, patientUsers } from './patient-users.ts';

/** Longer waits are reported. */
const WORTH_SAYING_MS = 2_000;
/** How many requests may be sent at once after a rest. */
const BURST = 30;

/** Dependencies of the verbs. */
export interface Session {
  readonly terminal: Terminal;
  readonly output: Output;
  readonly system: System;
  readonly timing: Timing;
  readonly users: UserFinder;
  /** Reads page by page, without retries. */
  readonly pages: UserPages;
  readonly waiting: PersistNeeds;
  /** For `carryOut`, which has its own waits: the calls are only counted, so that look-ups wait. */
  readonly calls: AccountCalls;
  /** The bot's store, opened on first use; null: there is none. Throws StoreError. */
  readonly store: () => Promise<Store | null>;
  /** The same; without one, an in-memory store, with a note. */
  readonly records: () => Promise<Store>;
}

export interface SessionOptions {
  readonly json?: boolean;
  /** The most requests a minute; absent: as many as the service answers. */
  readonly perMinute?: number;
}

/** Runs a verb with its dependencies, and reports why it failed. */
export async function inSession(
  terminal: Terminal,
  options: SessionOptions & { readonly system: System; readonly timing: Timing },
  verb: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const read = readPeopleConfig(terminal.env);
  if (!read.ok) {
    terminal.stderr.write(formatProblems(read.problems));
    return EXIT.usage;
  }
  const { service, proxies } = read.config;
  const { system, timing } = options;
  const connect = connectThrough(proxies);
  const output = createOutput(terminal, options);
  const waiting: PersistNeeds = {
    sleep: (ms) => system.timers.sleep(ms, terminal.signal),
    onWait: (ms) => {
      if (ms > WORTH_SAYING_MS) {
        output.note(`The service asked Gatepost to wait ${Math.ceil(ms / 1000)} seconds.`);
      }
    },
  };
  const slots = rateLimit(options.perMinute, system.clock, waiting.sleep);
  const lookups = createServiceClient({
    ...service,
    ...system,
    connect: withSlots(connect, slots.wait),
  });
  const changes = createServiceClient({
    ...service,
    ...system,
    connect: withSlots(connect, slots.count),
  });
  const opened: AsyncDisposable[] = [lookups, changes];
  const [users, calls] = [lookups.users, changes.users];
  if (users === null || calls === null) throw new Error('the configuration has a token');
  const store = once(async () => {
    const visited = await visitStore(read.config, system);
    if (visited !== null) opened.push(visited);
    return visited;
  });
  const records = once(async () => {
    const visited = await store();
    if (visited !== null && read.config.keys.length === 0) {
      output.note(
        'GATEPOST_KEYS is not set, so this is recorded unsigned in the audit log, and `gatepost audit verify` will report it. Set it to the value that the bot has.',
      );
    }
    if (visited !== null) return visited;
    output.note(
      'There is no Gatepost store here (REDIS_URL, DATA_DIR), so this is not recorded in its audit log.',
    );
    return new Memory(system).openStore();
  });
  const session: Session = {
    terminal,
    output,
    system,
    timing,
    users: patientUsers(users, { ...waiting, signal: terminal.signal, turnsMs: slots.turnsMs }),
    calls,
    pages: users,
    waiting,
    store,
    records,
  };
  try {
    return await verb(session);
  } catch (error) {
    if (error instanceof OutputError) return unwrittenCode(error);
    output.note(endSentence(error, terminal));
    return endCode(error);
  } finally {
    for (const each of opened.reverse()) await each[Symbol.asyncDispose]();
  }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function rateLimit(
  perMinute: number | undefined,
  clock: System['clock'],
  wait: (ms: number) => Promise<void>,
) {
  const intervalMs = perMinute === undefined ? 0 : 60_000 / perMinute;
  let nextAt = Number.NEGATIVE_INFINITY;
  /** Reserves a slot; returns in how many milliseconds it comes. */
  const take = () => {
    const now = clock.monotonic();
    const waitMs = nextAt - now;
    nextAt = Math.max(now - BURST * intervalMs, nextAt) + intervalMs;
    return waitMs;
  };
  return {
    turnsMs: (requests: number) => Math.max(0, nextAt - clock.monotonic()) + requests * intervalMs,
    async count() {
      take();
    },
    async wait() {
      const waitMs = take();
      if (waitMs > 0) await wait(waitMs);
    },
  };
}

/** The network, with a slot for every request: one call may read many pages. */
function withSlots(connect: Connect, slot: () => Promise<void>): Connect {
  return (options) => {
    const connections = connect(options);
    return {
      async send(wire, { deadline, ...limits }) {
        await slot();
        // A look-up's deadline includes waits for many slots; a single request does not need those.
        const own = deadline && { ...deadline, ms: Math.min(deadline.ms, FIND_MS) };
        return connections.send(wire, { ...limits, deadline: own });
      },
      close: () => connections.close(),
    };
  };
}

/** The exit code of a verb that failed. */
export function endCode(error: unknown): ExitCode {
  return error instanceof StoreConfigError ? EXIT.usage : EXIT.notDone;
}

/** Why a verb failed. Rethrows unexpected errors. */
export function endSentence(error: unknown, { signal }: Terminal): string {
  if (signal.aborted) return 'Interrupted.';
  if (error instanceof StoreConfigError) {
    return `This change was not sent, because Gatepost could not record it in its store: ${error.message}. ${error.fix}`;
  }
  if (error instanceof StoreError) {
    return 'This change was not sent, because Gatepost could not record it in its store. Check REDIS_URL and DATA_DIR.';
  }
  return troubleSentence(troubleOf(error));
}
