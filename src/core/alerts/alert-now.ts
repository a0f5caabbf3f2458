import type { Config } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import type { Timers } from '../lib/timers.ts';
import type { Timing } from '../lib/timing.ts';
import type { Away, StoreError } from '../store/store.ts';
import {
  applyDelivered,
  type DeliverNeeds,
  deliverAlert,
  markDelivery,
  planAlert,
  SILENCE_MS,
} from './alert-flow.ts';
import { type NewAlert, newAlert } from './raise-alert.ts';

interface AlertNeeds extends DeliverNeeds {
  readonly administrators: Config['administrators'];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly timing: Timing;
  /** Ends all tries. */
  readonly signal: AbortSignal;
  /** Called before each alert is sent. */
  readonly onAlert: (about: string) => void;
}

/** Starts alerting administrators without the store. */
export type AlertNow = (news: NewAlert) => void;

/**
 * Alerts administrators without the store, for failures of the store itself: with the tries and waits of `raiseAlert`,
 * but separately in each replica, and not after a crash.
 */
export function createAlertNow(needs: AlertNeeds): AlertNow {
  const silentUntil = new Map<string, number>();
  return (news) => {
    const now = needs.clock.monotonic();
    for (const [about, until] of silentUntil) if (until <= now) silentUntil.delete(about);
    if (silentUntil.has(news.about)) return;
    silentUntil.set(news.about, now + SILENCE_MS);
    needs.onAlert(news.about);
    tell(needs, news).catch((failure: unknown) => {
      needs.logger.warn({ err: failure }, 'could not alert administrators');
    });
  };
}

/** Rejects when `signal` aborts. */
async function tell(needs: AlertNeeds, news: NewAlert): Promise<void> {
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

/** `isPart`: only some of the store's servers accept writes. */
export function aboutStore(store: string, isPart = false): string {
  return `store.${store}${isPart ? '-part' : ''}`;
}

/** For a store that has accepted no writes for a while; `part`: which share, null: all of it. */
export function storeAlert(
  store: string,
  error: StoreError | null,
  part: Omit<Away, 'error'> | null,
): NewAlert {
  const why = error === null ? '' : `\n>${error.message}`;
  const check = CHECKS[store] ?? '';
  if (part === null) {
    return {
      about: aboutStore(store),
      text: `Gatepost cannot save anything: its store does not accept writes. Until it does, clicks and new requests are refused. Everything recorded earlier is kept, and continues then. ${check}${why}`,
    };
  }
  const servers = part.servers.length === 0 ? '' : ` (${part.servers.join(', ')})`;
  return {
    about: aboutStore(store, true),
    text: `A part of Gatepost's store does not accept writes: ${part.shards} of ${part.ofShards} shards${servers}. Until it does, clicks and new requests that belong there are refused, some people's accounts cannot be checked, and \`/approvals\` shows no list. What was recorded there is kept, and continues then. Requests on the other shards can still be decided. ${check}${why}`,
  };
}

const CHECKS: Readonly<Record<string, string>> = {
  embedded:
    'Check that the disk with `DATA_DIR` has free space and that Gatepost can write to the folder.',
  redis:
    'Check that Redis is running, is not a read-only replica, and has free memory and disk space.',
};
