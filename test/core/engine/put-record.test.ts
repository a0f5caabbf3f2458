import { expect, it } from 'vitest';
import { recordOnce, untilRead } from '../../../src/core/engine/put-record.ts';
import { type NewRecord, type Store, StoreError } from '../../../src/core/store/store.ts';
import { fake } from '../../support/fake.ts';

it('a key has the same hash as in earlier versions, so their records are found', async () => {
  const keys: unknown[] = [];
  const store = fake<Store>({
    create: async ({ uniqueKey }: NewRecord) => {
      keys.push(uniqueKey);
      return { kind: 'created', id: '0-a', now: 0 } as const;
    },
  });
  const reconciler = { hasRoom: false, run: async () => {} };
  const audit = { action: 'asked', record: null, actor: 'U0ANA', facts: {} };
  const asked = { kind: 'test-case', data: '{}', key: 'form\0V1\0x', audit };
  await recordOnce({ store, reconciler }, asked);
  expect(keys).toEqual(['UTHk_tsdUsnETJkxm_ySBJhSS9GTpcJy8Tmp8W1rvXs']);
});

it('a signal is waited for until its record shows it, also while the store is away', async () => {
  const reads = [{ data: 'old' }, new StoreError('unavailable', 'away'), { data: 'new' }];
  const read = async () => {
    const next = reads.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  const store = fake<Store>({ read: read as Store['read'] });
  const timers = { sleep: async () => {} };
  const shows = (data: string) => (data === 'new' ? data : undefined);
  expect(await untilRead({ store, timers }, '0-a', shows)).toBe('new');
  // It is gone.
  await expect(untilRead({ store, timers }, '0-a', shows)).rejects.toMatchObject({
    code: 'unknown',
  });
});
