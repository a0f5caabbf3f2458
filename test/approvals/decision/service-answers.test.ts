import { describe, expect, test } from 'vitest';
import { createServiceAnswers } from '../../../src/approvals/decision/service-answers.ts';
import type { Failed } from '../../../src/core/engine/call-result.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { type Store, StoreError } from '../../../src/core/store/store.ts';
import { openEmbeddedWorld } from '../../core/store/embedded-world.ts';

describe('“the service denies every call”', () => {
  const MINUTE = 60_000;
  const answered = { kind: 'status' } as const;
  const failed = (status?: number): Failed => ({
    kind: 'failed',
    failure: { class: 'refused', code: 'x', ...(status !== undefined && { status }) },
  });

  /** Two replicas. */
  async function openReplicas() {
    const world = await openEmbeddedWorld();
    const [store] = world.stores;
    let now = 0;
    const start = () =>
      createServiceAnswers({ clock: { monotonic: () => now }, store, timing: TRUE_TIME });
    const pass = async (ms: number) => {
      now += ms;
      await world.pass(ms);
    };
    return {
      one: start(),
      other: start(),
      pass,
      [Symbol.asyncDispose]: world[Symbol.asyncDispose],
    };
  }

  test.each([401, 403])('is true after a %i, until there is another answer', async (status) => {
    await using replicas = await openReplicas();
    const { one } = replicas;
    expect(one.isDenying()).toBe(false);
    await one.heard(failed(status));
    expect(one.isDenying()).toBe(true);
    // A call without an answer says nothing.
    await one.heard(failed());
    expect(one.isDenying()).toBe(true);
    for (const other of [answered, failed(404), failed(500)]) {
      await one.heard(other);
      expect(one.isDenying()).toBe(false);
      await replicas.pass(MINUTE);
      await one.heard(failed(status));
      expect(one.isDenying()).toBe(true);
    }
  });

  test('is false within a minute of an answer, because single calls may be denied', async () => {
    await using replicas = await openReplicas();
    const { one, pass } = replicas;
    await one.heard(answered);
    await pass(MINUTE - 1);
    await one.heard(failed(403));
    expect(one.isDenying()).toBe(false);
    await pass(1);
    expect(one.isDenying()).toBe(true);
  });

  test('lets one poll a minute try, across all replicas, until the first answer', async () => {
    await using replicas = await openReplicas();
    const { one, other, pass } = replicas;
    for (const each of [one, other]) await each.heard(failed(401));
    expect([await one.isProbe(), await one.isProbe(), await other.isProbe()]).toEqual([
      true,
      false,
      false,
    ]);
    // It may be the only one, with the shortest possible wait.
    await pass(0.9 * MINUTE);
    expect([await other.isProbe(), await one.isProbe()]).toEqual([true, false]);
    await other.heard(answered);
    expect(await one.isProbe()).toBe(true);
  });
});

describe('of the approvals that the service does not know at their first read', () => {
  /** Two replicas, and how to restart them. */
  async function openReplicas() {
    const world = await openEmbeddedWorld();
    const [store] = world.stores;
    let now = 0;
    const start = (kept: Store = store) =>
      createServiceAnswers({ clock: { monotonic: () => now }, store: kept, timing: TRUE_TIME });
    /** Advances the store's time, so that later events are recognized as later. */
    const later = async () => {
      const before = store.now();
      while (store.now() <= before) await store.ping();
      now += 1_000;
    };
    return { start, later, store, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
  }

  test('the third in a row counts, across replicas and restarts', async () => {
    await using replicas = await openReplicas();
    expect(await replicas.start().isThirdNotKnown('0-a')).toBe(false);
    expect(await replicas.start().isThirdNotKnown('0-b')).toBe(false);
    expect(await replicas.start().isThirdNotKnown('0-c')).toBe(true);
    expect(await replicas.start().isThirdNotKnown('0-d')).toBe(true);
  });

  test('one that is counted again after a crash counts once', async () => {
    await using replicas = await openReplicas();
    const one = replicas.start();
    for (const id of ['0-a', '0-a', '0-b', '0-b', '0-a']) {
      expect(await one.isThirdNotKnown(id)).toBe(false);
    }
    expect(await one.isThirdNotKnown('0-c')).toBe(true);
    expect(await one.isThirdNotKnown('0-c')).toBe(true);
  });

  test('an answered poll of another replica resets the count', async () => {
    await using replicas = await openReplicas();
    const [one, other] = [replicas.start(), replicas.start()];
    await one.isThirdNotKnown('0-a');
    await one.isThirdNotKnown('0-b');
    await replicas.later();
    await other.shown(true);
    expect(await one.isThirdNotKnown('0-c')).toBe(false);
    expect(await one.isThirdNotKnown('0-d')).toBe(false);
    expect(await one.isThirdNotKnown('0-e')).toBe(true);
  });

  test('an answered decision resets the count without a call to the store', async () => {
    await using replicas = await openReplicas();
    const one = replicas.start();
    await one.isThirdNotKnown('0-a');
    await one.isThirdNotKnown('0-b');
    await replicas.later();
    await one.shown(false);
    expect(await replicas.start().isThirdNotKnown('0-b')).toBe(false);
    expect(await one.isThirdNotKnown('0-c')).toBe(false);
    // Answers from before the run began say nothing about it.
    await replicas.later();
    const [second, third] = ['0-d', '0-e'];
    expect(await one.isThirdNotKnown(second)).toBe(false);
    expect(await one.isThirdNotKnown(third)).toBe(true);
  });

  test('a poll is not given up because the store is away', async () => {
    await using replicas = await openReplicas();
    const get = () => Promise.reject(new StoreError('unavailable', 'away'));
    await replicas.start({ ...replicas.store, get, now: () => 1 } as Store).shown(true);
  });
});
