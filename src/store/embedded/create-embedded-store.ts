import { mkdir } from 'node:fs/promises';
import { pid } from 'node:process';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { randomBytes } from '../../lib/random-bytes.ts';
import type { RandomBytes } from '../record-id.ts';
import { LEASE_MS, type Store, StoreError } from '../store.ts';
import { EmbeddedStore } from './embedded-store.ts';
import { leaveFolder, takeFolder } from './folder-guard.ts';
import { openTables, type Tables } from './tables.ts';

export interface EmbeddedStoreOptions {
  /** Made when it is not there. */
  readonly folder: string;
  readonly clock?: Clock;
  readonly randomBytes?: RandomBytes;
  /** How long audit entries are kept. */
  readonly auditMs: number;
  readonly leaseMs?: number;
  /** False for a short visit beside the process that runs on the folder. */
  readonly guard?: boolean;
}

/**
 * Opens the store in a folder. Throws FolderInUseError when another process runs on it, and StoreError
 * when the folder cannot be made, read or written.
 */
export async function createEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store> {
  const tables = await openFolder(options.folder);
  let leave = async () => {};
  if (options.guard !== false) {
    try {
      const me = takeFolder(tables, pid);
      leave = () => leaveFolder(tables, me);
    } catch (error) {
      await tables.root.close();
      throw error;
    }
  }
  return new EmbeddedStore({
    tables,
    clock: options.clock ?? systemClock,
    randomBytes: options.randomBytes ?? randomBytes,
    leaseMs: options.leaseMs ?? LEASE_MS,
    auditMs: options.auditMs,
    leave,
  });
}

async function openFolder(folder: string): Promise<Tables> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return openTables(folder);
  } catch (cause) {
    // Who reads of it knows the folder.
    const said = cause instanceof Error ? cause.message.replace(/, mkdir .*/s, '') : String(cause);
    throw new StoreError('unavailable', said, { cause });
  }
}
