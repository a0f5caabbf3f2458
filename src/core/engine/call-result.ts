import { type FailureFacts, RemoteFailure } from '../lib/failure.ts';

/** A call that failed, as the result of a step. */
export interface Failed {
  readonly kind: 'failed';
  readonly failure: FailureFacts;
}

/** A failed call as a result; our own mistakes are thrown on. */
export async function callResult<Result>(call: Promise<Result>): Promise<Result | Failed> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RemoteFailure) return { kind: 'failed', failure: error.facts };
    throw error;
  }
}
