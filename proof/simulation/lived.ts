import { type ChildProcess, fork } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { editing } from './rule-plants.ts';
import type { Job, JobDone } from './worker.ts';

/**
 * Lives worlds in several processes and gives what came of them in the order of the jobs, so that nothing
 * depends on how many processes there are. A job is taken when a process is free for it. Whoever stops
 * reading ends them. `rulePlant`: one of RULE_PLANTS, in all of them. `counting`: see `instrumentRules`. Throws
 * when one of them fails.
 */
export async function* lived(
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
  /** Of what is under way or done, and was not given yet. */
  const results: Promise<JobDone>[] = [];
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  // It is only awaited beside a result.
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

  /** Has the next job done by a process; false: there is none. */
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
      // Where the manifest is.
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      execArgv: ['--max-semi-space-size=64', '--min-semi-space-size=64'],
    });
    worker.on('exit', (code) => fail(new Error(`a worker ended with exit code ${code}`)));
    workers.push(worker);
    // Other work on this machine goes first: how long a world takes changes nothing in it.
    const { PRIORITY_BELOW_NORMAL } = constants.priority;
    if (worker.pid !== undefined) setPriority(worker.pid, PRIORITY_BELOW_NORMAL);
    return worker;
  }
}

/** Everything that is simulated as a few plain files, which run faster than what is compiled as it is loaded. */
async function bundle(plugins: Plugin[]): Promise<string> {
  // Packages are found from there.
  const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'simulation-'));
  await build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    outdir: folder,
    bundle: true,
    // What a world consists of is loaded after the globals are replaced, and not with that.
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
