import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LEASE_MS, type Store } from '../../../src/core/store/store.ts';
import {
  createFree,
  createHeld,
  finish,
  HOUR_MS,
  keep,
  leased,
  newApproval,
  type OpenWorld,
  onlyHeld,
  releaseAt,
  type StoreWorld,
  save,
  saved,
} from './store-world.ts';

/** What lists of records are in every store. */
export function listsContract(openWorld: OpenWorld): void {
  let world: StoreWorld;
  let store: Store;
  let other: Store;
  beforeEach(async () => {
    world = await openWorld();
    [store, other] = world.stores;
  });
  afterEach(() => world[Symbol.asyncDispose]());

  /** Ids on lists, in their order, read in pieces. */
  const on = async (
    names: readonly string[],
    limit = 100,
    newestFirst = false,
  ): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let after: string | undefined; ; ) {
      const { entries, next } = await other.list(names, { after, limit, newestFirst });
      ids.push(...entries.map(({ record }) => record.id));
      if (next === null) return ids;
      after = next;
    }
  };
  const createInTurn = async (count: number, lists: readonly string[]) => {
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) {
      ids.push(await createFree(store, { lists }));
      await world.later();
    }
    return ids;
  };

  describe('lists', () => {
    test('a record stands once on a list that is named twice', async () => {
      const { record } = await createHeld(store, { lists: ['a', 'a'] });
      expect(record.lists).toEqual(['a']);
      expect((await store.read(record.id))?.lists).toEqual(['a']);
      expect(await on(['a'])).toEqual([record.id]);
    });

    test('a unique key can be any text', async () => {
      const uniqueKey = 'a\u2028b\u2029c\r\nd\u0000"e';
      const { lease, record } = await createHeld(store, { uniqueKey, lists: ['a'] });
      saved(await save(store, lease, { lists: ['b'] }));
      expect(await other.find(uniqueKey)).toMatchObject({ id: record.id, uniqueKey, lists: ['b'] });
    });

    test('a new record is on its lists, with all its data', async () => {
      const id = await createFree(store, { lists: ['route:a', 'asker:U1'], uniqueKey: 'u' });
      const { entries, next } = await other.list(['route:a'], { limit: 10 });
      expect(entries.map(({ record }) => record)).toEqual([await store.read(id)]);
      expect(entries[0]?.record.lists.toSorted()).toEqual(['asker:U1', 'route:a']);
      expect(next).toBeNull();
      expect(await on(['asker:U1'])).toEqual([id]);
      expect(await on(['route:b', 'route'])).toEqual([]);
      expect(await on([])).toEqual([]);
    });

    test('a leased record has the names of its lists', async () => {
      const lists = ['route:a'];
      const held = await createHeld(store, { lists });
      expect(held.record.lists).toEqual(lists);
      await save(store, held.lease, { next: releaseAt(held.now) });
      expect(onlyHeld(await other.claim('background', 1)).record.lists).toEqual(lists);
      expect((await createHeld(store)).record.lists).toEqual([]);
    });

    test('a record whose unique key exists is added to no list', async () => {
      const record = { ...newApproval, uniqueKey: 'u' };
      const id = await createFree(store, { ...record, lists: ['a'] });
      const again = await store.create({ ...record, lists: ['b'] }, { hold: true });
      expect(again).toMatchObject({ kind: 'exists', record: { id, lists: ['a'] } });
      expect(await on(['b'])).toEqual([]);
    });

    test('entries come in the order they were added, in pages of any size', async () => {
      const ids = await createInTurn(7, ['a']);
      for (const limit of [1, 2, 3, 6, 7, 8]) expect(await on(['a'], limit)).toEqual(ids);
      const { entries, next } = await store.list(['a'], { limit: 7 });
      expect([entries.length, next]).toEqual([7, null]);
    });

    test('a list can be read from after any entry', async () => {
      const ids = await createInTurn(4, ['a']);
      const { entries, next } = await store.list(['a'], { limit: 3 });
      for (const [i, { cursor }] of entries.entries()) {
        const { entries: behind } = await other.list(['a'], { after: cursor, limit: 9 });
        expect(behind.map(({ record }) => record.id)).toEqual(ids.slice(i + 1));
      }
      expect(next).toBe(entries.at(-1)?.cursor);
    });

    test('entries come in reverse order when requested', async () => {
      const ids = await createInTurn(5, ['a']);
      await createInTurn(2, ['b']);
      for (const limit of [1, 2, 5, 6]) {
        expect(await on(['a'], limit, true)).toEqual(ids.toReversed());
      }
      const others = await on(['b']);
      expect(await on(['a', 'b'], 2, true)).toEqual([...others.toReversed(), ...ids.toReversed()]);
      expect(await on(['0', 'c'], 2, true)).toEqual([]);
    });

    test('several lists are read as one', async () => {
      const ids: string[] = [];
      for (const name of ['a', 'b', 'a', 'c', 'b']) ids.push(...(await createInTurn(1, [name])));
      const [first, second, third, , fifth] = ids;
      expect(await on(['b', 'a'], 2)).toEqual([first, second, third, fifth]);
    });

    test('an unknown cursor starts at the beginning', async () => {
      const ids = await createInTurn(2, ['a']);
      for (const after of ['', 'nonsense', '1_', `1_${'A'.repeat(5_000)}`]) {
        const { entries } = await store.list(['a'], { after, limit: 2 });
        expect(entries.map(({ record }) => record.id)).toEqual(ids);
      }
    });

    test('a save adds a record to the named lists and removes it from others', async () => {
      const held = await createHeld(store, { lists: ['a', 'b'] });
      const { id } = held.record;
      saved(await save(store, held.lease, { lists: ['b', 'c'] }));
      expect(await Promise.all([on(['a']), on(['b']), on(['c'])])).toEqual([[], [id], [id]]);
      saved(await save(store, held.lease, { lists: ['a'] }));
      expect(await Promise.all([on(['a']), on(['b']), on(['c'])])).toEqual([[id], [], []]);
      expect((await store.read(id))?.lists).toEqual(['a']);
      saved(await save(store, held.lease, { lists: [], next: releaseAt(held.now) }));
      expect(await on(['a'])).toEqual([]);
    });

    test('a record that was created without lists is put on them by a save', async () => {
      const id = await createFree(store);
      const held = onlyHeld(await store.claim('people', 1));
      saved(await save(store, held.lease, { lists: ['a'] }));
      expect(await on(['a'])).toEqual([id]);
    });

    test('a record keeps its place through saves that leave it on the list', async () => {
      const first = await createHeld(store, { lists: ['a'] });
      await world.later();
      const second = await createHeld(store, { lists: ['a'] });
      await world.later();
      saved(await save(store, first.lease, { data: '{"n":1}' }));
      saved(await save(store, first.lease, { lists: ['b', 'a'] }));
      saved(await save(store, first.lease, { next: releaseAt(first.now) }));
      expect(await on(['a'])).toEqual([first.record.id, second.record.id]);
      expect((await store.read(first.record.id))?.lists.toSorted()).toEqual(['a', 'b']);
    });

    test('a save that is lost leaves the lists as they are', async () => {
      const silent = await createHeld(store, { lists: ['a'] });
      const { id } = silent.record;
      await world.pass(LEASE_MS);
      const holder = onlyHeld(await other.claim('people', 1));
      for (const change of [{ lists: ['b'] }, { lists: [] }, { next: finish }]) {
        expect(await save(store, silent.lease, change)).toEqual({ kind: 'lost' });
      }
      expect(await Promise.all([on(['a']), on(['b'])])).toEqual([[id], []]);
      saved(await save(other, holder.lease, { lists: ['b'], next: releaseAt(holder.now) }));
      expect(await save(store, silent.lease, { lists: ['a'] })).toEqual({ kind: 'lost' });
      expect(await Promise.all([on(['a']), on(['b'])])).toEqual([[], [id]]);
    });

    test('a record stays on its lists when its holder goes silent or releases it', async () => {
      const silent = await createHeld(store, { lists: ['a'] });
      const { id } = silent.record;
      saved(await save(store, silent.lease, { lists: ['a', 'b'] }));
      await world.pass(LEASE_MS);
      const holder = onlyHeld(await other.claim('people', 1));
      expect(holder.record.lists.toSorted()).toEqual(['a', 'b']);
      await other.defer(holder.lease, holder.now);
      leased(await store.signal(id, { id: 's', body: '' }, { hold: true }));
      expect(await Promise.all([on(['a']), on(['b'])])).toEqual([[id], [id]]);
    });

    test('a record that is finished leaves its lists, those of the same lease too', async () => {
      const early = await createHeld(store, { lists: ['a', 'b'], uniqueKey: 'u1' });
      saved(await save(store, early.lease, { next: finish }));
      const late = await createHeld(store, { lists: ['a'], uniqueKey: 'u2' });
      saved(await save(store, late.lease, { lists: ['a', 'b', 'c'], next: keep }));
      const result = saved(await save(store, late.lease, { data: '"done"', next: finish }));
      expect(result.released).toBe(true);
      const told = await createHeld(store, { lists: ['a'] });
      saved(await save(store, told.lease, { lists: ['a', 'c'], next: finish }));
      expect(await on(['a', 'b', 'c'])).toEqual([]);
      expect(await store.read(late.record.id)).toMatchObject({ data: '"done"', lists: [] });
      await world.pass(HOUR_MS);
      for (const uniqueKey of ['u1', 'u2']) await createFree(store, { uniqueKey });
    });

    test('a record that cannot finish yet because of a signal stays on its lists', async () => {
      const held = await createHeld(store, { lists: ['a'] });
      const { id } = held.record;
      await other.signal(id, { id: 's', body: '' }, { hold: false });
      expect(saved(await save(store, held.lease, { next: finish })).released).toBe(false);
      expect(await on(['a'])).toEqual([id]);
      saved(await save(store, held.lease, { next: finish, handled: ['s'] }));
      expect(await on(['a'])).toEqual([]);
    });

    test('a finished record in use again is on the lists named by a save', async () => {
      const held = await createHeld(store, { lists: ['a'] });
      const { id } = held.record;
      saved(await save(store, held.lease, { next: finish }));
      const again = leased(await store.signal(id, { id: 's', body: '' }, { hold: true }));
      expect(again.record.lists).toEqual([]);
      const change = { handled: ['s'], next: releaseAt(again.now) };
      saved(await save(store, again.lease, { lists: ['a'], ...change }));
      await world.pass(HOUR_MS * 3);
      expect(await on(['a'])).toEqual([id]);
    });

    test('an expired record is never listed', async () => {
      const held = await createHeld(store, { lists: ['a'] });
      const { id } = held.record;
      saved(await save(store, held.lease, { next: finish }));
      const again = leased(await store.signal(id, { id: 's', body: '' }, { hold: true }));
      saved(await save(store, again.lease, { lists: ['a'], handled: ['s'] }));
      expect(await on(['a'])).toEqual([id]);
      await world.pass(HOUR_MS);
      expect(await on(['a'])).toEqual([]);
      const next = await createFree(store, { lists: ['a'] });
      expect(await on(['a'], 1)).toEqual([next]);
    });

    test('a long list stays in order while records are added and removed', async () => {
      const all = await createInTurn(150, ['a']);
      const gone = [...all.slice(20, 60), ...all.slice(120, 130), ...all.slice(0, 3)];
      const { held } = await store.claim('people', 200);
      for (const { lease, record } of held) {
        if (gone.includes(record.id)) await save(store, lease, { next: finish });
      }
      const left = all.filter((id) => !gone.includes(id));
      expect(await on(['a'], 20)).toEqual(left);
      const come = await createInTurn(70, ['a', 'b']);
      expect(await on(['a'], 17)).toEqual([...left, ...come]);
      expect(await on(['a'], 17, true)).toEqual([...left, ...come].toReversed());
      expect([...new Set(await on(['b', 'a'], 17))]).toEqual([...left, ...come]);
      const rest = [...held, ...(await store.claim('people', 200)).held];
      for (const { lease } of rest) await save(store, lease, { lists: [] });
      expect(await on(['a', 'b'])).toEqual([]);
    });

    test('an overview has the count and the start of each list, and what is due first', async () => {
      expect(await store.overview([])).toMatchObject({ firstDueAt: { people: null } });
      const before = store.now();
      const all = await createInTurn(130, ['a']);
      await createFree(store, { lists: ['b'], lane: 'background', dueInMs: HOUR_MS });
      const { now, lists, firstDueAt } = await other.overview(['b', 'a', 'none']);
      expect(lists.map(({ count }) => count)).toEqual([1, all.length, 0]);
      const [onB, onA, none] = lists.map(({ firstAt }) => firstAt);
      // What this process knows of the store's time is about right.
      const isBetween = (at: number | null = null) =>
        at !== null && at > before - 1_000 && at <= now;
      expect([onA, onB].map(isBetween)).toEqual([true, true]);
      expect((onA ?? 0) < (onB ?? 0)).toBe(true);
      expect(none).toBeNull();
      expect(firstDueAt.people).toBeLessThanOrEqual(now);
      expect(firstDueAt.background).toBeGreaterThan(now);
    });

    test('several lists that were filled at once are read as one, each record once', async () => {
      const names = ['a', 'b', 'c', 'd', 'e'];
      const ids: string[] = [];
      for (let round = 0; round < 4; round += 1) {
        const at = (i: number) => ({ lists: [names[(round + i) % names.length] ?? 'a'] });
        const made = Array.from({ length: 40 }, (_, i) => createFree(store, at(i)));
        ids.push(...(await Promise.all(made)));
      }
      for (const limit of [1, 3, 16, 159, 160]) {
        expect((await on(names, limit)).toSorted()).toEqual(ids.toSorted());
      }
      expect(await on(names, 7)).toEqual(await on(names.toReversed(), 500));
    });

    test('records added by two stores at the same time are all there', async () => {
      const ids = await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          createFree(world.stores[i % 2 ? 0 : 1], { lists: ['a'] }),
        ),
      );
      expect((await on(['a'], 7)).toSorted()).toEqual(ids.toSorted());
    });
  });
}
