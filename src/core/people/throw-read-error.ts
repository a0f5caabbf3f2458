import { RemoteFailure } from '../lib/failure.ts';
import { ReadError } from '../slack/boundary.ts';
import { StoreError } from '../store/store.ts';

/** For reads: wraps failures of the store, Slack or the service; rethrows our own mistakes. */
export function throwReadError(error: unknown): never {
  if (error instanceof StoreError || error instanceof RemoteFailure) throw new ReadError(error);
  throw error;
}
