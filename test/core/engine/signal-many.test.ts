import { expect, it } from 'vitest';
import { signalEach, signalPage } from '../../../src/core/engine/signal-many.ts';
import { type Store, type StoredRecord, StoreError } from '../../../src/core/store/store.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';

const signal = { id: 's', body: '{}' };

/** A store in which `away` cannot be reached and `gone` is no more. */
function coreOf(trouble: Error = new StoreError('unavailable', 'it is away')) {
  const told: string[] = [];
  const store = fake<Store>({
    async signal(id: string) {
      if (id === 'away') throw trouble;
      if (id === 'gone') return { kind: 'missing' };
      told.push(id);
      return { kind: 'queued' };
    },
    list: async () => ({
      entries: ['a', 'away', 'gone', 'skipped', 'b', 'c'].map((id) => ({
        record: fake<StoredRecord>({ id }),
        cursor: id,
      })),
      next: 'c',
    }),
  });
  return Object.assign(coreWith({ store, reconciler: { hasRoom: false, run: async () => {} } }), {
    told,
  });
}

it('each record has an end of its own, in their order', async () => {
  const core = coreOf();
  const signals = ['a', 'away', 'gone', 'b'].map((id) => [id, signal] as const);
  expect(await signalEach(core, signals)).toEqual(['stored', 'missed', 'missing', 'stored']);
  expect(core.told).toEqual(['a', 'b']);
});

it('a page says where the next one starts, how many were told, and whether any was missed', async () => {
  const core = coreOf();
  const page = await signalPage(core, ['list'], { limit: 9 }, ({ id }) =>
    id === 'skipped' ? undefined : signal,
  );
  expect(page).toEqual({ next: 'c', stored: 3, hasMissed: true });
  expect(core.told).toEqual(['a', 'b', 'c']);
});

it('a mistake of our own is no missed record', async () => {
  const core = coreOf(new TypeError('ours'));
  await expect(signalEach(core, [['away', signal]])).rejects.toThrow('ours');
});
