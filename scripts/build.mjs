/**
 * Bundles `src` and the packages it uses into `dist`: a few files are read in a third of the time that a
 * thousand take. What only some commands need stays apart, and is loaded by them alone.
 */
import { cp, rm } from 'node:fs/promises';
import { build } from 'esbuild';

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: [
    { in: 'src/main.ts', out: 'main' },
    // Started as a program of its own.
    { in: 'src/store/embedded/read-through.ts', out: 'read-through' },
  ],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  // Its binary is found beside its own files.
  external: ['lmdb'],
  // Packages in CommonJS ask for Node's own modules by `require`.
  banner: {
    js: [
      "import { createRequire as requireFrom } from 'node:module';",
      'const require = requireFrom(import.meta.url);',
      'const __dirname = import.meta.dirname;',
    ].join('\n'),
  },
  logLevel: 'warning',
});
// Read at run time.
await cp('src/store/redis/scripts', 'dist/scripts', { recursive: true });
