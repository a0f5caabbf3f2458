import { mkdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pid } from 'node:process';
import type { System } from '../../lib/system.ts';
import type { SignAudit } from '../audit-chain.ts';
import { checkForm, LEASE_MS, type Store, StoreError, type StoreLogger } from '../store.ts';
import { createTableStore } from '../tables/table-store.ts';
import { causeOf, EmbeddedBackend, shortageIn } from './embedded-backend.ts';
import { checkFolder, DATA, writeMarker } from './folder-check.ts';
import { leaveFolder, takeFolder } from './folder-guard.ts';
import { countOf, type FolderTables, openTables } from './tables.ts';

export interface EmbeddedStoreOptions extends System {
  /** Created if missing. */
  readonly folder: string;
  /** Without it, audit entries are not signed. */
  readonly signAudit?: SignAudit;
  readonly leaseMs?: number;
  /** False for a short visit while another process runs on the folder. */
  readonly guard?: boolean;
  readonly logger?: StoreLogger;
}

/**
 * Opens the store in a folder. Throws FolderInUseError when another process runs on it, StoreConfigError when its form
 * is unknown, and StoreError `unavailable` when it cannot be created, read or written, or its file is missing or
 * damaged.
 */
export async function createEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store> {
  const tables = await openFolder(options);
  let close = () => tables.root.close();
  try {
    checkForm(tables.form.get('form'));
    if (options.guard !== false) close = await takeForAWhile(tables, options);
  } catch (error) {
    await close();
    const shortage = shortageIn(error);
    if (shortage === undefined) throw error;
    throw new StoreError('unavailable', 'it cannot be written to', { cause: error, shortage });
  }
  const backend = new EmbeddedBackend({
    tables,
    ...{ clock: options.clock, timers: options.timers, random: options.random },
    leaseMs: options.leaseMs ?? LEASE_MS,
    signAudit: options.signAudit ?? (() => ''),
    isInPlace: await placeOf(options.folder),
    hasRoom: async () => (await statfs(options.folder)).bavail > 0,
    close,
  });
  return createTableStore(backend);
}

/** Returns a check whether the opened file is still the one at its path. */
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
    const shortage = shortageIn(cause);
    throw new StoreError('unavailable', whyUnusable(cause), { cause, shortage });
  }
}

/** Creates parent folders too. Node's own `recursive` never returns where folders cannot be created, as in /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) await makeFolder(above);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it.
    if (!(await isFolder(folder))) throw error;
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** The reader knows the folder. */
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
 * On a full disk, LMDB's memory-mapped lock file would kill the process with a signal, unless its space is already
 * allocated. Rejects when there is no space.
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

/** Returns a function that leaves the folder. */
async function takeForAWhile(
  tables: FolderTables,
  { folder, logger, clock, timers }: EmbeddedStoreOptions,
): Promise<() => Promise<void>> {
  const me = takeFolder(tables, pid);
  const mark = (records: number, isClosed: boolean) =>
    // Without it the next start reads the whole file.
    writeMarker(folder, { at: clock.now(), records, isClosed }).catch((error: unknown) => {
      logger?.warn({ folder, err: error }, 'the data folder could not be marked');
    });
  await mark(countOf(tables.records), false);
  return async () => {
    const records = countOf(tables.records);
    // A process that cannot remove its note is still recognized as gone.
    await leaveFolder(tables, me).catch((error: unknown) => causeOf(error, timers));
    await tables.root.close();
    await mark(records, true);
  };
}
