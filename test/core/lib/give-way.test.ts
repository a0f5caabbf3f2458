import { expect, test } from 'vitest';
import { createGiveWay } from '../../../src/core/lib/give-way.ts';

/** Time that only passes when a test says so. */
function stage() {
  let now = 0;
  let timers: { readonly at: number; readonly callback: () => void }[] = [];
  const giveWay = createGiveWay({
    clock: { monotonic: () => now },
    timers: {
      after(ms, callback) {
        const timer = { at: now + ms, callback };
        timers.push(timer);
        return () => {
          timers = timers.filter((each) => each !== timer);
        };
      },
    },
  });
  const gone: string[] = [];
  const after = new Map<string, () => void>();
  const go = (name: string) => {
    gone.push(name);
    after.get(name)?.();
  };
  return {
    gone,
    onGone: (name: string, then: () => void) => void after.set(name, then),
    begin: (count: number) => Array.from({ length: count }, giveWay.begin),
    turn: (name: string) => {
      const turn = giveWay.turn();
      if (turn === undefined) go(name);
      void turn?.then(() => go(name));
    },
    /** Lets time pass, one timer after the other. */
    async pass(ms: number) {
      const until = now + ms;
      for (;;) {
        const next = timers.toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined || next.at > until) break;
        now = next.at;
        timers = timers.filter((each) => each !== next);
        next.callback();
        await Promise.resolve();
      }
      now = until;
    },
  };
}

test('goes on at once while few requests wait', () => {
  const { begin, turn, gone } = stage();
  begin(24);
  turn('one');
  expect(gone).toEqual(['one']);
});

test('waits while many requests wait, and then continues in order', async () => {
  const { begin, turn, gone, pass } = stage();
  const ends = begin(26);
  turn('one');
  turn('two');
  await pass(100);
  ends[0]?.();
  await pass(100);
  expect(gone).toEqual([]);
  ends[1]?.();
  await pass(0);
  expect(gone).toEqual(['one', 'two']);
});

test('does not overtake what waits for its turn', async () => {
  const { begin, turn, gone, pass } = stage();
  const [end] = begin(25);
  turn('one');
  end?.();
  turn('two');
  expect(gone).toEqual([]);
  await pass(0);
  expect(gone).toEqual(['one', 'two']);
});

test('waits again for requests that arrive between two turns', async () => {
  const { begin, turn, gone, pass } = stage();
  const [end] = begin(25);
  turn('one');
  turn('two');
  end?.();
  const [later] = begin(1);
  await pass(100);
  expect(gone).toEqual([]);
  later?.();
  await pass(0);
  expect(gone).toEqual(['one', 'two']);
});

test('waits two seconds at most', async () => {
  const { begin, turn, gone, pass } = stage();
  begin(200);
  turn('one');
  await pass(1_500);
  turn('two');
  await pass(499);
  expect(gone).toEqual([]);
  await pass(1);
  expect(gone).toEqual(['one']);
  await pass(1_500);
  expect(gone).toEqual(['one', 'two']);
});

test('checks for new requests after eight turns in a row', async () => {
  const { begin, turn, gone, pass, onGone } = stage();
  const [end] = begin(25);
  for (let at = 1; at <= 10; at++) turn(String(at));
  onGone('8', () => begin(1));
  end?.();
  await pass(100);
  expect(gone).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
});
