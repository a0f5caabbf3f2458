/** Makes the package: the command and the function that it is made of, with the page and every package they use. */
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { type PageFiles, readPage } from './page/serve-page.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

await rm(here('dist'), { recursive: true, force: true });
const page: PageFiles = await readPage();
const { metafile } = await build({
  entryPoints: [here('cli.ts'), here('start-slack-sandbox.ts')],
  outdir: here('dist'),
  bundle: true,
  splitting: true,
  // Bundles the page, which is there already.
  external: ['esbuild'],
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  define: { BUILT_PAGE: JSON.stringify(page) },
  minifySyntax: true,
  // Packages in CommonJS ask for Node's own modules by `require`.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
  metafile: true,
  logLevel: 'warning',
});
await chmod(here('dist/cli.js'), 0o755);
await writeFile(here('dist/LICENSES'), await licensesOf(['preact', ...packagesIn(metafile)]));

function packagesIn({ inputs }: Metafile): string[] {
  const names = Object.keys(inputs).map(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1],
  );
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}

/** What the licenses of the packages ask for: their text goes with a copy. */
async function licensesOf(names: readonly string[]): Promise<string> {
  const texts = names.map(async (name) => {
    const text = await readFile(here(`../node_modules/${name}/LICENSE`), 'utf8');
    return `${name}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join('\n---\n\n');
}
