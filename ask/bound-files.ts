import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { normalize, resolve } from 'node:path';
import type { Command } from 'commander';
import { cleanLine } from '../src/core/lib/clean-line.ts';
import { fileTrouble } from '../src/core/lib/file-trouble.ts';

/** A file that must not change after people were asked. */
export interface BoundFile {
  readonly path: string;
  /** For display. */
  readonly name: string;
  readonly sha256: string;
}

/** Ends the command if one is no file, or cannot be read. Throws once `signal` aborts. */
export async function bindFiles(
  paths: readonly string[],
  command: Command,
  signal: AbortSignal,
): Promise<readonly BoundFile[]> {
  return Promise.all(
    paths.map(async (path) => {
      const name = shownName(normalize(path));
      const sha256 = await sha256Of(path, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        return command.error(`error: --bind ${name} ${fileTrouble(error)}.`);
      });
      return { path, name, sha256 };
    }),
  );
}

/** Letter by letter; what one line cannot show is escaped, as in the `$'…'` of shells. */
function shownName(path: string): string {
  if (cleanLine(path) === path && !path.startsWith("$'")) return path;
  const escaped = path.replace(/[^\p{L}\p{N}\p{P}\p{S}]|['\\]/gu, (sign) => {
    const hex = (sign.codePointAt(0) ?? 0).toString(16);
    return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
  });
  return `$'${escaped}'`;
}

/** Their digests, as fields of the request. */
export function fieldsOf(files: readonly BoundFile[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map(({ name, sha256 }) => [`SHA-256 of ${name}`, sha256]));
}

/** A sentence about the first one that has changed; undefined: none has. Does not read on once `signal` aborts. */
export async function changeOf(
  files: readonly BoundFile[],
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const { path, name, sha256 } of files) {
    const trouble = await sha256Of(path, signal).then(
      (now) => (now === sha256 ? undefined : 'has changed since people were asked'),
      (error: unknown) => (signal.aborted ? 'was not read' : fileTrouble(error)),
    );
    if (trouble !== undefined) return `${name} ${trouble}.`;
  }
  return undefined;
}

async function sha256Of(path: string, signal: AbortSignal): Promise<string> {
  if (OWN_STREAM.test(resolve(path))) throw new NotAFile();
  // Without it, opening a pipe waits for its writer. Windows has neither.
  await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stat = await file.stat();
  if (!stat.isFile()) throw new NotAFile(stat.isDirectory() ? 'EISDIR' : undefined);
  const hash = createHash('sha256');
  for await (const piece of file.createReadStream({ autoClose: false })) {
    signal.throwIfAborted();
    hash.update(piece);
  }
  return hash.digest('hex');
}

/** Names of whatever this process has open there, even if that is a file. */
const OWN_STREAM = /^\/(?:dev\/(?:stdin|stdout|stderr|fd\/)|proc\/)/;

/** A pipe or a device has no content that could be compared later. */
class NotAFile extends Error {
  override readonly name = 'NotAFile';
  readonly code: string;
  constructor(code = 'NOT_A_FILE') {
    super('it is not a file');
    this.code = code;
  }
}
