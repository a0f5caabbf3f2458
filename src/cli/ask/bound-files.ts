import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { normalize } from 'node:path';
import type { Command } from 'commander';
import { cleanLine } from '../../core/lib/clean-line.ts';
import { fileTrouble } from '../../core/lib/file-trouble.ts';

/** A file that has to stay as it was when people were asked. */
export interface BoundFile {
  readonly path: string;
  /** As people read it. */
  readonly name: string;
  readonly sha256: string;
}

/** Ends the command when one cannot be read. */
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

/** What the request says of them. */
export function fieldsOf(files: readonly BoundFile[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map(({ name, sha256 }) => [`SHA-256 of ${name}`, sha256]));
}

/** Says which of them is no longer as it was; undefined: all are. */
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
