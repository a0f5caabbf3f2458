import type { Timers } from '../timers.ts';

/** The longest time that a timer of Node can wait. */
const longestMs = 2_147_483_647;

export interface Schedule {
  readonly later: (ms: number, work: () => void) => void;
  /** Drops what has not happened yet. */
  readonly clear: () => void;
}

/** What the workspace does later on its own. */
export function createSchedule(needs: {
  readonly timers: Timers;
  readonly closed: AbortSignal;
  readonly changed: () => void;
}): Schedule {
  let life = new AbortController();
  const wait = async (ms: number, ended: AbortSignal): Promise<void> => {
    for (let left = ms; left > 0; left -= longestMs) {
      await needs.timers.pause(Math.min(left, longestMs), ended);
    }
  };
  return {
    later: (ms, work) => {
      const ended = AbortSignal.any([life.signal, needs.closed]);
      wait(ms, ended)
        .then(() => {
          work();
          needs.changed();
        })
        .catch((error: unknown) => {
          if (!ended.aborted) console.error('The sandbox failed to do something later.', error);
        });
    },
    clear: () => {
      life.abort();
      life = new AbortController();
    },
  };
}
