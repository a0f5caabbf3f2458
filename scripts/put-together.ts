import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

/**
 * esbuild writes a file for each set of entries that reach the same code: a hundred for a start, and Node takes up to a
 * millisecond for each. What is put together here is reached by the same entries, and so is in one file.
 */
export interface Together {
  /** What each command loads first: all of it, in one file after the other. Paths of modules. */
  readonly always: readonly (readonly string[])[];
  /** What these load and other commands share, as far as it needs no package. */
  readonly shared: readonly string[];
}

export async function putTogether(
  options: BuildOptions,
  programs: readonly string[],
  { always, shared }: Together,
): Promise<Plugin> {
  const { metafile } = await build({ ...options, write: false, metafile: true });
  const reached = (...roots: string[]) => modulesFrom(metafile, roots);
  const entries = Object.values(metafile.outputs).flatMap(({ entryPoint = [] }) => entryPoint);
  const isOwn = (path: string) => !path.includes('node_modules/');
  const loaded = entries.filter((path) => isOwn(path) && !programs.includes(path));
  const put = new Set<string>();
  /** A file that an entry needs would need the entry. */
  const isPut = (path: string) => reached(path).every((each) => !entries.includes(each));
  const take = (paths: readonly string[]) => {
    const own = paths.filter((path) => !put.has(path) && isPut(path));
    for (const path of own) put.add(path);
    return own;
  };
  const first = always.map((roots) => ({ modules: take(reached(...roots)), into: loaded }));
  const others = loaded.filter((path) => !always.flat().includes(path));
  const needed = new Set(reached(...shared));
  const common = others
    .filter((path) => !shared.includes(path))
    .flatMap((path) => reached(path))
    .filter((path) => needed.has(path) && reached(path).every(isOwn));
  const modules = take([...new Set(common)]);
  // To load all of it costs less than many files if a quarter is needed.
  const into = others.filter(
    (path) => reached(path).filter((each) => modules.includes(each)).length > modules.length / 4,
  );
  const groups = [...first, { modules, into }];
  return {
    name: 'put-together',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^together:\d+$/ }, ({ path }) => ({ path, namespace: 'together' }));
      onLoad({ filter: /^/, namespace: 'together' }, ({ path }) => ({
        contents: (groups[Number(path.slice('together:'.length))]?.modules ?? [])
          // Files; what plugins make comes with them.
          .filter((each) => !each.includes(':'))
          .map((each) => `import ${JSON.stringify(resolve(each))};`)
          .join('\n'),
        resolveDir: process.cwd(),
      }));
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const own = groups.flatMap(({ into }, at) =>
          into.some((each) => resolve(each) === path) ? `import 'together:${at}';` : [],
        );
        if (own.length === 0) return undefined;
        // In its first line, so that all lines keep their numbers.
        return { contents: `${own.join('')}${await readFile(path, 'utf8')}`, loader: 'ts' };
      });
    },
  };
}

/** These and all that they import, in order, but for what is loaded later. */
function modulesFrom({ inputs }: Metafile, roots: readonly string[]): string[] {
  const all = new Set(roots);
  for (const path of all) {
    for (const { path: to, kind, external } of inputs[path]?.imports ?? []) {
      if (!external && kind !== 'dynamic-import') all.add(to);
    }
  }
  return [...all];
}
