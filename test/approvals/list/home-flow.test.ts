import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHomeFlow } from '../../../src/approvals/list/home-flow.ts';
import type { Core } from '../../../src/core/core.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Store } from '../../../src/core/store/store.ts';
import { openEmbeddedWorld } from '../../core/store/embedded-world.ts';
import type { StoreWorld } from '../../core/store/store-world.ts';
import { coreWith } from '../../support/core-with.ts';

let world: StoreWorld;
let store: Store;
beforeEach(async () => {
  world = await openEmbeddedWorld();
  [store] = world.stores;
});
afterEach(() => world[Symbol.asyncDispose]());

const { fresh, apart } = TRUE_TIME.homeMs;

/** The Home tab of somebody who opened it, and of which something changed since; after the steps at its slot. */
async function changed(core: Core, openedAt: number) {
  const flow = createHomeFlow(core);
  const home = {
    v: 1,
    user: 'U0ANA',
    choice: { pages: {} },
    routes: ['default'],
    freshUntil: openedAt + fresh,
    publishedAt: openedAt,
    wantedAt: openedAt + 1,
  } as const;
  const now = openedAt + apart;
  const planned = flow.plan(home, now);
  if (planned.kind !== 'step') throw new Error(`planned: ${planned.kind}`);
  expect(planned.step).toEqual({ kind: 'take-home-slot' });
  const result = await flow.execute(home, planned.step, 'id');
  const { data } = flow.apply(home, planned.step, result, now);
  return { data, next: flow.plan(data, now) };
}

test('what changes is shown within a budget of all, and no later than it is kept fresh', async () => {
  const core = coreWith({ store, timing: TRUE_TIME });
  const openedAt = store.now();
  const { next } = await changed(core, openedAt);
  expect(next).toMatchObject({ kind: 'step', step: { kind: 'publish-home' } });
  // So many others that some would have their slot when nobody looks any more.
  const slots = [];
  for (let each = 0; each < 700; each += 1) slots.push((await changed(core, openedAt)).next);
  const until = openedAt + fresh;
  for (const slot of slots.slice(0, 500).filter(({ kind }) => kind !== 'step'))
    expect(slot).toMatchObject({ kind: 'wait', until: expect.toSatisfy((at) => at < until) });
  // They leave their slots to whoever comes next.
  expect(slots.at(-1)).toEqual({ kind: 'wait', until, lane: 'people' });
  const waitMs = await store.pace('home', { intervalMs: 1_000, burst: 10, onlyNow: true });
  expect(waitMs).toBeLessThanOrEqual(fresh);
});
