import { setTimeout as sleep } from 'node:timers/promises';
import { troubleOf, troubleSentence } from '../../accounts/trouble.ts';
import { formatProblems, readPeopleConfig } from '../../config/read-config.ts';
import { systemClock } from '../../lib/clock.ts';
import { createServiceClient, type UsersClient } from '../../service/service-client.ts';
import { visitStore } from '../../store/open-store.ts';
import { type Store, StoreError } from '../../store/store.ts';
import { createOutput, type Output } from './output.ts';
import { type PatientUsers, type PersistNeeds, patientUsers } from './patient-users.ts';
import { EXIT, type ExitCode, type Terminal } from './terminal.ts';

/** Longer waits are worth a word. */
const WORTH_SAYING_MS = 2_000;
/** Requests that may go out at once after a rest. */
const BURST = 30;

/** What the verbs work with. */
export interface Session {
  readonly terminal: Terminal;
  readonly output: Output;
  readonly users: PatientUsers;
  /** Page after page, without a second try. */
  readonly pages: Pick<UsersClient, 'pages'>;
  readonly waiting: PersistNeeds;
  /** Opened when it is first needed; null: there is none. Throws StoreError. */
  readonly store: () => Promise<Store | null>;
  /** The same. */
  readonly audit: () => Promise<AuditLog>;
}

export interface SessionOptions {
  readonly json?: boolean;
  /** How many requests a minute the service is asked; without it as many as it answers. */
  readonly perMinute?: number;
}

/** Runs a verb with what it needs, and says why it could not when it could not. */
export async function inSession(
  terminal: Terminal,
  options: SessionOptions,
  verb: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const read = readPeopleConfig(terminal.env);
  if (!read.ok) {
    terminal.stderr.write(formatProblems(read.problems));
    return EXIT.usage;
  }
  const { service, store: settings } = read.config;
  const output = createOutput(terminal, options);
  const client = createServiceClient({ ...service, clock: systemClock });
  const opened: AsyncDisposable[] = [client];
  const { users } = client;
  if (users === null) throw new Error('the configuration has a token');
  const waiting: PersistNeeds = {
    sleep: (ms) => sleep(ms, undefined, { signal: terminal.signal }),
    onWait: (ms) => {
      if (ms > WORTH_SAYING_MS) {
        output.note(`The service asks to wait ${Math.ceil(ms / 1000)} seconds.`);
      }
    },
  };
  const slot = rateLimit(options.perMinute, waiting.sleep);
  const store = once(async () => {
    const visited = await visitStore(settings, { clock: systemClock });
    if (visited !== null) opened.push(visited);
    return visited;
  });
  const audit = once(async () => {
    const visited = await store();
    if (visited !== null) return auditLogIn(visited, terminal);
    output.note(
      'There is no store of Gatepost here (REDIS_URL, DATA_DIR): this is not noted in its audit log.',
    );
    return NO_AUDIT_LOG;
  });
  const session: Session = {
    terminal,
    output,
    users: patientUsers(users, { ...waiting, slot, signal: terminal.signal }),
    pages: users,
    waiting,
    store,
    audit,
  };
  try {
    return await verb(session);
  } catch (error) {
    output.note(endSentence(error, terminal));
    return EXIT.notDone;
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
  return async () => {
    const now = systemClock.monotonic();
    const waitMs = nextAt - now;
    nextAt = Math.max(now - BURST * intervalMs, nextAt) + intervalMs;
    if (waitMs > 0) await wait(waitMs);
  };
}

/** Why a verb ended before its end. Throws again what nobody expects. */
export function endSentence(error: unknown, { signal }: Pick<Terminal, 'signal'>): string {
  if (signal.aborted) return 'Interrupted.';
  if (error instanceof StoreError) {
    return 'The audit log cannot be written (REDIS_URL, DATA_DIR): without it nothing is changed.';
  }
  return troubleSentence(troubleOf(error));
}

type Facts = Readonly<Record<string, string | number | boolean | null>>;

/** The bot's audit log: what somebody is about to do at the command line, and what came of it. */
interface AuditLog {
  /** Before a change is sent. Throws StoreError: then it must not be. */
  attempt(action: string, facts: Facts): Promise<Attempt>;
}

export interface Attempt {
  /** Throws StoreError. */
  ended(facts: Facts): Promise<void>;
}

/** Nothing is noted anywhere. */
const NO_AUDIT_LOG: AuditLog = {
  attempt: async () => ({ ended: async () => {} }),
};

/** The actor is `os:` and the operating system's user: no Slack id, and no source's, looks like that. */
function auditLogIn(
  store: Pick<Store, 'writeAudit'>,
  { user, host }: Pick<Terminal, 'user' | 'host'>,
): AuditLog {
  const actor = `os:${user}`;
  return {
    async attempt(action, facts) {
      const entry = { action: `${action}.attempt`, actor, facts: { ...facts, host } };
      const attempt = await store.writeAudit({ ...entry, record: null });
      return {
        ended: async (result) => {
          const all = { ...facts, ...result, attempt };
          await store.writeAudit({ action: `${action}.result`, record: null, actor, facts: all });
        },
      };
    },
  };
}
