import { RemoteFailure } from '../lib/failure.ts';
import { ReadError } from '../slack/boundary.ts';
import { StoreError } from '../store/store.ts';

/** For what only reads: the store, Slack or the service is away. Our own mistakes are thrown on as they are. */
export function throwReadError(error: unknown): never {
  if (error instanceof StoreError || error instanceof RemoteFailure) throw new ReadError(error);
  throw error;
}
