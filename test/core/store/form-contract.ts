import { describe, expect, test } from 'vitest';
import { FORM, type Store, StoreConfigError } from '../../../src/core/store/store.ts';
import { createFree } from './store-world.ts';

/** Where a store is kept, also while nothing has it open. */
interface StorePlace extends AsyncDisposable {
  open(): Promise<Store>;
  /** What it says of its form, behind the store's back; null: nothing. */
  form(): Promise<number | null>;
  setForm(form: number | null): Promise<void>;
}

/** That a version does not work on what it cannot read. */
export function formContract(openPlace: () => Promise<StorePlace>): void {
  const record = async (place: StorePlace) => {
    await using store = await place.open();
    return await createFree(store, { data: '{"v":3}' });
  };

  describe('the format of a store', () => {
    test('is recorded at the first start, and stays', async () => {
      await using place = await openPlace();
      await record(place);
      expect(await place.form()).toBe(FORM);
      await using store = await place.open();
      expect(await place.form()).toBe(FORM);
      expect(store.now()).toBeGreaterThan(0);
    });

    test('is the first one for a store of version 0.1 without a recorded format, and its records are read', async () => {
      await using place = await openPlace();
      const id = await record(place);
      await place.setForm(null);
      await using store = await place.open();
      expect(await store.read(id)).toMatchObject({ data: '{"v":3}' });
      expect((await store.claim('people', 1)).held).toHaveLength(1);
      expect(await place.form()).toBe(1);
    });

    test('of a newer version is refused with what to do, and the store is left unchanged', async () => {
      await using place = await openPlace();
      const id = await record(place);
      await place.setForm(FORM + 1);
      const refused = place.open();
      await expect(refused).rejects.toBeInstanceOf(StoreConfigError);
      await expect(refused).rejects.toMatchObject({
        code: 'unavailable',
        message:
          'its records are kept in format 2, and this version of Gatepost only knows format 1',
        fix: 'Go back to the version that wrote them, or have it finish what is open and set REDIS_URL or DATA_DIR to an empty store for this one.',
      });
      expect(await place.form()).toBe(FORM + 1);
      await place.setForm(FORM);
      await using store = await place.open();
      expect(await store.read(id)).toBeDefined();
    });
  });
}
