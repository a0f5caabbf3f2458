import { readdir, readFile } from 'node:fs/promises';
import { posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One file of the program: its path below the folder, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly from: string;
  /** A path below the folder, the name of a package, or `?` for one that is computed. */
  readonly to: string;
}

/** Reads every TypeScript file below a folder. */
export async function readSources(folder: string): Promise<SourceFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && /(?<!\.d)\.tsx?$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  return Promise.all(
    paths.map(async (path) => ({
      path: relative(folder, path),
      text: await readFile(path, 'utf8'),
    })),
  );
}

/** The program: `src`, and the package that it contains, whose paths begin with `../ask/`. */
export async function readProgram(): Promise<SourceFile[]> {
  const [own, ask] = await Promise.all(
    ['src', 'ask'].map((name) =>
      readSources(fileURLToPath(new URL(`../../${name}`, import.meta.url))),
    ),
  );
  return [...(own ?? []), ...(ask ?? []).map((file) => ({ ...file, path: `../ask/${file.path}` }))];
}

const STATIC = /(?:^|[\s;}])(?:import|export)\s(?:[^'"()]*?\sfrom\s*)?['"]([^'"]+)['"]/g;
const DYNAMIC = /(?<![.\w])import\s*\(\s*(?:['"]([^'"]+)['"])?/g;

/** What a file imports: values, types and `import()`, re-exports too. */
export function importsOf({ path, text }: SourceFile): Import[] {
  const code = withoutComments(text);
  const found = (pattern: RegExp) =>
    [...code.matchAll(pattern)].map(([, to = '?']) => ({
      from: path,
      to: to.startsWith('.') ? placeOf(path, to) : to,
    }));
  return [...found(STATIC), ...found(DYNAMIC)];
}

/** What is in `src` for the package beside it is in the same place for `src` itself. */
function placeOf(path: string, to: string): string {
  const place = posix.join(posix.dirname(path), to);
  return path.startsWith('../') ? place.replace(/^\.\.\/src\//, '') : place;
}

/** Whether the global `process` is used. */
export function touchesProcess({ text }: SourceFile): boolean {
  return /(?<![.\w'"`/])process\s*(\?\.|\.\w|\[)|globalThis\.process/.test(withoutComments(text));
}

const OWN_TIME =
  /\b(setTimeout|setInterval|Date\.now|performance\.\w+|hrtime|AbortSignal\.timeout)\b|new Date\(\)|from\s*['"](node:)?(timers|perf_hooks)\b/;
const OWN_CHANCE = /\b(Math\.random|random(UUID|Bytes|Int|Fill|FillSync)|getRandomValues)\b/;

/** Whether the machine's clock, timers or randomness are used instead of those passed in. */
export function touchesTime({ text }: SourceFile): boolean {
  const code = withoutComments(text);
  return OWN_TIME.test(code) || OWN_CHANCE.test(code);
}

/** Whether the machine's own clock, timers or randomness are imported, not only their types. */
export function importsSystem({ text }: SourceFile): boolean {
  const system = /import\s*\{[^}]*(?<!type )\bsystem(Clock|Timers|Random)?\b[^}]*\}\s*from/;
  return system.test(withoutComments(text));
}

export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
