import { setMaxListeners } from 'node:events';
import { RemoteFailure } from './failure.ts';

export interface Patience {
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number | undefined;
}

/**
 * Waits for work that may go on without us, no longer than the signal and the deadline allow: then
 * throws RemoteFailure (`ambiguous`, `timeout` or `aborted`).
 */
export async function waitFor<Value>(
  work: Promise<Value>,
  operation: string,
  { signal, deadlineMs }: Patience = {},
): Promise<Value> {
  if (signal === undefined && deadlineMs === undefined) return work;
  let stopWaiting = () => {};
  const limit = new Promise<never>((_resolve, reject) => {
    const giveUp = (code: string) =>
      reject(new RemoteFailure(operation, { class: 'ambiguous', code }));
    const onAbort = () => giveUp('aborted');
    const timer =
      deadlineMs === undefined ? undefined : setTimeout(() => giveUp('timeout'), deadlineMs);
    // Many may wait under one signal.
    if (signal) setMaxListeners(0, signal);
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    stopWaiting = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    stopWaiting();
  }
}
