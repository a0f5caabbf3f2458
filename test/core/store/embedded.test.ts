import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { system } from '../../../src/core/lib/system.ts';
import { createEmbeddedStore } from '../../../src/core/store/embedded/create-embedded-store.ts';
import { writeMarker } from '../../../src/core/store/embedded/folder-check.ts';
import { type FolderTables, openTables } from '../../../src/core/store/embedded/tables.ts';
import { auditContract } from './audit-contract.ts';
import { checkpointContract } from './checkpoint-contract.ts';
import { storeContract } from './contract.ts';
import { FOLDERS, openEmbeddedWorld } from './embedded-world.ts';
import { formContract } from './form-contract.ts';
import { interleavingsContract } from './interleavings.ts';
import { listsContract } from './lists-contract.ts';
import { reusing } from './reusing.ts';
import { createFree, createHeld, HOUR_MS, leased, save, saved } from './store-world.ts';

describe('the embedded store', () => {
  const open = reusing(openEmbeddedWorld);
  storeContract(open);
  listsContract(open);
  auditContract(open);
  // A store remembers the checkpoints that it wrote.
  checkpointContract(openEmbeddedWorld);
  interleavingsContract(open);
  formContract(async () => {
    const folder = await mkdtemp(join(FOLDERS, 'embedded-form-'));
    const withForm = async <Value>(use: (form: FolderTables['form']) => Value) => {
      const { root, form } = openTables(folder);
      const value = await use(form);
      await root.close();
      return value;
    };
    return {
      open: () => createEmbeddedStore({ ...system, folder }),
      form: () => withForm((form) => form.get('form') ?? null),
      async setForm(number) {
        await withForm((form) =>
          number === null ? form.remove('form') : form.put('form', number),
        );
        // As after an orderly stop: a file that was changed since is read by another process first.
        await writeMarker(folder, { at: Date.now(), records: 1, isClosed: true });
      },
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
    };
  });

  test('a second start on the same folder is refused, and may come when the first has ended', async () => {
    await using world = await openEmbeddedWorld();
    const { folder } = world;
    const again = () => createEmbeddedStore({ ...system, folder });
    await expect(again()).rejects.toMatchObject({ code: 'folder_in_use' });
    await world.stores[0][Symbol.asyncDispose]();
    const second = await again();
    await second[Symbol.asyncDispose]();
  });

  test('records and keys are still there after a restart', async () => {
    await using world = await openEmbeddedWorld();
    const { folder } = world;
    const id = await createFree(world.stores[0], { uniqueKey: 'u' });
    await world.stores[0].put('k', 'v', HOUR_MS);
    await world.stores[0][Symbol.asyncDispose]();
    await using again = await createEmbeddedStore({ ...system, folder });
    expect(await again.read(id)).toMatchObject({ uniqueKey: 'u' });
    expect(await again.get('k')).toBe('v');
    expect((await again.claim('people', 1)).held).toHaveLength(1);
  });

  test('time does not go back after a restart, even if the clock was set back', async () => {
    await using world = await openEmbeddedWorld();
    const { folder } = world;
    const [first] = world.stores;
    await createFree(first, { dueInMs: 300 });
    await world.pass(5 * 60_000);
    const { now } = await first.claim('background', 1);
    await createFree(first, { dueInMs: 300 });
    await first[Symbol.asyncDispose]();
    // By the machine's own clock, which is five minutes behind.
    await using again = await createEmbeddedStore({ ...system, folder });
    expect(again.now()).toBeGreaterThanOrEqual(now);
    const isDue = async () => (await again.claim('people', 2)).held.length > 0;
    await vi.waitUntil(isDue, { timeout: 60_000, interval: 5 });
    await vi.waitUntil(isDue, { timeout: 60_000, interval: 5 });
  });

  test('time is saved even when nothing else is written', async () => {
    await using world = await openEmbeddedWorld();
    const [store] = world.stores;
    await createFree(store, { dueInMs: HOUR_MS });
    await world.pass(60_000);
    const { now } = await store.claim('people', 1);
    // As after a kill: nothing is closed before.
    await using other = await createEmbeddedStore({
      ...system,
      folder: world.folder,
      guard: false,
    });
    expect(other.now()).toBeGreaterThanOrEqual(now);
  });

  test('expired data is removed by later writes', async () => {
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
    const { root, due, records, clock, form, ...others } = openTables(world.folder);
    expect([...records.getKeys()]).toEqual([last]);
    expect([...due.people.getKeys()].map(([, id]) => id)).toEqual([last]);
    for (const table of Object.values(others)) expect([...table.getKeys()]).toEqual([]);
    await root.close();
  });
});
