import { expect, it } from 'vitest';
import { recordOnce } from '../../../src/core/engine/put-record.ts';
import type { NewRecord, Store } from '../../../src/core/store/store.ts';
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
