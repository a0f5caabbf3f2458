import { describe, expect, test } from 'vitest';
import { askForCheck, castBallot } from '../../../src/approvals/ways-in/cast-ballot.ts';
import {
  type Held,
  type Signalled,
  type Store,
  StoreError,
} from '../../../src/core/store/store.ts';
import { coreWith, NO_BOX } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';

// as: the lease's contents are not used here
const held = { lease: { id: '0-abc', token: 't' } } as Held;

function runs() {
  const begun: Held[] = [];
  return { begun, reconciler: { hasRoom: true, run: async (one: Held) => void begun.push(one) } };
}

describe('a press', () => {
  const press = {
    record: '0-abc',
    press: 'press-1',
    trigger: 'trigger-1',
    user: 'U0ANA',
    channel: 'C0PROD',
    message: '17.1',
    responseUrl: 'https://hooks.example.com/secret',
    title: 'Deploy 4.2',
  };
  function stage(signal: () => Promise<Signalled>, hasRoom = true) {
    const { begun, reconciler } = runs();
    const calls: Parameters<Store['signal']>[] = [];
    const needs = coreWith({
      store: fake<Store>({
        signal(...call: Parameters<Store['signal']>) {
          calls.push(call);
          return signal();
        },
      }),
      reconciler: { ...reconciler, hasRoom },
      box: NO_BOX,
    });
    return { needs, calls, begun };
  }

  test('is stored as a signal with its message, and its response URL sealed', async () => {
    const { needs, calls, begun } = stage(async () => ({ kind: 'leased', held }));
    const stored = await castBallot(needs, 'approve', press);
    const [id, signal, options] = calls[0] ?? [];
    expect({ id, options }).toEqual({
      id: '0-abc',
      options: { place: { channel: 'C0PROD', message: '17.1' }, hold: true, once: true },
    });
    expect(signal?.id).toBe('press-1');
    expect(JSON.parse(signal?.body ?? '')).toEqual({
      kind: 'ballot',
      action: 'approve',
      asker: { user: 'U0ANA', channel: 'C0PROD', responseUrl: 'sealed-response-url' },
      message: '17.1',
    });
    expect(begun).toEqual([]);
    if (stored.kind === 'stored') stored.carryOn();
    expect(begun).toEqual([held]);
  });

  test('without a response URL is stored without one', async () => {
    const { needs, calls } = stage(async () => ({ kind: 'queued' }));
    await askForCheck(needs, { ...press, responseUrl: null });
    expect(JSON.parse(calls[0]?.[1].body ?? '')).toEqual({
      kind: 'check',
      asker: { user: 'U0ANA', channel: 'C0PROD' },
      message: '17.1',
    });
  });

  test('is stored without taking a lease if the process has no capacity left', async () => {
    const { needs, calls } = stage(async () => ({ kind: 'queued' }), false);
    expect((await castBallot(needs, 'reject', press)).kind).toBe('stored');
    expect(calls[0]?.[2].hold).toBe(false);
  });

  test.each(['missing', 'mismatch'] as const)(
    'on a record that is %s returns that',
    async (kind) => {
      const { needs } = stage(async () => ({ kind }));
      expect(await castBallot(needs, 'approve', press)).toEqual({ kind });
    },
  );

  test.each(['unavailable', 'unknown'] as const)(
    'returns the error of a store that is %s',
    async (code) => {
      const { needs } = stage(() => Promise.reject(new StoreError(code, 'away')));
      expect(await castBallot(needs, 'approve', press)).toEqual({ kind: code });
    },
  );

  test('does not hide a programming error', async () => {
    const { needs } = stage(() => Promise.reject(new TypeError('ours')));
    await expect(castBallot(needs, 'approve', press)).rejects.toBeInstanceOf(TypeError);
  });
});
