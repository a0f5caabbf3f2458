import { Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { systemTimers } from '../../src/lib/timers.ts';
import { exchange } from '../../src/service/exchange.ts';

/** Breaks the connection after the first writing and begins to write the request again. */
class RepeatingDispatcher extends Dispatcher {
  readonly stopped: boolean[] = [];

  override dispatch(_request: unknown, handler: Dispatcher.DispatchHandler): boolean {
    for (let writing = 0; writing < 2; writing++) {
      let aborted = false;
      const controller: Dispatcher.DispatchController = {
        aborted: false,
        paused: false,
        reason: null,
        abort: () => {
          aborted = true;
        },
        pause: () => {},
        resume: () => {},
      };
      handler.onRequestStart?.(controller, {});
      this.stopped.push(aborted);
      if (writing === 1) handler.onResponseError?.(controller, new Error('stopped'));
    }
    return true;
  }
}

it('stops a request that would be written a second time, and knows that it was sent', async () => {
  const dispatcher = new RepeatingDispatcher();
  const request = { method: 'POST', path: '/', headers: {}, body: '{}' } as const;
  const limits = { deadlineMs: 5000, maxBodyBytes: 1000, signal: undefined, timers: systemTimers };
  expect(await exchange(dispatcher, request, limits)).toMatchObject({ kind: 'failed', sent: true });
  expect(dispatcher.stopped).toEqual([false, true]);
});
