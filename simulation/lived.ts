import { type ChildProcess, fork } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Job, JobDone } from './worker.ts';

/**
 * Lives worlds in several processes and gives what came of them in the order of the jobs, so that nothing
 * depends on how many processes there are. Whoever stops reading ends them. Throws when one of them fails.
 */
export async function* lived(jobs: readonly Job[], processes: number): AsyncGenerator<JobDone> {
  const folder = await bundle();
  const arrived = new Map<Job, (done: JobDone) => void>();
  const results = jobs.map(
    (job) => new Promise<JobDone>((resolve) => void arrived.set(job, resolve)),
  );
  const waiting = [...jobs];
  let fail: (error: Error) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  // It is only awaited beside a result.
  failed.catch(() => undefined);
  const workers = Array.from({ length: Math.min(processes, jobs.length) }, () => {
    const worker = fork(join(folder, 'worker.js'), {
      // Where the manifest is.
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      execArgv: ['--max-semi-space-size=32'],
    });
    worker.on('exit', (code) => fail(new Error(`a worker ended with exit code ${code}`)));
    give(worker);
    return worker;
  });
  try {
    for (const result of results) yield await Promise.race([result, failed]);
  } finally {
    for (const worker of workers) worker.kill();
    await rm(folder, { recursive: true });
  }

  function give(worker: ChildProcess): void {
    const job = waiting.shift();
    if (job === undefined) return;
    worker.once('message', (done: JobDone) => {
      arrived.get(job)?.(done);
      give(worker);
    });
    worker.send(job);
  }
}

/** Everything that is simulated as a few plain files, which run faster than what is compiled as it is loaded. */
async function bundle(): Promise<string> {
  // Packages are found from there.
  const cache = fileURLToPath(new URL('../node_modules/.cache', import.meta.url));
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
  });
  return folder;
}
