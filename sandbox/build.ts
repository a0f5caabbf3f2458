/** Builds the package: the command, the function behind it, the page, and all packages they use. */
import { chmod, copyFile, readFile, rm, writeFile } from 'node:fs/promises';
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
  // It bundles the page at run time; here the page is bundled already.
  external: ['esbuild'],
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  define: { BUILT_PAGE: JSON.stringify(page) },
  minifySyntax: true,
  // CommonJS packages load Node's own modules with `require`.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
  metafile: true,
  logLevel: 'warning',
});
await chmod(here('dist/cli.js'), 0o755);
await copyFile(here('child/preload.cjs'), here('dist/preload.cjs'));
await writeFile(here('dist/LICENSES'), await licensesOf(['preact', ...packagesIn(metafile)]));

function packagesIn({ inputs }: Metafile): string[] {
  const names = Object.keys(inputs).map(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1],
  );
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}

/** The licenses of the bundled packages: their text has to go with each copy. */
async function licensesOf(names: readonly string[]): Promise<string> {
  const texts = names.map(async (name) => {
    const text = await readFile(here(`../node_modules/${name}/LICENSE`), 'utf8');
    return `${name}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join('\n---\n\n');
}
