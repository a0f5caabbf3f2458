import { describe, expect, test, vi } from 'vitest';
import { system } from '../../../src/core/lib/system.ts';
import { createEmbeddedStore } from '../../../src/core/store/embedded/create-embedded-store.ts';
import { openTables } from '../../../src/core/store/embedded/tables.ts';
import { auditContract } from './audit-contract.ts';
import { checkpointContract } from './checkpoint-contract.ts';
import { storeContract } from './contract.ts';
import { openEmbeddedWorld } from './embedded-world.ts';
import { interleavingsContract } from './interleavings.ts';
import { listsContract } from './lists-contract.ts';
import { collect, createFree, createHeld, HOUR_MS, leased, save, saved } from './store-world.ts';

describe('the embedded store', () => {
  storeContract(openEmbeddedWorld);
  listsContract(openEmbeddedWorld);
  auditContract(openEmbeddedWorld);
  checkpointContract(openEmbeddedWorld);
  interleavingsContract(openEmbeddedWorld);

  test('a second start on the same folder is refused, and may come when the first has ended', async () => {
    await using world = await openEmbeddedWorld();
    const { folder } = world;
    const again = () => createEmbeddedStore({ ...system, folder, auditMs: 1 });
    await expect(again()).rejects.toMatchObject({ code: 'folder_in_use' });
    await world.stores[0][Symbol.asyncDispose]();
    const second = await again();
    await second[Symbol.asyncDispose]();
  });

  test('what was written is there after closing and opening', async () => {
    await using world = await openEmbeddedWorld();
    const { folder } = world;
    const id = await createFree(world.stores[0], { uniqueKey: 'u' });
    await world.stores[0].put('k', 'v', HOUR_MS);
    await world.stores[0][Symbol.asyncDispose]();
    await using again = await createEmbeddedStore({ ...system, folder, auditMs: 1 });
    expect(await again.read(id)).toMatchObject({ uniqueKey: 'u' });
    expect(await again.get('k')).toBe('v');
    expect((await again.claim('people', 1)).held).toHaveLength(1);
  });

  test('signals that an earlier build left in one row wait in order', async () => {
    await using world = await openEmbeddedWorld();
    const { folder } = world;
    const id = await createFree(world.stores[0]);
    await world.stores[0][Symbol.asyncDispose]();
    const { root } = openTables(folder);
    const old = ['b', 'a'].map((each) => ({ id: each, at: 1, body: '' }));
    await root.openDB({ name: 'inboxes' }).put(id, old);
    await root.close();
    await using again = await createEmbeddedStore({ ...system, folder, auditMs: 1 });
    await again.signal(id, { id: 'a', body: '' }, { hold: false });
    const { inbox } = leased(await again.signal(id, { id: 'c', body: '' }, { hold: true }));
    expect(inbox).toEqual([...old, { id: 'c', at: expect.any(Number), body: '' }]);
  });

  test('after a restart time goes on from where it was, although the clock was set back', async () => {
    await using world = await openEmbeddedWorld();
    const { folder } = world;
    const [first] = world.stores;
    await createFree(first, { dueInMs: 300 });
    await world.pass(5 * 60_000);
    const { now } = await first.claim('background', 1);
    await createFree(first, { dueInMs: 300 });
    await first[Symbol.asyncDispose]();
    // By the machine's own clock, which is five minutes behind.
    await using again = await createEmbeddedStore({ ...system, folder, auditMs: 1 });
    expect(again.now()).toBeGreaterThanOrEqual(now);
    const isDue = async () => (await again.claim('people', 2)).held.length > 0;
    await vi.waitUntil(isDue, { timeout: 60_000, interval: 5 });
    await vi.waitUntil(isDue, { timeout: 60_000, interval: 5 });
  });

  test('time is kept where nothing is written', async () => {
    await using world = await openEmbeddedWorld();
    const [store] = world.stores;
    await createFree(store, { dueInMs: HOUR_MS });
    await world.pass(60_000);
    const { now } = await store.claim('people', 1);
    // As after a kill: nothing is closed before.
    await using other = await createEmbeddedStore({
      ...system,
      folder: world.folder,
      auditMs: 1,
      guard: false,
    });
    expect(other.now()).toBeGreaterThanOrEqual(now);
  });

  test('what has ended is cleared away by later writes', async () => {
    await using world = await openEmbeddedWorld();
    const [store] = world.stores;
    const held = await createHeld(store, { uniqueKey: 'u', lists: ['a'] });
    const next = { kind: 'finish', keepMs: HOUR_MS } as const;
    saved(await save(store, held.lease, { next }));
    const again = leased(await store.signal(held.record.id, { id: 's', body: '' }, { hold: true }));
    saved(await save(store, again.lease, { lists: ['b'] }));
    await store.put('k', 'v', HOUR_MS);
    await store.pause('p', HOUR_MS);
    await world.pass(2 * HOUR_MS);
    const last = await createFree(store, { dueInMs: HOUR_MS });
    await store[Symbol.asyncDispose]();
    const { root, due, records, clock, ...others } = openTables(world.folder);
    expect([...records.getKeys()]).toEqual([last]);
    expect([...due.people.getKeys()].map(([, id]) => id)).toEqual([last]);
    for (const table of Object.values(others)) expect([...table.getKeys()]).toEqual([]);
    await root.close();
  });

  test('audit entries older than their time go when new ones are written', async () => {
    await using world = await openEmbeddedWorld();
    const [store] = world.stores;
    const entry = (action: string) => ({ action, record: null, actor: 'gatepost', facts: {} });
    const audit = Array.from({ length: 30 }, (_, i) => entry(`old.${i}`));
    await createFree(store, { audit });
    await world.pass(2 * HOUR_MS);
    for (let i = 0; i < 10; i += 1) await createFree(store, { audit: [entry('new')] });
    const left = await collect(store.readAudit({}));
    expect(left.map(({ action }) => action)).toEqual(Array.from({ length: 10 }, () => 'new'));
  });
});
