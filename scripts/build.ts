/** Bundles `src` into `dist`. */
import { cp, rm } from 'node:fs/promises';
import { bundle } from './bundle.ts';

await rm('dist', { recursive: true, force: true });
await bundle(
  [
    { in: 'src/main.ts', out: 'main' },
    // Started as a separate program.
    { in: 'src/core/store/embedded/read-through.ts', out: 'read-through' },
  ],
  'dist',
);
// Read at run time.
await cp('src/core/store/redis/scripts', 'dist/scripts', { recursive: true });
