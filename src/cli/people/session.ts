import { setTimeout as sleep } from 'node:timers/promises';
import { formatProblems, readPeopleConfig } from '../../config/read-config.ts';
import { systemClock } from '../../lib/clock.ts';
import { createServiceClient, type UsersClient } from '../../service/service-client.ts';
import { visitStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import { type AuditLog, auditLogIn, NO_AUDIT_LOG } from './audit-log.ts';
import { endSentence } from './end-sentence.ts';
import { createOutput, type Output } from './output.ts';
import { type PatientUsers, patientUsers } from './patient-users.ts';
import type { PersistNeeds } from './persist.ts';
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
  const turn = turns(options.perMinute, waiting.sleep);
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
    users: patientUsers(users, { ...waiting, turn, signal: terminal.signal }),
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

function turns(perMinute: number | undefined, wait: (ms: number) => Promise<void>) {
  const intervalMs = perMinute === undefined ? 0 : 60_000 / perMinute;
  let nextAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = systemClock.monotonic();
    const waitMs = nextAt - now;
    nextAt = Math.max(now - BURST * intervalMs, nextAt) + intervalMs;
    if (waitMs > 0) await wait(waitMs);
  };
}
