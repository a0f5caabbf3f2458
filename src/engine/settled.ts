import { type FailureFacts, RemoteFailure } from '../lib/failure.ts';

/** A call that failed, as the result of a step. */
export interface Failed {
  readonly kind: 'failed';
  readonly failure: FailureFacts;
}

/** A failed call as a result. `factsOf` says what is known of an error, and throws what is none of a call. */
export async function settled<Result>(
  call: Promise<Result>,
  factsOf: (error: unknown) => FailureFacts = remoteFacts,
): Promise<Result | Failed> {
  try {
    return await call;
  } catch (error) {
    return { kind: 'failed', failure: factsOf(error) };
  }
}

/** What is known of a failed call; our own mistakes are thrown on. */
export function remoteFacts(error: unknown): FailureFacts {
  if (error instanceof RemoteFailure) return error.facts;
  throw error;
}
