/** Bundles `src` into `dist`, and the demo where the sandbox is: the image has none. */
import { existsSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { bundle, licensesOf } from './bundle.ts';

await rm('dist', { recursive: true, force: true });
await bundle(
  [
    { in: 'src/main.ts', out: 'main' },
    // Started as a separate program.
    { in: 'src/core/store/embedded/read-through.ts', out: 'read-through' },
  ],
  'dist',
  {
    together: {
      always: [['src/main.ts'], ['src/cli/program.ts', 'ask/ask.ts']],
      shared: ['src/app/app.ts', 'src/app/configuration.ts'],
    },
  },
);
// Read at run time.
await cp('src/core/store/redis/scripts', 'dist/scripts', { recursive: true });
if (existsSync('sandbox')) await bundleDemo();

async function bundleDemo(): Promise<void> {
  const { readPage } = await import('../sandbox/page/serve-page.ts');
  const { dependencies: packages } = await bundle(
    [{ in: 'sandbox/demo.ts', out: 'demo' }],
    'dist',
    {
      // It bundles the page at run time; here the page is bundled already.
      external: ['esbuild'],
      define: {
        BUILT_PAGE: JSON.stringify(
          await readPage(new URL('../sandbox/backstage/client/main.tsx', import.meta.url)),
        ),
      },
    },
  );
  const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const { devDependencies } = JSON.parse(await readFile('sandbox/package.json', 'utf8'));
  // The sandbox's own, which are not installed with the package: their text has to go with each copy.
  const own = new Set(
    ['preact', ...packages].filter((name) => name in devDependencies && !(name in dependencies)),
  );
  await writeFile('dist/LICENSES', await licensesOf([...own]));
}
