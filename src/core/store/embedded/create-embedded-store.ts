import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pid } from 'node:process';
import type { System } from '../../lib/system.ts';
import type { SignAudit } from '../audit-chain.ts';
import { checkForm, LEASE_MS, type Store, StoreError, type StoreLogger } from '../store.ts';
import { createTableStore } from '../tables/table-store.ts';
import { causeOf, EmbeddedBackend } from './embedded-backend.ts';
import { checkFolder, DATA, writeMarker } from './folder-check.ts';
import { leaveFolder, takeFolder } from './folder-guard.ts';
import { countOf, type FolderTables, openTables } from './tables.ts';

export interface EmbeddedStoreOptions extends System {
  /** Made when it is not there. */
  readonly folder: string;
  /** Without it audit entries are not signed. */
  readonly signAudit?: SignAudit;
  readonly leaseMs?: number;
  /** False for a short visit beside the process that runs on the folder. */
  readonly guard?: boolean;
  readonly logger?: StoreLogger;
}

/**
 * Opens the store in a folder. Throws FolderInUseError when another process runs on it, StoreConfigError
 * when it is kept in a form that is not known, and StoreError
 * `unavailable` when it cannot be made, read or written, or its file is missing or damaged.
 */
export async function createEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store> {
  const tables = await openFolder(options);
  let close = () => tables.root.close();
  try {
    checkForm(tables.form.get('form'));
    if (options.guard !== false) close = await takeForAWhile(tables, options);
  } catch (error) {
    await close();
    throw error;
  }
  const backend = new EmbeddedBackend({
    tables,
    ...{ clock: options.clock, timers: options.timers, random: options.random },
    leaseMs: options.leaseMs ?? LEASE_MS,
    signAudit: options.signAudit ?? (() => ''),
    isInPlace: await placeOf(options.folder),
    close,
  });
  return createTableStore(backend);
}

/** Whether the file that was opened is still the one in its place. */
async function placeOf(folder: string): Promise<() => Promise<boolean>> {
  const now = () =>
    stat(join(folder, DATA)).then(
      ({ dev, ino }) => `${dev} ${ino}`,
      () => null,
    );
  const opened = await now();
  return async () => (await now()) === opened;
}

async function openFolder({
  folder,
  guard = true,
  logger,
}: EmbeddedStoreOptions): Promise<FolderTables> {
  try {
    await makeFolder(folder);
    await checkFolder(folder, { visit: !guard, logger });
    await checkRoom(folder);
    return openTables(folder);
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError('unavailable', whyUnusable(cause), { cause });
  }
}

/** With those above it. Node's own `recursive` never ends where none can be made, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) await makeFolder(above);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!(await isFolder(folder))) throw error;
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Who reads it knows the folder. */
function whyUnusable(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '', syscall, message }: NodeJS.ErrnoException = error;
  const known = syscall === 'mkdir' && code === 'ENOENT' ? 'it cannot be made' : UNUSABLE[code];
  return known === undefined ? message.replace(/, (mkdir|open) .*/s, '') : `${known} (${code})`;
}

const NO_FOLDER = 'it, or something on its path, is not a folder';
const UNUSABLE: Readonly<Record<string, string>> = {
  EEXIST: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  EROFS: 'its file system is read-only',
};

const LOCKS = 'lock.mdb';
const ROOM_BYTES = 65_536;

/**
 * LMDB writes the file of its locks through memory: on a full disk that ends the process by a signal
 * without a word, unless the file has its room already. Rejects where there is none.
 */
async function checkRoom(folder: string): Promise<void> {
  const known = await stat(join(folder, LOCKS)).catch(() => undefined);
  if (known !== undefined && known.blocks > 0) return;
  const path = join(folder, `${LOCKS}.new`);
  try {
    await writeFile(path, Buffer.alloc(ROOM_BYTES), { mode: 0o600, flush: true });
  } finally {
    await rm(path, { force: true });
  }
}

/** Gives what leaves the folder. */
async function takeForAWhile(
  tables: FolderTables,
  { folder, logger, clock, timers }: EmbeddedStoreOptions,
): Promise<() => Promise<void>> {
  const me = takeFolder(tables, pid);
  const mark = (records: number, isClosed: boolean) =>
    // Without it the next start reads the file through.
    writeMarker(folder, { at: clock.now(), records, isClosed }).catch((error: unknown) => {
      logger?.warn({ folder, err: error }, 'the data folder could not be marked');
    });
  await mark(countOf(tables.records), false);
  return async () => {
    const records = countOf(tables.records);
    // Who cannot leave its note is known to be gone all the same.
    await leaveFolder(tables, me).catch((error: unknown) => causeOf(error, timers));
    await tables.root.close();
    await mark(records, true);
  };
}
