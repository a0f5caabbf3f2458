import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import chromium from '@sparticuz/chromium';
import { build } from 'esbuild';
import { BUNDLED } from './support/bundled.ts';

/**
 * Prepares, once, what all tests share: the built program, the same in one file, and the browser,
 * which unpacks itself and must not be unpacked by two at a time.
 */
export async function setup(): Promise<void> {
  await promisify(execFile)('npm', ['run', 'build']);
  await bundle();
  await chromium.executablePath();
}

/** Beside the program stand the files that it reads and the other program that it starts. */
async function bundle(): Promise<void> {
  await build({
    entryPoints: ['dist/main.js', 'dist/store/embedded/read-through.js'],
    entryNames: '[name]',
    outdir: BUNDLED,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Its binary is found beside its own files.
    external: ['lmdb'],
    // Modules of the other kind ask for Node's own by `require`.
    banner: {
      js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nconst __dirname = import.meta.dirname;",
    },
    logLevel: 'error',
  });
  await cp('dist/store/redis/scripts', `${BUNDLED}/scripts`, { recursive: true });
  // Where it reads its own version.
  await cp('package.json', join(BUNDLED, '../package.json'));
}
