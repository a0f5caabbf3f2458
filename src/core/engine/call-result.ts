import { type FailureFacts, RemoteFailure } from '../lib/failure.ts';

/** A failed call, as the result of a step. */
export interface Failed {
  readonly kind: 'failed';
  readonly failure: FailureFacts;
}

/** Returns a RemoteFailure as a result; rethrows anything else. */
export async function callResult<Result>(call: Promise<Result>): Promise<Result | Failed> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RemoteFailure) return { kind: 'failed', failure: error.facts };
    throw error;
  }
}
