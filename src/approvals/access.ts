import type { Clock } from '../lib/clock.ts';
import type { StepResult } from './step.ts';
import { isAnswered, troubleOf } from './trouble.ts';

/** Whether the service lets this process in, as far as it was heard. */
export interface Access {
  /**
   * Notes how a call for an approval ended, and adds to it when being let in is news: after a 401 or
   * 403, and every minute, because other replicas may have heard one, or died of what they owed.
   * `isWoken`: of one that was not let in before.
   */
  after(result: StepResult, isWoken: boolean): StepResult;
}

const NEWS_MS = 60_000;

export function createAccess(clock: Pick<Clock, 'monotonic'>): Access {
  let isDenied = true;
  let toldAt = 0;
  return {
    after(result, isWoken) {
      if (result.kind === 'failed' && troubleOf(result.failure).why === 'denied') {
        // One that is refused for ever is not tried at each answer that others get.
        if (!isWoken) isDenied = true;
        return result;
      }
      if (!isAnswered(result)) return result;
      const now = clock.monotonic();
      if (!isDenied && now - toldAt < NEWS_MS) return result;
      isDenied = false;
      toldAt = now;
      return { ...result, letInAgain: true };
    },
  };
}
