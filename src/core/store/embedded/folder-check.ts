import { type ExecFileException, execFile } from 'node:child_process';
import { open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { StoreError, type StoreLogger } from '../store.ts';

/** LMDB's file. */
export const DATA = 'data.mdb';
/** Records that there was a store, next to its file, which may be missing or damaged. */
const MARKER = 'store.json';

const marker = z.object({
  /** When it was written: at each start and stop. */
  at: z.iso.datetime(),
  records: z.number(),
  /** The file's state after an orderly stop; null while a process runs on it. */
  closed: z.object({ size: z.number(), modifiedMs: z.number() }).nullable(),
});
type Marker = z.infer<typeof marker>;
type State = NonNullable<Marker['closed']>;

/** The file is missing, empty or damaged. The message says what to do. */
export class DamagedFolderError extends StoreError {}

/**
 * Checks the file before LMDB opens it, which kills the process with a signal if it is damaged. Throws
 * DamagedFolderError when it is missing, empty or damaged. A file that changed since an orderly stop, or had none, is
 * read by a separate process, which takes up to some seconds; `visit` skips that.
 */
export async function checkFolder(
  folder: string,
  options: { readonly visit: boolean; readonly logger?: StoreLogger | undefined },
): Promise<void> {
  const [known, state] = await Promise.all([readMarker(folder), stateOf(join(folder, DATA))]);
  const held = known === null ? '' : heldBy(known);
  if (state === null) {
    if (known === null) return;
    throw unusable(`${DATA} is missing from the data folder ${folder}${held}`);
  }
  const is = `${DATA} in the data folder ${folder} is`;
  if (state.size === 0) {
    if (known === null) return;
    throw unusable(`${is} empty${held}`);
  }
  if (!(await hasHeader(join(folder, DATA))))
    throw unusable(`${is} damaged: its beginning is not LMDB's${held}`);
  const { closed } = known ?? {};
  const isSame = closed?.size === state.size && closed.modifiedMs === state.modifiedMs;
  if (isSame || options.visit) return;
  const damage = await readThrough(folder, options.logger);
  if (damage !== null) throw unusable(`${is} damaged: ${damage}${held}`);
}

/** Whether there is, or was, a store in the folder. Throws without permission to look. */
export async function holdsStore(folder: string): Promise<boolean> {
  const found = await Promise.all([DATA, MARKER].map((name) => stateOf(join(folder, name))));
  return found.some((state) => state !== null);
}

/** Written at the start, and after an orderly stop. */
export async function writeMarker(
  folder: string,
  { at, records, isClosed }: { at: number; records: number; isClosed: boolean },
): Promise<void> {
  const closed = isClosed ? await stateOf(join(folder, DATA)) : null;
  const mark: Marker = { at: new Date(at).toISOString(), records, closed };
  const path = join(folder, MARKER);
  await writeFile(`${path}.new`, `${JSON.stringify(mark)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** null: none. An unreadable one still shows that there was a store. */
async function readMarker(folder: string): Promise<Marker | null> {
  try {
    return marker.parse(JSON.parse(await readFile(join(folder, MARKER), 'utf8')));
  } catch (error) {
    return isMissing(error) ? null : { at: '', records: 0, closed: null };
  }
}

function heldBy({ at, records }: Marker): string {
  return records === 0 ? '' : ` (it held ${records} records on ${at})`;
}

function unusable(what: string): DamagedFolderError {
  return new DamagedFolderError(
    'unavailable',
    `${what}; restore a backup of the folder, or move the folder away to begin with an empty store`,
  );
}

/** null: it does not exist. */
async function stateOf(path: string): Promise<State | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { size, modifiedMs: mtimeMs };
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** The start of LMDB's files, in either byte order. */
const MAGIC = { at: 24, value: 0xbeefc0de } as const;

async function hasHeader(path: string): Promise<boolean> {
  await using file = await open(path);
  const head = Buffer.alloc(MAGIC.at + 4);
  const { bytesRead } = await file.read(head, 0, head.length, 0);
  if (bytesRead < head.length) return false;
  return [head.readUInt32LE(MAGIC.at), head.readUInt32BE(MAGIC.at)].includes(MAGIC.value);
}

const READER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? 'read-through.ts' : 'read-through.js', import.meta.url),
);
/** Needed to run a source file. */
const FLAGS = READER.endsWith('.ts') ? ['--import', 'tsx'] : [];
/** It stops by itself much earlier, but a machine may be slow. */
const READER_MS = 15_000;
/** How a process ends after reading corrupt data. */
const CRASHES: ReadonlySet<string | undefined> = new Set([
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGTRAP',
]);

/** Reads the file in another process. Returns the problem; null: none, as far as is known. */
async function readThrough(
  folder: string,
  logger: StoreLogger | undefined,
): Promise<string | null> {
  const { error, said } = await new Promise<{ error: ExecFileException | null; said: string }>(
    (resolve) => {
      const options = { env: {}, timeout: READER_MS, killSignal: 'SIGKILL' } as const;
      execFile(execPath, [...FLAGS, READER, folder], options, (error, said) =>
        resolve({ error, said }),
      );
    },
  );
  if (error === null) return null;
  if (CRASHES.has(error.signal)) return `reading it ends in ${error.signal}`;
  if (said !== '') return said.trim();
  const facts = { folder, code: error.code, signal: error.signal };
  logger?.warn(facts, 'the data folder could not be checked for damage');
  return null;
}
