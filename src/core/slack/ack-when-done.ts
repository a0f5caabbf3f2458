import type { Timers } from '../lib/timers.ts';

/** Slack waits for three seconds, in which the acknowledgement has to arrive. */
const SOON_MS = 2_000;

/**
 * Acknowledges once it is done, so that what is lost in a crash was never acknowledged; in time even if it takes longer.
 * If it fails before that, nothing is acknowledged: the boundary does so with its sentence. Rejects as `done` does.
 */
export async function ackWhenDone<Done>(
  timers: Pick<Timers, 'sleep'>,
  ack: () => Promise<void>,
  done: Promise<Done>,
): Promise<Done> {
  const acknowledged = Promise.race([done, timers.sleep(SOON_MS)]).then(() => ack());
  const [result] = await Promise.all([done, acknowledged]);
  return result;
}
