import { formatProblems, readStoreConfig } from '../../core/config/read-config.ts';
import type { EncryptionKey } from '../../core/config/values.ts';
import type { System } from '../../core/lib/system.ts';
import { signatureChecker } from '../../core/store/audit-chain.ts';
import { visitStore } from '../../core/store/open-store.ts';
import {
  type AuditEntry,
  type Store,
  StoreConfigError,
  StoreError,
} from '../../core/store/store.ts';
import { EXIT, type ExitCode, OutputError, type Terminal, unwrittenCode } from '../terminal.ts';

/** A visit to the bot's store, also while the bot is running. */
export interface Visit {
  readonly terminal: Terminal;
  readonly store: Store;
  readonly check: ReturnType<typeof signatureChecker>;
  readonly system: System;
  readonly keys: readonly EncryptionKey[];
}

export interface Json {
  readonly json?: true;
}

/** The file to compare with cannot be read. */
export class AgainstError extends Error {
  override readonly name = 'AgainstError';
}

/** Runs a verb with the store, and reports why it failed. */
export async function inStore(
  terminal: Terminal,
  system: System,
  verb: (visit: Visit) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { env, stderr } = terminal;
  const read = readStoreConfig(env);
  if (!read.ok) {
    stderr.write(formatProblems(read.problems));
    return EXIT.usage;
  }
  let store: Store | null = null;
  try {
    store = await visitStore(read.config, system);
    if (store === null) {
      stderr.write(
        "There is no Gatepost store here. Set REDIS_URL or DATA_DIR to the bot's values.\n",
      );
      return EXIT.notDone;
    }
    const { keys } = read.config;
    return await verb({ terminal, store, check: signatureChecker(keys), system, keys });
  } catch (error) {
    if (error instanceof OutputError) return unwrittenCode(error);
    if (terminal.signal.aborted && error === terminal.signal.reason) {
      stderr.write('Interrupted: not all entries were written.\n');
      return EXIT.interrupted;
    }
    if (error instanceof StoreConfigError) {
      stderr.write(`Cannot read the store: ${error.message}. ${error.fix}\n`);
      return EXIT.usage;
    }
    if (error instanceof AgainstError) {
      stderr.write(`${error.message}\n`);
      return EXIT.usage;
    }
    if (!(error instanceof StoreError)) throw error;
    stderr.write(`Cannot read the store (REDIS_URL, DATA_DIR): ${error.message}.\n`);
    return EXIT.notDone;
  } finally {
    await store?.[Symbol.asyncDispose]();
  }
}

export const READING = 'Reading the audit log';
/** How many entries are read in one turn of the event loop, and written together. */
export const TURN = 1_000;

/** Yields the entries until interrupted. */
export async function* readEntries(
  { store, system, terminal }: Visit,
  filter: Parameters<Store['readAudit']>[0],
): AsyncGenerator<AuditEntry> {
  let read = 0;
  for await (const entry of store.readAudit(filter)) {
    read += 1;
    // A folder is read synchronously, and signals are handled only between turns of the event loop.
    if (read % TURN === 0) await system.timers.sleep(0);
    // A truncated export would look complete.
    terminal.signal.throwIfAborted();
    yield entry;
  }
}

export function countText(entries: number): string {
  return entries === 1 ? '1 entry' : `${entries} entries`;
}

/** To the second, in UTC, because entries come from several machines. */
export function timeText(at: number): string {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}
