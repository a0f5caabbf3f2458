import { expect, test, vi } from 'vitest';
import { resumeSuspended } from '../../../src/approvals/decision/resume.ts';
import { blockedIn } from '../../../src/approvals/lists.ts';
import type { Held } from '../../../src/core/store/store.ts';
import { openEmbeddedWorld } from '../../core/store/embedded-world.ts';
import { createFree } from '../../core/store/store-world.ts';

const list = blockedIn('C0PROD');

async function openStage(hasRoom = true) {
  const world = await openEmbeddedWorld();
  const [store] = world.stores;
  const begun: Held[] = [];
  return {
    store,
    begun,
    /** Later than those before it, as the store counts time. */
    async listed(name = list) {
      const before = store.now();
      await vi.waitUntil(() => store.now() > before, { timeout: 60_000, interval: 1 });
      return createFree(store, { lists: [name], dueInMs: 900_000 });
    },
    resume: () =>
      resumeSuspended(
        { store, reconciler: { hasRoom, run: async (held) => void begun.push(held) } },
        list,
      ),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

test('the two approvals that have been listed longest are resumed, and start at once', async () => {
  await using stage = await openStage();
  const first = await stage.listed();
  const second = await stage.listed();
  await stage.listed();
  await stage.listed(blockedIn('C0OTHER'));
  await stage.resume();
  expect(stage.begun.map(({ lease }) => lease.id)).toEqual([first, second]);
  expect(stage.begun.map(({ inbox }) => inbox.map(({ body }) => body))).toEqual(
    Array(2).fill([`{"kind":"resume","list":"${list}"}`]),
  );
});

test('resuming twice stores one signal', async () => {
  await using stage = await openStage(false);
  await stage.listed();
  await stage.resume();
  await stage.resume();
  const { held } = await stage.store.claim('people', 10);
  expect(held.map(({ inbox }) => inbox.length)).toEqual([1]);
});

test('an empty list resumes nothing', async () => {
  await using stage = await openStage();
  await stage.resume();
  expect(stage.begun).toEqual([]);
});
