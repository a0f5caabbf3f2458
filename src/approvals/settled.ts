import { type FailureFacts, RemoteFailure } from '../lib/failure.ts';
import { sealedFailure } from './sealed.ts';
import type { StepResult } from './step.ts';

/** A failed call as a result. */
export async function settled(call: Promise<StepResult>): Promise<StepResult> {
  try {
    return await call;
  } catch (error) {
    return { kind: 'failed', failure: factsOf(error) };
  }
}

/** What is known of a failed call; our own mistakes are thrown on. */
export function factsOf(error: unknown): FailureFacts {
  if (error instanceof RemoteFailure) return error.facts;
  const failure = sealedFailure(error);
  if (failure === undefined) throw error;
  return failure;
}
