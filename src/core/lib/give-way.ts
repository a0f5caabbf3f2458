import type { MonotonicClock } from './clock.ts';
import type { Timers } from './timers.ts';

/** Work after an acknowledgement yields to requests that still need theirs: Slack waits three seconds. */
export interface GiveWay {
  /** A request is waiting for its response, until the returned function is called. */
  begin(): () => void;
  /**
   * undefined: go on. Otherwise resolves when few requests are waiting, or after `AT_MOST_MS`; a few callers at a time,
   * so that new requests are seen in between.
   */
  turn(): Promise<void> | undefined;
}

/** Allows for a form that opens slowly. */
const FEW = 24;
/** Together, because their calls and writes are then batched, which takes less CPU than one at a time. */
const AT_ONCE = 8;
const AT_MOST_MS = 2_000;

export function createGiveWay({
  clock,
  timers,
}: {
  readonly clock: MonotonicClock;
  readonly timers: Pick<Timers, 'after'>;
}): GiveWay {
  let waiting = 0;
  let isScheduled = false;
  let cancel: (() => void) | undefined;
  const turns: { readonly since: number; readonly go: () => void }[] = [];
  const schedule = (): void => {
    if (isScheduled || turns.length === 0) return;
    isScheduled = true;
    timers.after(0, next);
  };
  function next(): void {
    isScheduled = false;
    cancel?.();
    cancel = undefined;
    const now = clock.monotonic();
    const isDue = ({ since }: { readonly since: number }) =>
      waiting <= FEW || now - since >= AT_MOST_MS;
    const later = turns.slice(0, AT_ONCE).findIndex((each) => !isDue(each));
    for (const each of turns.splice(0, later < 0 ? AT_ONCE : later)) each.go();
    const [first] = turns;
    if (first === undefined) return;
    if (isDue(first)) schedule();
    else cancel = timers.after(first.since + AT_MOST_MS - now, schedule);
  }
  return {
    begin() {
      waiting += 1;
      return () => {
        waiting -= 1;
        if (waiting <= FEW) schedule();
      };
    },
    turn() {
      if (waiting <= FEW && turns.length === 0) return undefined;
      return new Promise((go) => {
        turns.push({ since: clock.monotonic(), go });
        schedule();
      });
    },
  };
}
