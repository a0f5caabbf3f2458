import { formatProblems, readPeopleConfig } from '../../core/config/read-config.ts';
import { type Connect, connectThrough } from '../../core/http/exchange.ts';
import { type System, system } from '../../core/lib/system.ts';
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

/** Longer waits are worth a word. */
const WORTH_SAYING_MS = 2_000;
/** Requests that may go out at once after a rest. */
const BURST = 30;

/** What the verbs work with. */
export interface Session {
  readonly terminal: Terminal;
  readonly output: Output;
  readonly system: System;
  readonly timing: Timing;
  readonly users: UserFinder;
  /** Page after page, without a second try. */
  readonly pages: UserPages;
  readonly waiting: PersistNeeds;
  /** For what is sent by `carryOut`, which waits itself: only counted, so that what is looked up waits. */
  readonly calls: AccountCalls;
  /** The bot's store, opened when it is first needed; null: there is none. Throws StoreError. */
  readonly store: () => Promise<Store | null>;
  /** The same; where there is none, one in memory, and that is said. */
  readonly records: () => Promise<Store>;
}

export interface SessionOptions {
  readonly json?: boolean;
  /** How many requests a minute the service is asked; without it as many as it answers. */
  readonly perMinute?: number;
}

/** Runs a verb with what it needs, and says why it could not when it could not. */
export async function inSession(
  terminal: Terminal,
  options: SessionOptions & { readonly timing: Timing },
  verb: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const read = readPeopleConfig(terminal.env);
  if (!read.ok) {
    terminal.stderr.write(formatProblems(read.problems));
    return EXIT.usage;
  }
  const { service, proxies } = read.config;
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
  const slots = rateLimit(options.perMinute, waiting.sleep);
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
    timing: options.timing,
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

function rateLimit(perMinute: number | undefined, wait: (ms: number) => Promise<void>) {
  const intervalMs = perMinute === undefined ? 0 : 60_000 / perMinute;
  let nextAt = Number.NEGATIVE_INFINITY;
  /** Takes a slot, and gives in how many milliseconds it comes. */
  const take = () => {
    const now = system.clock.monotonic();
    const waitMs = nextAt - now;
    nextAt = Math.max(now - BURST * intervalMs, nextAt) + intervalMs;
    return waitMs;
  };
  return {
    turnsMs: (requests: number) =>
      Math.max(0, nextAt - system.clock.monotonic()) + requests * intervalMs,
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
        // That of a lookup has room for many turns, of which none is left to this request.
        const own = deadline && { ...deadline, ms: Math.min(deadline.ms, FIND_MS) };
        return connections.send(wire, { ...limits, deadline: own });
      },
      close: () => connections.close(),
    };
  };
}

/** What a verb ends with that ended before its end. */
export function endCode(error: unknown): ExitCode {
  return error instanceof StoreConfigError ? EXIT.usage : EXIT.notDone;
}

/** Why a verb ended before its end. Throws again what nobody expects. */
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
