import type { ServerResponse } from 'node:http';
import type { Changes } from '../changes.ts';

/** Changes come in bursts: a window hears of them together. */
const gatherMs = 15;

/** Server-sent events: the state now, and after every change that shows in it. */
export function followState(response: ServerResponse, changes: Changes, read: () => object): void {
  let last = '';
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    timer = undefined;
    try {
      const state = JSON.stringify(read());
      if (state === last) return;
      last = state;
      response.write(`data: ${state}\n\n`);
    } catch (error) {
      // The window asks again, and says meanwhile that it hears nothing.
      console.error('The sandbox could not tell a window its state.', error);
      response.destroy();
    }
  };
  const tellSoon = (): void => {
    timer ??= setTimeout(tell, gatherMs);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write('retry: 500\n\n');
  tell();
  // A window that reads slowly hears of everything since when it has read what it was sent.
  const unsubscribe = changes.subscribe(() => {
    if (!response.writableNeedDrain) tellSoon();
  });
  response.on('drain', tellSoon);
  response.on('close', () => {
    unsubscribe();
    clearTimeout(timer);
  });
}
