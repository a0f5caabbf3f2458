import type { FailureFacts } from '../lib/failure.ts';
import { remoteFacts, settled as settledBy } from '../reconcile/settled.ts';
import { sealedFailure } from './sealed.ts';
import type { StepResult } from './step.ts';

/** A failed call as a result. */
export function settled(call: Promise<StepResult>): Promise<StepResult> {
  return settledBy(call, factsOf);
}

/** What is known of a failed call; our own mistakes are thrown on. */
export function factsOf(error: unknown): FailureFacts {
  return sealedFailure(error) ?? remoteFacts(error);
}
