import { setMaxListeners } from 'node:events';
import { RemoteFailure } from './failure.ts';
import type { Timers } from './timers.ts';

type Patience =
  | { readonly signal?: AbortSignal | undefined; readonly deadlineMs?: undefined }
  | {
      readonly signal?: AbortSignal | undefined;
      readonly deadlineMs?: number | undefined;
      /** Measures the deadline. */
      readonly timers: Timers;
    };

/**
 * Waits for work that may continue without us, until the signal or the deadline: then throws RemoteFailure
 * (`ambiguous`, `timeout` or `aborted`).
 */
export async function waitFor<Value>(
  work: Promise<Value>,
  operation: string,
  patience: Patience = {},
): Promise<Value> {
  const { signal, deadlineMs } = patience;
  if (signal === undefined && deadlineMs === undefined) return work;
  let stopWaiting = () => {};
  const limit = new Promise<never>((_resolve, reject) => {
    const giveUp = (code: string) =>
      reject(new RemoteFailure(operation, { class: 'ambiguous', code }));
    const onAbort = () => giveUp('aborted');
    const cancel =
      patience.deadlineMs === undefined
        ? undefined
        : patience.timers.after(patience.deadlineMs, () => giveUp('timeout'));
    // Many calls may share a signal.
    if (signal) setMaxListeners(0, signal);
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    stopWaiting = () => {
      cancel?.();
      signal?.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    stopWaiting();
  }
}
