import { describe, expect, it } from 'vitest';
import {
  recordOnce,
  signalRecord,
  storeSignal,
  untilRead,
  withSeen,
} from '../../../src/core/engine/put-record.ts';
import {
  type Created,
  type Held,
  type NewRecord,
  type Signalled,
  type Store,
  type StoredRecord,
  StoreError,
} from '../../../src/core/store/store.ts';
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

describe('what was stored is worked on here', () => {
  const signal = { id: 's', body: '{}' };
  const lease = { id: '0-a', token: 't' };
  const held = fake<Held>({ lease });

  /** What is run, and how the store was asked. */
  function stage(answer: Signalled | Created, hasRoom = true) {
    const run: unknown[] = [];
    const asked: unknown[] = [];
    const store = fake<Store>({
      // as: each test asks for one of the two
      async signal(...args) {
        asked.push(args);
        return answer as Signalled;
      },
      async create(...args) {
        asked.push(args);
        return answer as Created;
      },
    });
    const reconciler = { hasRoom, run: async (work: Held) => void run.push(work.lease.id) };
    return { store, reconciler, run, asked };
  }

  it.each([true, false])(
    'if its lease came with it, which is asked for only where there is room: %j',
    async (hasRoom) => {
      const core = stage({ kind: 'leased', held }, hasRoom);
      expect(await signalRecord(core, '0-a', signal, { once: true })).toBe('stored');
      expect(core.asked).toEqual([['0-a', signal, { once: true, hold: hasRoom }]]);
      expect(core.run).toEqual(['0-a']);
    },
  );

  it('only after the acknowledgement', async () => {
    const signalled = stage({ kind: 'leased', held });
    const stored = await storeSignal(signalled, '0-a', signal, {});
    expect([stored.kind, signalled.run]).toEqual(['stored', []]);
    if (stored.kind === 'stored') stored.carryOn();
    expect(signalled.run).toEqual(['0-a']);
    const created = stage({ kind: 'created', id: '0-a', now: 0, held });
    const audit = { action: 'asked', record: null, actor: 'U0ANA', facts: {} };
    const once = await recordOnce(created, { kind: 'case', data: '{}', key: 'k', audit });
    const record = { kind: 'case', data: '{}', lane: 'people', dueInMs: 0, audit: [audit] };
    expect(created.asked).toMatchObject([[record, { hold: true }]]);
    expect(created.run).toEqual([]);
    once.carryOn();
    expect(created.run).toEqual(['0-a']);
  });

  it.each(['queued', 'known'] as const)(
    'but not if another holds it, or it was known: %s',
    async (kind) => {
      const core = stage({ kind });
      expect(await signalRecord(core, '0-a', signal)).toBe('stored');
      expect(core.asked).toEqual([['0-a', signal, { once: false, hold: true }]]);
      const stored = await storeSignal(core, '0-a', signal, {});
      expect(stored.kind).toBe('stored');
      if (stored.kind === 'stored') stored.carryOn();
      expect(core.run).toEqual([]);
    },
  );

  it('and not if there is none, or it is in another place', async () => {
    expect(await signalRecord(stage({ kind: 'missing' }), '0-a', signal)).toBe('missing');
    const core = stage({ kind: 'mismatch' });
    expect(await storeSignal(core, '0-a', signal, {})).toEqual({ kind: 'mismatch' });
  });
});

it('a record keeps the ids of its last twenty signals', () => {
  expect(withSeen(undefined, 'a')).toEqual(['a']);
  const ids = Array.from({ length: 20 }, (_, at) => `s${at}`);
  expect(withSeen(ids.slice(0, 19), 's19')).toEqual(ids);
  expect(withSeen(ids, 'last')).toEqual([...ids.slice(1), 'last']);
});

it('a signal is waited for in growing steps, and not for ever', async () => {
  const waits: number[] = [];
  const store = fake<Store>({ read: async () => fake<StoredRecord>({ data: 'old' }) });
  const timers = { sleep: async (ms: number) => void waits.push(ms) };
  await expect(untilRead({ store, timers }, '0-a', () => undefined)).rejects.toThrow(
    'a signal was stored and is not part of its record yet',
  );
  expect(waits.slice(0, 5)).toEqual([10, 40, 100, 250, 250]);
  expect(waits).toHaveLength(60);
});
