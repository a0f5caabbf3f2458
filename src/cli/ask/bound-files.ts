import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { normalize } from 'node:path';
import type { Command } from 'commander';
import { cleanLine } from '../../core/lib/clean-line.ts';
import { fileTrouble } from '../../core/lib/file-trouble.ts';

/** A file that must not change after people were asked. */
export interface BoundFile {
  readonly path: string;
  /** For display. */
  readonly name: string;
  readonly sha256: string;
}

/** Ends the command if one cannot be read. */
export async function bindFiles(
  paths: readonly string[],
  command: Command,
): Promise<readonly BoundFile[]> {
  return Promise.all(
    paths.map(async (path) => {
      const name = cleanLine(normalize(path));
      const sha256 = await sha256Of(path).catch((error: unknown) =>
        command.error(`error: --bind ${name} ${fileTrouble(error)}.`),
      );
      return { path, name, sha256 };
    }),
  );
}

/** Their digests, as fields of the request. */
export function fieldsOf(files: readonly BoundFile[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map(({ name, sha256 }) => [`SHA-256 of ${name}`, sha256]));
}

/** A sentence about the first one that has changed; undefined: none has. */
export async function changeOf(files: readonly BoundFile[]): Promise<string | undefined> {
  for (const { path, name, sha256 } of files) {
    const trouble = await sha256Of(path).then(
      (now) => (now === sha256 ? undefined : 'has changed since people were asked'),
      fileTrouble,
    );
    if (trouble !== undefined) return `${name} ${trouble}.`;
  }
  return undefined;
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}
