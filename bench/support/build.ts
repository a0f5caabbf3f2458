import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * Builds what is measured: the program into `dist`, everything in `bench/processes` into `dist/bench`.
 * Measured code runs as plain JavaScript, since a loader would cost it time and memory.
 */
export async function build(): Promise<void> {
  const run = promisify(execFile);
  await run('npm', ['run', 'build']);
  await run('npx', ['tsc', '-p', 'bench/tsconfig.json']);
  const scripts = 'store/redis/scripts';
  await cp(`src/${scripts}`, `dist/bench/src/${scripts}`, { recursive: true });
}

/** The product as it is shipped. */
export const PROGRAM = 'dist/main.js';

/** A file of `bench/processes`, built. */
export function benchProgram(name: string): string {
  return `dist/bench/bench/processes/${name}.js`;
}
