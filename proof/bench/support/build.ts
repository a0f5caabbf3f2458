import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { promisify } from 'node:util';
import { bundle } from '../../../scripts/bundle.ts';

/**
 * Builds what is measured: the program into `dist`, `proof/bench/processes` into `dist/bench`. Measured code runs as
 * plain JavaScript, because a loader would cost time and memory. A variant of the program that differs in one setting
 * is bundled in the same way.
 */
export async function build(): Promise<void> {
  const run = promisify(execFile);
  await run('npm', ['run', 'build']);
  await run('npx', ['tsc', '-p', 'proof/bench/tsconfig.json']);
  await cp('dist/scripts', 'dist/bench/src/core/store/redis/scripts', { recursive: true });
  await cp('dist/scripts', `${PROCESSES}/scripts`, { recursive: true });
  const bundled = BUNDLED.map((name) => ({ in: `proof/bench/processes/${name}.ts`, out: name }));
  await bundle(bundled, PROCESSES);
}

const PROCESSES = 'dist/bench/proof/bench/processes';
const BUNDLED = ['quiet-bot', 'pending-records'];

/** The product as it is published. */
export const PROGRAM = 'dist/main.js';

/** A file of `proof/bench/processes`, built. */
export function benchProgram(name: string): string {
  return `${PROCESSES}/${name}.js`;
}
