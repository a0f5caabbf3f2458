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
  return {
    gone,
    begin: (count: number) => Array.from({ length: count }, giveWay.begin),
    turn: (name: string) => {
      const turn = giveWay.turn();
      if (turn === undefined) gone.push(name);
      void turn?.then(() => gone.push(name));
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
  begin(3);
  turn('one');
  expect(gone).toEqual(['one']);
});

test('gives way while many wait, and goes on in turn once few do', async () => {
  const { begin, turn, gone, pass } = stage();
  const ends = begin(5);
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
  const [end] = begin(4);
  turn('one');
  end?.();
  turn('two');
  expect(gone).toEqual([]);
  await pass(0);
  expect(gone).toEqual(['one', 'two']);
});

test('gives way again to requests that come between two turns', async () => {
  const { begin, turn, gone, pass } = stage();
  const [end] = begin(4);
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
