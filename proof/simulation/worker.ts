import { readFileSync } from 'node:fs';
import process from 'node:process';
import { closeThread } from './closed-world.ts';
import { takeCounts } from './condition-counts.ts';
import type { WorldOptions, WorldReport } from './world.ts';

/** A process that lives one world after the other. What is simulated is loaded once its globals are replaced. */

export interface Job {
  readonly batch: number;
  readonly options: Omit<WorldOptions, 'manifest'>;
}

export interface JobDone {
  readonly batch: number;
  readonly report: WorldReport;
  /** How often each condition was true and false, one after the other; empty where none is counted. */
  readonly counts: readonly number[];
}

closeThread();
/** Read before anything is lived: nothing is read meanwhile. */
const manifest = readFileSync('manifest.yml', 'utf8');
const { liveWorld } = await import('./world.ts');

// Whoever reads the reports is gone.
process.on('disconnect', () => process.exit());

process.on('message', ({ batch, options }: Job) => {
  liveWorld({ ...options, manifest }).then(
    (report) => process.send?.({ batch, report, counts: takeCounts() } satisfies JobDone),
    (error: unknown) => {
      // Ends the process.
      queueMicrotask(() => {
        throw new Error(`batch ${batch}, seed ${options.seed}`, { cause: error });
      });
    },
  );
});
