import process from 'node:process';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { countTabs, type ProcessorTime, processorTime } from './processor-time.ts';

/** What a test file cost, in ms of processor. */
export interface FileCost {
  /** The worker that ran it, and all that it has used until the end of this file. */
  readonly worker: { readonly pid: number; readonly total: number };
  readonly imports: number;
  readonly tests: number;
  /** Programs and browsers. */
  readonly started: number;
}

declare module 'vitest' {
  interface TaskMeta {
    cost?: FileCost;
  }
}

// Runs before the imports of each test file.
const before = processorTime();
let imported: ProcessorTime = before;
beforeAll(() => {
  imported = processorTime();
});
// Registered first, so these run last.
afterEach(countTabs);
// biome-ignore lint/correctness/noEmptyPattern: the runner wants it destructured
afterAll(({}, { file }) => {
  const after = processorTime();
  file.meta.cost = {
    worker: { pid: process.pid, total: after.own + after.started },
    imports: imported.own - before.own,
    tests: after.own - imported.own,
    started: after.started - before.started,
  };
});
