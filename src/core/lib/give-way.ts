import type { MonotonicClock } from './clock.ts';
import type { Timers } from './timers.ts';

/** What follows an acknowledgement gives way to requests that wait for theirs: Slack waits three seconds. */
export interface GiveWay {
  /** A request waits for its answer, until what this gives is called. */
  begin(): () => void;
  /**
   * undefined: go on. Otherwise resolves when few requests wait, or after `AT_MOST_MS`: some at a time, so that what
   * arrives is looked at in between.
   */
  turn(): Promise<void> | undefined;
}

/** A form that opens slowly holds up nobody. */
const FEW = 24;
/** One after the other would take more of the processor: what they send and store goes out together. */
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
