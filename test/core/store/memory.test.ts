import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Random } from '../../../src/core/lib/random.ts';
import { Memory } from '../../../src/core/store/memory/memory-store.ts';
import { SortedMemoryTable } from '../../../src/core/store/memory/memory-tables.ts';
import { renewed } from '../../../src/core/store/renewed.ts';
import { cases } from '../../support/cases.ts';
import { fake } from '../../support/fake.ts';
import { auditContract } from './audit-contract.ts';
import { checkpointContract } from './checkpoint-contract.ts';
import { storeContract } from './contract.ts';
import { interleavingsContract } from './interleavings.ts';
import { listsContract } from './lists-contract.ts';
import { openMemoryWorld } from './memory-world.ts';
import {
  collect,
  createFree,
  createHeld,
  finish,
  HOUR_MS,
  leased,
  newApproval,
  onlyHeld,
  releaseAt,
  save,
  saved,
} from './store-world.ts';

describe('the store in memory', () => {
  storeContract(openMemoryWorld);
  listsContract(openMemoryWorld);
  auditContract(openMemoryWorld);
  checkpointContract(openMemoryWorld);
  interleavingsContract(openMemoryWorld);

  test('a store that is closed leaves the records to the others', async () => {
    await using world = await openMemoryWorld();
    const [store, other] = world.stores;
    const id = await createFree(store);
    await store[Symbol.asyncDispose]();
    expect(await other.read(id)).toBeDefined();
    expect(await world.memory.openStore().read(id)).toBeDefined();
  });

  test('expired data is removed', async () => {
    await using world = await openMemoryWorld();
    const [store] = world.stores;
    const held = await createHeld(store, { uniqueKey: 'u', lists: ['a'] });
    saved(await save(store, held.lease, { next: finish }));
    const again = leased(await store.signal(held.record.id, { id: 's', body: '' }, { hold: true }));
    await store.signal(held.record.id, { id: 't', body: '' }, { hold: true });
    saved(await save(store, again.lease, { lists: ['b'] }));
    await store.put('k', 'v', HOUR_MS);
    await store.pause('p', HOUR_MS);
    await world.pass(2 * HOUR_MS);
    await store.ping();
    const { tables } = world.memory.snapshot();
    const { due, lists, expiry, records, small, unique, inboxes, waiting } = tables;
    for (const table of [due.people, due.background, lists, expiry, inboxes, waiting]) {
      expect(table.size).toBe(0);
    }
    expect(records.get(held.record.id)).toBeUndefined();
    expect([unique.get('u'), small.get('k:k'), small.get('pause:p')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  describe('after it is restored to an earlier moment', () => {
    test('has all that was there then and nothing that came later', async () => {
      await using world = await openMemoryWorld();
      const [store, other] = world.stores;
      const id = await createFree(store, { lists: ['a'], uniqueKey: 'u' });
      await store.put('k', 'before', HOUR_MS);
      const before = world.memory.snapshot();
      const held = onlyHeld(await store.claim('people', 1));
      saved(await save(store, held.lease, { data: '"later"', lists: ['b'], next: finish }));
      const later = await createFree(store, { lists: ['a'], uniqueKey: 'v' });
      await store.signal(later, { id: 's', body: '' }, { hold: false, once: true });
      await store.put('k', 'later', HOUR_MS);
      await store.writeAudit({ action: 'a', record: null, actor: 'U1', facts: {} });
      // The second time it is still as it was.
      for (let times = 0; times < 2; times += 1) {
        world.memory.restore(before);
        expect(await other.read(later)).toBeUndefined();
        expect(await other.get('k')).toBe('before');
        expect(await collect(other.readAudit({}))).toEqual([]);
        expect((await other.list(['a', 'b'], { limit: 9 })).entries).toHaveLength(1);
        const again = onlyHeld(await other.claim('people', 9));
        expect(again).toMatchObject({ claims: 1, record: { id, data: newApproval.data } });
        await createFree(other, { uniqueKey: 'v' });
      }
    });

    test('refuses holders from after that moment, and time does not go back', async () => {
      await using world = await openMemoryWorld();
      const [store, other] = world.stores;
      await createFree(store);
      const before = world.memory.snapshot();
      const old = onlyHeld(await store.claim('people', 1));
      await world.pass(HOUR_MS);
      world.memory.restore(before);
      expect(await save(store, old.lease)).toEqual({ kind: 'lost' });
      const taken = onlyHeld(await other.claim('people', 1));
      expect(taken.now).toBeGreaterThanOrEqual(old.now + HOUR_MS);
      expect(await save(store, old.lease)).toEqual({ kind: 'lost' });
      saved(await save(other, taken.lease));
    });

    test('accepts a holder whose saves are all there, and refuses one whose save was lost', async () => {
      await using world = await openMemoryWorld();
      const [store] = world.stores;
      const { lease } = await createHeld(store);
      saved(await save(store, lease, { data: '1' }));
      const before = world.memory.snapshot();
      saved(await save(store, renewed(lease), { data: '2' }));
      world.memory.restore(before);
      expect(await save(store, renewed(renewed(lease)), { data: '3' })).toEqual({ kind: 'lost' });
      saved(await save(store, renewed(lease), { data: '4' }));
    });

    test('a snapshot can be restored in another memory, and the two are independent', async () => {
      await using world = await openMemoryWorld();
      await using second = await openMemoryWorld();
      const held = await createHeld(world.stores[0]);
      second.memory.restore(world.memory.snapshot());
      saved(await save(world.stores[0], held.lease, { data: '1', next: finish }));
      const { id } = held.record;
      expect(await second.stores[0].read(id)).toMatchObject({ data: newApproval.data });
      saved(await save(second.stores[0], held.lease, { data: '2' }));
      expect(await world.stores[0].read(id)).toMatchObject({ data: '1' });
    });
  });

  test('the same calls at the same times do the same', async () => {
    const live = async () => {
      let at = 1_000;
      let drawn = 0;
      const clock = { now: () => at, monotonic: () => at };
      const random = fake<Random>({
        bytes(count: number) {
          drawn += 1;
          return Buffer.alloc(count, drawn);
        },
      });
      const store = new Memory({ clock, random }).openStore();
      const answers: unknown[] = [];
      for (let i = 0; i < 20; i += 1) {
        at += 500;
        await createFree(store, { lists: ['a'], dueInMs: (i * 7_919) % 5_000 });
        const { held } = await store.claim('people', 2);
        for (const { lease, now } of held) await save(store, lease, { next: releaseAt(now + 900) });
        const listed = await store.list(['a'], { limit: 3 });
        answers.push(held, await store.claim('background', 1), listed);
      }
      return answers;
    };
    expect(await live()).toEqual(await live());
  });

  test('every operation takes effect at the call, in order', async () => {
    await using world = await openMemoryWorld();
    const [store, other] = world.stores;
    const id = await createFree(store);
    const [first, second] = [store.claim('people', 1), other.claim('people', 1)];
    const read = other.read(id);
    expect((await first).held).toHaveLength(1);
    expect((await second).held).toEqual([]);
    expect(await read).toBeDefined();
  });

  test('claims in order from many records', async () => {
    const many = cases(5_000, 100_000);
    let at = 0;
    const clock = { now: () => at, monotonic: () => at };
    await using world = await openMemoryWorld({ clock });
    const [store] = world.stores;
    const inOrder: string[] = [];
    for (let i = 0; i < many; i += 1) {
      const place = (i * 7_919) % many;
      inOrder[place] = await createFree(store, { dueInMs: place });
    }
    at += HOUR_MS;
    const given: string[] = [];
    for (let i = 0; i < many / 100; i += 1) {
      for (const { record } of (await store.claim('people', 10)).held) given.push(record.id);
    }
    expect(given).toEqual(inOrder.slice(0, many / 10));
    expect((await store.claim('people', 0)).size).toBe(many);
  });
});

describe('a sorted table in memory', () => {
  type Key = [name: string, at: number];
  type Bound = [name: string] | Key;
  const name = fc.constantFrom('a', 'ab', 'b');
  const key = fc.tuple(name, fc.nat(600)) satisfies fc.Arbitrary<Key>;
  const bound = fc.oneof(key, fc.tuple(name)) satisfies fc.Arbitrary<Bound>;
  const isBefore = (a: Bound, b: Bound) =>
    a[0] < b[0] || (a[0] === b[0] && (a[1] ?? -1) < (b[1] ?? -1));

  test('gives the same results as a plain sorted list, after it grows and shrinks', () => {
    const puts = fc.array(key, { minLength: 2_000, maxLength: 3_000, size: 'max' });
    const check = (keys: readonly Key[], start: Bound, end: Bound, limit: number) => {
      const table = new SortedMemoryTable<number, Key>();
      const plain = new Map<string, { key: Key; value: number }>();
      const compare = () => {
        const sorted = [...plain.values()].sort((a, b) => (isBefore(a.key, b.key) ? -1 : 1));
        const within = sorted.filter((one) => !isBefore(one.key, start) && isBefore(one.key, end));
        expect([...table.getRange({ start, end, limit })]).toEqual(within.slice(0, limit));
        const backwards = sorted.toReversed().map((one) => one.key);
        expect([...table.getKeys({ reverse: true, limit })]).toEqual(backwards.slice(0, limit));
        expect(table.size).toBe(plain.size);
        for (const { key, value } of sorted) expect(table.get(key)).toBe(value);
      };
      for (const [value, key] of keys.entries()) {
        table.putSync(key, value);
        plain.set(key.join(), { key, value });
      }
      compare();
      for (const key of keys.slice(500)) {
        expect(table.removeSync(key)).toBe(plain.delete(key.join()));
      }
      compare();
      const copy = table.copy();
      for (const key of keys) table.removeSync(key);
      expect([table.size, [...table.getKeys({ limit: 1 })]]).toEqual([0, []]);
      expect(copy.size).toBe(plain.size);
    };
    fc.assert(fc.property(puts, bound, bound, fc.nat(900), check), { numRuns: cases(3, 30) });
  });
});
