import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Timers } from '../lib/timers.ts';
import type { Timing } from '../lib/timing.ts';
import type { StoreError } from '../store/store.ts';
import { applyDelivered, markDelivery, planAlert } from './alert-flow.ts';
import { type DeliverNeeds, deliverAlert } from './deliver-alert.ts';
import { type NewAlert, newAlert } from './raise-alert.ts';

interface AlertNeeds extends DeliverNeeds {
  readonly administrators: Config['administrators'];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly timing: Timing;
  /** Ends the tries. */
  readonly signal: AbortSignal;
}

/**
 * Tells administrators without the store, for when it is the store that fails: with the tries and waits
 * of `raiseAlert`, but by each replica for itself, and no more after a crash. Rejects when `signal` does.
 */
export async function alertNow(needs: AlertNeeds, news: NewAlert): Promise<void> {
  let alert = newAlert(needs.administrators, news);
  for (;;) {
    const now = needs.clock.now();
    const plan = planAlert(alert, now);
    if (plan.kind === 'finish') return;
    if (plan.kind === 'wait') {
      await needs.timers.sleep(plan.until - now, needs.signal);
      continue;
    }
    alert = markDelivery(alert, plan.step);
    const result = await deliverAlert(needs, alert, plan.step);
    alert = applyDelivered(alert, plan.step, result, needs.timing, needs.clock.now());
  }
}

export function aboutStore(store: string): string {
  return `store.${store}`;
}

/** For a store that has taken no writes for a while. */
export function storeAlert(store: string, error: StoreError | null): NewAlert {
  const why = error === null ? '' : `\n>${error.message}`;
  return {
    about: aboutStore(store),
    text: `Gatepost cannot save anything: its store does not accept writes. Until it does, clicks and new requests are refused. Everything recorded earlier is kept, and continues then. ${CHECKS[store] ?? ''}${why}`,
  };
}

const CHECKS: Readonly<Record<string, string>> = {
  embedded:
    'Check that the disk with `DATA_DIR` has free space and that Gatepost can write to the folder.',
  redis:
    'Check that Redis is running, is not a read-only replica, and has free memory and disk space.',
};
