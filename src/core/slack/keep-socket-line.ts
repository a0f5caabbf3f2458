import type { Logger } from 'pino';
import type { MonotonicClock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import type { Random } from '../lib/random.ts';
import type { Timers } from '../lib/timers.ts';
import { waitFor } from '../lib/wait-for.ts';
import { SlackStartError } from './slack-start-error.ts';
import type { SocketLine } from './socket-line.ts';

interface KeepSocketLineNeeds {
  /** Throws RemoteFailure. */
  readonly open: () => Promise<SocketLine>;
  /** Called when a connection opens or closes. */
  readonly count: (change: 1 | -1) => void;
  /** Called after every try. */
  readonly onTried: () => void;
  readonly signal: AbortSignal;
  readonly logger: Logger;
  readonly clock: MonotonicClock;
  readonly timers: Timers;
  readonly random: Random;
}

/** A connection that ends sooner counts as a failure. */
const LASTING_MS = 10_000;

/**
 * Keeps one connection to Slack open until the signal: reconnects at once after one that lasted, with growing pauses
 * after failures. Throws SlackStartError when Slack rejects the token.
 */
export async function keepSocketLine(needs: KeepSocketLineNeeds): Promise<void> {
  const { signal } = needs;
  let failures = 0;
  while (!signal.aborted) {
    let leastMs = 0;
    try {
      const line = await needs.open();
      failures = (await hold(line, needs)) ? 0 : failures + 1;
    } catch (error) {
      leastMs = passing(error, needs.logger).retryAfterMs ?? 0;
      failures += 1;
      needs.onTried();
    }
    const waitMs = Math.max(leastMs, backoffMs(failures, needs.random.fraction()));
    await needs.timers.sleep(waitMs, signal).catch(() => {});
  }
}

/** Waits until the connection ends. Returns whether it lasted. */
async function hold(
  line: SocketLine,
  { clock, count, onTried, signal }: KeepSocketLineNeeds,
): Promise<boolean> {
  const since = clock.monotonic();
  count(1);
  onTried();
  // It rejects at the signal. `waitFor` leaves no listener on the signal, which outlives many connections.
  await waitFor(line.ended, 'connection', { signal }).catch(() => {});
  count(-1);
  line.close();
  return clock.monotonic() - since >= LASTING_MS;
}

/** Returns and logs a temporary failure. Throws SlackStartError if Slack refused. */
function passing(error: unknown, logger: Logger): RemoteFailure {
  if (!(error instanceof RemoteFailure)) throw error;
  if (error.class === 'refused' && error.status === 200) {
    throw new SlackStartError(error, 'SLACK_APP_TOKEN');
  }
  if (error.code !== 'aborted') logger.warn({ code: error.code }, 'could not connect to Slack');
  return error;
}

/** At once, then about 0.5 s, 1 s, … 30 s, with jitter. @param random from 0 to 1. */
function backoffMs(failures: number, random: number): number {
  if (failures === 0) return 0;
  return Math.min(30_000, 250 * 2 ** failures) * (0.75 + random / 2);
}
