import type { Timers } from '../../src/core/lib/timers.ts';
import { GateError } from './gate-error.ts';

/** How often a call is tried while Gatepost is unreachable, and the waits in between. */
const TRIES = 5;
const RETRY_MS = 1_000;

interface Patience {
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** Whether this process stops, so that nobody waits for another try. */
  readonly isStopping?: () => boolean;
  readonly tries?: number;
}

/** Every call can be repeated. Throws GateError, and at the signal its reason. */
export async function patiently<T>(
  call: () => Promise<T>,
  { timers, signal, isStopping = () => false, tries: most = TRIES }: Patience,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const isLater = error instanceof GateError && error.code === 'unreached';
      if (!isLater || tries === most || isStopping()) throw error;
      await timers.sleep(Math.max(RETRY_MS * tries, error.retryAfterMs), signal);
    }
  }
}
