import { type Clock, systemClock } from '../../src/lib/clock.ts';

/** The bot's clock, which can be put forward. */
export function hurried(): { readonly clock: Clock; hurry(ms: number): void } {
  let aheadMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
  const hurry = (ms: number) => {
    aheadMs += ms;
  };
  return { clock, hurry };
}
