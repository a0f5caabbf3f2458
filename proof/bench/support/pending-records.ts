import { benchProgram } from './build.ts';
import { type Env, startChild } from './child.ts';

export interface PendingRequest {
  /**
   * fill: approvals that are polled as the budget allows. fill-audited: with their audit entries. fill-due: due now,
   * and nothing to do. run-loop, run-store: reconcile those. claim-late: records that become due within ten seconds,
   * and how late they are claimed. fill-listed: approvals that were decided just now and are listed. fill-unlisted: the
   * same, decided so long ago that they are only kept.
   */
  readonly task:
    | 'fill'
    | 'fill-audited'
    | 'fill-due'
    | 'fill-listed'
    | 'fill-unlisted'
    | 'run-loop'
    | 'run-store'
    | 'claim-late';
  readonly count: number;
}

export interface PendingRecords extends AsyncDisposable {
  /** Returns how long it took, or the requested figure, in ms. */
  run(task: PendingRequest['task'], count: number): Promise<number>;
}

/** A process that works on the records of a store as the product does. */
export async function startPendingRecords(env: Env): Promise<PendingRecords> {
  const child = await startChild(benchProgram('pending-records'), env);
  return {
    run: async (task, count) => Number(await child.ask({ task, count } satisfies PendingRequest)),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
