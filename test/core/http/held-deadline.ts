import type { ServerResponse } from 'node:http';
import { type System, system } from '../../../src/core/lib/system.ts';

/** A system whose clock stands, and whose timers for this long end when the test says so. */
export function heldDeadline(ms: number): { readonly system: System; readonly end: () => void } {
  const due = new Set<() => void>();
  return {
    system: {
      ...system,
      clock: { ...system.clock, monotonic: () => 0 },
      timers: {
        ...system.timers,
        after(givenMs, callback) {
          if (givenMs !== ms) return system.timers.after(givenMs, callback);
          due.add(callback);
          return () => void due.delete(callback);
        },
      },
    },
    end() {
      for (const callback of due) callback();
    },
  };
}

/** Begins an answer that never ends, and calls back once the other side, in this process, has its beginning. */
export function beginAnswer(response: ServerResponse, text: string, onArrived: () => void): void {
  response.writeHead(200, { 'content-length': '100' });
  response.write(text, async () => {
    // What was sent before another whole answer has arrived.
    const { host } = response.req.headers;
    await fetch(`http://${host}/else`, { method: 'HEAD' });
    onArrived();
  });
}
