import type { MonotonicClock } from './clock.ts';
import type { Timers } from './timers.ts';

/** What follows an acknowledgement gives way to requests that wait for theirs: Slack waits three seconds. */
export interface GiveWay {
  /** A request waits for its answer, until what this gives is called. */
  begin(): () => void;
  /**
   * undefined: go on. Otherwise resolves when few requests wait, in turn and after one look at what has arrived, or
   * after `AT_MOST_MS`.
   */
  turn(): Promise<void> | undefined;
}

/** A form that opens slowly holds up nobody. */
const FEW = 3;
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
    const [first] = turns;
    if (first === undefined) return;
    const leftMs = first.since + AT_MOST_MS - clock.monotonic();
    if (waiting > FEW && leftMs > 0) {
      cancel = timers.after(leftMs, schedule);
      return;
    }
    turns.shift();
    first.go();
    schedule();
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
