import { expect, test } from 'vitest';
import { createWaiting } from '../../../src/approvals/ways-in/waiting.ts';
import type { Logger } from '../../../src/core/engine/reconciler.ts';
import type { Timers } from '../../../src/core/lib/timers.ts';
import { type AuditEntry, type Store, StoreError } from '../../../src/core/store/store.ts';
import { fake } from '../../support/fake.ts';

/** Time controlled by the test, and an audit log that others write. */
function openStage() {
  const due: { at: number; callback: () => void }[] = [];
  const entries: AuditEntry[] = [];
  const looks: number[] = [];
  let now = 1_000_000;
  let isAway = false;
  const waiting = createWaiting({
    store: fake<Store>({
      now: () => now,
      async *readAudit({ sinceAt = 0 }) {
        looks.push(sinceAt);
        if (isAway) throw new StoreError('unavailable', 'away');
        yield* entries.filter(({ at }) => at >= sinceAt);
      },
    }),
    timers: fake<Timers>({
      after(ms, callback) {
        const entry = { at: now + ms, callback };
        due.push(entry);
        return () => void (due.includes(entry) && due.splice(due.indexOf(entry), 1));
      },
    }),
    logger: fake<Logger>({ warn() {} }),
  });
  return {
    waiting,
    looks,
    away: (is: boolean) => {
      isAway = is;
    },
    happens: (record: string) =>
      void entries.push({ id: '0', at: now, action: 'a', record, actor: 'x', facts: {} }),
    async pass(ms: number) {
      const endAt = now + ms;
      for (;;) {
        const [next] = due.filter(({ at }) => at <= endAt).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        due.splice(due.indexOf(next), 1);
        now = next.at;
        next.callback();
        await new Promise((resolve) => setImmediate(resolve));
      }
      now = endAt;
    },
    timers: () => due.length,
  };
}

function told(news: Promise<void>) {
  const state = { isTold: false };
  void news.then(() => {
    state.isTold = true;
  });
  return state;
}

test('thousands of waits share one read of the store, and only those affected are notified', async () => {
  const stage = openStage();
  const all = Array.from({ length: 3_000 }, (_, at) => told(stage.waiting.news(`0-${at}`, 50_000)));
  await stage.pass(2_000);
  expect(stage.looks).toHaveLength(4);
  stage.happens('0-7');
  stage.happens('0-of-nobody');
  await stage.pass(1_000);
  expect(all.flatMap(({ isTold }, at) => (isTold ? [at] : []))).toEqual([7]);
  await stage.pass(50_000);
  expect(all.every(({ isTold }) => isTold)).toBe(true);
  await stage.pass(1_000);
  expect(stage.timers(), 'nobody looks when nobody waits').toBe(0);
});

test('a change saved by this process is notified at once', async () => {
  const { waiting, pass } = openStage();
  const first = told(waiting.news('0-a', 50_000));
  const other = told(waiting.news('0-b', 50_000));
  waiting.saved('0-a');
  await pass(0);
  await new Promise((resolve) => setImmediate(resolve));
  expect([first.isTold, other.isTold]).toEqual([true, false]);
});

test('waits are notified after the store was away for a while', async () => {
  const stage = openStage();
  const one = told(stage.waiting.news('0-a', 50_000));
  stage.away(true);
  stage.happens('0-a');
  await stage.pass(3_000);
  expect(one.isTold).toBe(false);
  stage.away(false);
  await stage.pass(1_000);
  expect(one.isTold).toBe(true);
});

test('when the process stops all waits end, and no timer is left', async () => {
  const { waiting, timers } = openStage();
  const waited = waiting.news('0-a', 50_000);
  waiting.stop();
  await waited;
  await waiting.news('0-a', 50_000);
  expect(waiting.isStopped).toBe(true);
  expect(timers()).toBe(0);
});
