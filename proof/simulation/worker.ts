import { readFileSync } from 'node:fs';
import process from 'node:process';
import { closeThread } from './closed-world.ts';
import { takeCounts } from './condition-counts.ts';
import type { WorldOptions, WorldReport } from './world.ts';

/** A process that runs one world after the other. What is simulated is loaded once its globals are replaced. */

export interface Job {
  readonly batch: number;
  readonly options: Omit<WorldOptions, 'manifest'>;
}

export interface JobDone {
  readonly batch: number;
  readonly report: WorldReport;
  /** Two counts per condition: true, false; empty if none is counted. */
  readonly counts: readonly number[];
}

closeThread();
/** Read before any world runs: nothing is read during one. */
const manifest = readFileSync('manifest.yml', 'utf8');
const { runWorld } = await import('./world.ts');

// The parent process is gone.
process.on('disconnect', () => process.exit());

process.on('message', ({ batch, options }: Job) => {
  runWorld({ ...options, manifest }).then(
    (report) => process.send?.({ batch, report, counts: takeCounts() } satisfies JobDone),
    (error: unknown) => {
      // Ends the process.
      queueMicrotask(() => {
        throw new Error(`batch ${batch}, seed ${options.seed}`, { cause: error });
      });
    },
  );
});
