/**
 * `npm run removable`: how far each feature of an approval reaches. For each it takes a copy of `src`, deletes the
 * feature's own files and its members in the record and the configuration, and counts the other files that the compiler
 * then complains about: those that would have to be edited to take it out. The table stands in docs/architecture.md.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

interface Feature {
  readonly name: string;
  /** Of `src`. */
  readonly files: readonly string[];
  /** What it adds to declarations elsewhere: `file`, the declaration's first line, and its members. */
  readonly members: readonly (readonly [file: string, declaration: string, ...names: string[]])[];
}

const RECORD = 'approvals/approval.ts';
const CONFIG = 'core/config/file.ts';
const ROUTE = 'export const routeSection';
const APPROVAL = 'export interface Approval ';

export const FEATURES: readonly Feature[] = [];

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The files that would have to be edited, by the name of the feature. Two at a time. */
export async function reaches(): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const left = FEATURES.values();
  const inTurn = async () => {
    for (const feature of left) found.set(feature.name, await reachOf(feature));
  };
  await Promise.all([inTurn(), inTurn()]);
  return new Map(FEATURES.map(({ name }) => [name, found.get(name) ?? []]));
}

async function reachOf({ files, members }: Feature): Promise<readonly string[]> {
  const folder = await mkdtemp(join(ROOT, 'node_modules/.cache/removable-'));
  try {
    await cp(join(ROOT, 'src'), join(folder, 'src'), { recursive: true });
    for (const name of ['package.json', 'tsconfig.json', 'tsconfig.build.json']) {
      await cp(join(ROOT, name), join(folder, name));
    }
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    for (const file of files) await rm(join(folder, 'src', file));
    const edited = new Set<string>();
    for (const [file, declaration, ...names] of members) {
      const path = join(folder, 'src', file);
      await writeFile(path, without(await readFile(path, 'utf8'), declaration, names));
      edited.add(file);
    }
    const complaints = await compile(folder);
    const broken = [...complaints.matchAll(/^src\/([^(\n]+)\(/gm)].map(([, path = '']) => path);
    return [...new Set([...broken, ...edited])].toSorted();
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What the compiler says about the sources in a folder. */
function compile(folder: string): Promise<string> {
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  return new Promise((resolve) => {
    execFile(
      tsc,
      ['--noEmit', '--pretty', 'false', '-p', 'tsconfig.build.json'],
      { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
      // Errors in the sources are what is asked for.
      (_error, stdout) => resolve(stdout),
    );
  });
}

/** The text without these members of a declaration: each from its first line to the line that ends it. */
export function without(text: string, declaration: string, names: readonly string[]): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith(declaration));
  if (from === -1) throw new Error(`there is no ${declaration}`);
  for (const name of names) {
    const starts = new RegExp(`^\\s*(\\| \\{ )?(readonly )?${name}\\??:`);
    const at = lines.findIndex((line, index) => index > from && starts.test(line));
    if (at === -1) throw new Error(`${declaration} has no ${name}`);
    lines.splice(at, lengthOf(lines.slice(at)));
  }
  return lines.join('\n');
}

/** How many lines a member takes: until its brackets are closed and it ends. */
function lengthOf(lines: readonly string[]): number {
  let depth = 0;
  for (const [index, line] of lines.entries()) {
    depth += (line.match(/[([{]/g) ?? []).length - (line.match(/[)\]}]/g) ?? []).length;
    if (depth <= 0 && /[;,]$/.test(line)) return index + 1;
  }
  return lines.length;
}

export function tableOf(found: ReadonlyMap<string, readonly string[]>): string {
  const rows = [...found].map(([name, files]) => `| ${name} | ${files.length} |`);
  return ['| feature | other files to edit |', '|---|---|', ...rows].join('\n');
}

const isProgram = import.meta.url === pathToFileURL(process.argv[1] ?? '').href;
if (isProgram) {
  const found = await reaches();
  process.stdout.write(`${tableOf(found)}\n`);
  if (process.argv.includes('--files')) {
    for (const [name, files] of found) process.stdout.write(`\n${name}\n${files.map((file) => `  ${file}\n`).join('')}`);
  }
}
