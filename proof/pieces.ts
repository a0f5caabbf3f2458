import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

/**
 * What `npm run prove` has finished, a file for each command, so that a long run can be taken up where it stopped.
 * Pieces of different states of the program are never joined.
 */

const piece = z.strictObject({
  /** The names of the step and of its extent: `quick`, `night` or `long`. */
  step: z.string(),
  extent: z.string(),
  /** The seed of the whole run. */
  seed: z.string(),
  /** As typed. */
  command: z.string(),
  code: z.number(),
  /** By name; or what a step without numbers says. */
  counts: z.union([z.record(z.string(), z.number()), z.string()]),
  /** Lines that report problems. */
  found: z.array(z.string()),
  seconds: z.number(),
  /** The state that was tried: see `stateOf`. */
  tried: z.string(),
  commit: z.string(),
  /** Something in the checkout was not committed. */
  isChanged: z.boolean(),
  date: z.string(),
  node: z.string(),
  machine: z.string(),
});

export type Piece = Readonly<z.infer<typeof piece>>;
export type Counts = Piece['counts'];

const FOLDER = fileURLToPath(new URL('pieces/', import.meta.url));

/** All pieces, by command. Throws if a file is not one. */
export async function readPieces(folder = FOLDER): Promise<ReadonlyMap<string, Piece>> {
  const names = await readdir(folder).catch(noFolder);
  const files = names.filter((name) => name.endsWith('.json')).toSorted();
  const pieces = files.map(async (name) => {
    const read = piece.safeParse(JSON.parse(await readFile(join(folder, name), 'utf8')));
    if (!read.success) throw new Error(`proof/pieces/${name} is not a piece: remove it`);
    return [read.data.command, read.data] as const;
  });
  return new Map(await Promise.all(pieces));
}

/** Written whole, or not at all. */
export async function writePiece(done: Piece, folder = FOLDER): Promise<void> {
  await mkdir(folder, { recursive: true });
  const name = `${done.step.replaceAll(' ', '-')}-${hashOf(done.command).slice(0, 8)}.json`;
  const path = join(folder, name);
  await writeFile(`${path}.new`, `${JSON.stringify(done, null, 2)}\n`);
  await rename(`${path}.new`, path);
}

export async function removePieces(folder = FOLDER): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Why pieces cannot be joined with a run of this state; null: they can. */
export function whyRefused(pieces: Iterable<Piece>, tried: string): string | null {
  const all = [...pieces];
  const [first] = all;
  if (first === undefined) return 'There is nothing to resume: proof/pieces is empty.';
  const other = all.find((each) => each.tried !== tried);
  if (other !== undefined) {
    return `“${other.command}” was tried on another state of the program, at commit ${other.commit}. Check that out, or start anew without --resume.`;
  }
  const mixed = all.find(({ extent, seed }) => extent !== first.extent || seed !== first.seed);
  if (mixed === undefined) return null;
  return `“${mixed.command}” belongs to another run than “${first.command}”. Remove one of them from proof/pieces.`;
}

/** The counts of all pieces of a step together. */
export function sumOf(counts: readonly Counts[]): Counts {
  const sum: Record<string, number> = {};
  for (const each of counts) {
    if (typeof each === 'string') return counts.join('; ');
    for (const [name, count] of Object.entries(each)) sum[name] = (sum[name] ?? 0) + count;
  }
  return sum;
}

/** A digest of the files that are tried, as they are now; `paths` of files of this repository. */
export async function stateOf(paths: readonly string[]): Promise<string> {
  const root = new URL('../', import.meta.url);
  const files = paths
    .filter((path) => !/^proof\/(pieces\/|RESULTS\.md)|\.md$/.test(path))
    .toSorted()
    .map(async (path) => `${path} ${hashOf(await readFile(new URL(path, root)))}`);
  return hashOf((await Promise.all(files)).join('\n')).slice(0, 16);
}

const hashOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

function noFolder(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
