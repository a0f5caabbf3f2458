import { type Clock, systemClock } from '../../src/core/lib/clock.ts';

/** The bot's clock, which can be set forward. */
export function hurried(): { readonly clock: Clock; hurry(ms: number): void } {
  let aheadMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
  const hurry = (ms: number) => {
    aheadMs += ms;
  };
  return { clock, hurry };
}

/** The same, together with the store's time: waits for a time end. */
export function leaping(): { readonly clock: Clock; leap(ms: number): void } {
  const { clock, hurry } = hurried();
  let aheadMs = 0;
  const leap = (ms: number) => {
    aheadMs += ms;
    hurry(ms);
  };
  return { clock: { ...clock, now: () => systemClock.now() + aheadMs }, leap };
}
