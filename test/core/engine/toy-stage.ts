import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import type { Flow } from '../../../src/core/engine/flow.ts';
import { type WorkNeeds, work } from '../../../src/core/engine/lease-session.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Change, Held, Lease, Saved, Store } from '../../../src/core/store/store.ts';
import { openMemoryWorld } from '../store/memory-world.ts';
import type { StoreWorld } from '../store/store-world.ts';
import { newToy, type Rang, type Ring, type Toy, type Wish } from './toy.ts';

type Save = Store['save'];

/**
 * A store with toys in it, and a worker whose saves a test can intercept. The one in memory: all pass the same contract
 * tests.
 */
export async function openToyStage(opened?: StoreWorld) {
  const world = opened ?? (await openMemoryWorld());
  const [store] = world.stores;
  let wishes = 0;
  return {
    store,
    /** Makes everything in the store older by this much. */
    pass: world.pass,
    async create(change: Partial<Toy> = {}, hold = true): Promise<Held> {
      const data = JSON.stringify({ ...newToy, ...change });
      const record = { kind: 'toy', data, lane: 'people', dueInMs: 0, place: null } as const;
      const created = await store.create(record, { hold });
      if (created.kind !== 'created') throw new Error('a toy has no unique key');
      return created.held ?? (await heldLater(created.id));
    },
    async wish(id: string, wish: Wish) {
      wishes += 1;
      return store.signal(id, { id: `w${wishes}`, body: JSON.stringify(wish) }, { hold: false });
    },
    async toy(id: string): Promise<Toy> {
      const record = await store.read(id);
      // as: written by the toy's flow alone
      return JSON.parse(record?.data ?? 'null') as Toy;
    },
    /** Works on a record; `save` is called between the worker and the store. */
    work(
      held: Held,
      flow: Flow<Toy, Ring, Rang>,
      around: Partial<WorkNeeds> & {
        save?: Around;
        signal?: Store['signal'];
        read?: Store['read'];
      } = {},
    ) {
      const { save = (real) => real(), signal = store.signal.bind(store), ...others } = around;
      const { read = store.read.bind(store), ...needs } = others;
      return work(held, flow, {
        store: {
          save: (lease, change) => save(() => store.save(lease, change), change, lease),
          signal,
          read,
        },
        monotonic: () => performance.now(),
        sleep: (ms) => sleep(ms / 100),
        newId: () => crypto.randomUUID(),
        timing: TRUE_TIME,
        onStep: () => {},
        onVanished: () => {},
        ...needs,
      });
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };

  /** Not leased: only its id is used. */
  async function heldLater(id: string): Promise<Held> {
    const record = await store.read(id);
    if (record === undefined) throw new Error('it was just created');
    return { lease: { id, token: '' }, record, inbox: [], claims: 0, now: 0 };
  }
}

export type Around = (real: () => Promise<Saved>, change: Change, lease: Lease) => ReturnType<Save>;

/** Waits until a check succeeds. */
export function eventually(check: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000, interval: 10 });
}
