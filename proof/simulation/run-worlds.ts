import { type ChildProcess, fork } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { editing } from './rule-plants.ts';
import type { Job, JobDone } from './worker.ts';

/**
 * Runs worlds in several processes and yields the results in the order of the jobs, so that nothing depends on the
 * number of processes. A job is taken when a process is free. Ending the iteration stops the processes. `rulePlant`:
 * one of RULE_PLANTS, in all of them. `counting`: see `instrumentRules`. Throws if one of them fails.
 */
export async function* runWorlds(
  jobs: Iterable<Job>,
  processes: number,
  rulePlant?: string,
  counting?: Plugin,
): AsyncGenerator<JobDone> {
  const folder = await bundle([
    ...(rulePlant === undefined ? [] : [editing(rulePlant)]),
    ...(counting === undefined ? [] : [counting]),
  ]);
  const waiting = jobs[Symbol.iterator]();
  const workers: ChildProcess[] = [];
  /** Results of jobs that are running or done, and were not yielded yet. */
  const results: Promise<JobDone>[] = [];
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  // Prevents an unhandled rejection: it is only awaited together with a result.
  failed.catch(() => undefined);
  try {
    while (workers.length < processes && take(start)) {}
    for (let next = results.shift(); next !== undefined; next = results.shift()) {
      yield await Promise.race([next, failed]);
    }
  } finally {
    for (const worker of workers) worker.kill();
    await rm(folder, { recursive: true });
  }

  /** Gives a process the next job; false: there is none. */
  function take(free: () => ChildProcess): boolean {
    const { value: job, done } = waiting.next();
    if (done === true) return false;
    const worker = free();
    results.push(
      new Promise((resolve) => {
        worker.once('message', (report: JobDone) => {
          resolve(report);
          take(() => worker);
        });
      }),
    );
    worker.send(job);
    return true;
  }

  function start(): ChildProcess {
    const worker = fork(join(folder, 'worker.js'), {
      // The manifest is there.
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      execArgv: ['--max-semi-space-size=64', '--min-semi-space-size=64'],
    });
    worker.on('exit', (code) => fail(new Error(`a worker ended with exit code ${code}`)));
    workers.push(worker);
    // Other work on this machine has priority: the duration of a world does not change its result.
    const { PRIORITY_BELOW_NORMAL } = constants.priority;
    if (worker.pid !== undefined) setPriority(worker.pid, PRIORITY_BELOW_NORMAL);
    return worker;
  }
}

/** Bundles everything that is simulated into a few plain files, which run faster than code compiled on load. */
async function bundle(plugins: Plugin[]): Promise<string> {
  // Packages are resolved from there.
  const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'simulation-'));
  await build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    outdir: folder,
    bundle: true,
    // The code of a world is loaded after the globals are replaced, so it must be in files of its own.
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    plugins,
  });
  return folder;
}
