import { SILENCE_MS } from '../alerts/alert-flow.ts';
import { alertNow, storeAlert } from '../alerts/alert-now.ts';
import type { BaseDependencies, Dependencies } from './dependencies.ts';

/** Says in the log and the metrics whether the store takes writes, and tells administrators when it does not. */
export function watchStore(
  base: BaseDependencies,
  { metrics, replies, lookup }: Dependencies,
): void {
  const { config, logger, clock, timers, timing, store, health } = base;
  const { administrators } = config;
  let silentUntil = 0;
  metrics.storeUp(true);
  health.start((state, error) => {
    metrics.storeUp(state === 'up');
    const facts = { store: store.name, err: error };
    if (state === 'up') logger.info(facts, 'the store takes writes again');
    if (state === 'failing') logger.error(facts, 'the store takes no writes');
    if (state !== 'down' || clock.monotonic() < silentUntil) return;
    silentUntil = clock.monotonic() + SILENCE_MS;
    const signal = health.stopped;
    const needs = { replies, lookup, logger, administrators, clock, timers, timing, signal };
    alertNow(needs, storeAlert(store.name, error)).catch((failure: unknown) => {
      logger.warn({ err: failure }, 'administrators could not be told');
    });
  });
}
