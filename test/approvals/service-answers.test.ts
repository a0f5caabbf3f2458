import { describe, expect, test } from 'vitest';
import { createServiceAnswers, type ServiceResult } from '../../src/approvals/service-answers.ts';
import { type Store, StoreError } from '../../src/core/store/store.ts';
import { openEmbeddedWorld } from '../core/store/embedded-world.ts';

describe('that the service lets us in', () => {
  const failed = (status: number): ServiceResult => ({
    kind: 'failed',
    failure: { class: 'refused', code: `http_${status}`, status },
  });
  const answer = { status: 'PENDING', raw: null, resolvedAt: null } as const;
  const isAuthorized = { kind: 'status', answer } as const;
  const news = { ...isAuthorized, authorizedAgain: true };

  /** A process that was let in once; it needs no store for that. */
  function openAccess() {
    let now = 5_000;
    // as: see above
    const store = {} as Store;
    const serviceAnswers = createServiceAnswers({ clock: { monotonic: () => now }, store });
    const after = (result: ServiceResult, isResumed = false) =>
      serviceAnswers.after(result, isResumed);
    expect(after(isAuthorized)).toEqual(news);
    const wait = (ms: number) => {
      now += ms;
    };
    return { after, wait };
  }

  test('is news at the first answer, and once after each time that it did not', () => {
    const { after } = openAccess();
    expect(after(isAuthorized)).toEqual(isAuthorized);
    expect(after(failed(401))).toEqual(failed(401));
    expect(after({ kind: 'slot', waitMs: 0 })).not.toHaveProperty('authorizedAgain');
    expect(after(failed(404))).toEqual({ ...failed(404), authorizedAgain: true });
    expect(after(isAuthorized)).toEqual(isAuthorized);
    after(failed(403));
    const end = failed(422);
    const responded = { kind: 'responded', end } as ServiceResult;
    expect(after(responded)).toEqual({ ...responded, authorizedAgain: true });
  });

  test('is news every minute, because others may not have passed it on', () => {
    const { after, wait } = openAccess();
    wait(59_999);
    expect(after(isAuthorized)).toEqual(isAuthorized);
    wait(1);
    expect(after(isAuthorized)).toEqual(news);
  });

  test('is no news because one that was resumed is refused on its own; the others hear again in a minute', () => {
    const { after, wait } = openAccess();
    wait(20_000);
    after(failed(403), true);
    expect(after(isAuthorized)).toEqual({ ...isAuthorized, tellAgainInMs: 40_000 });
    expect(after(isAuthorized), 'once').toEqual(isAuthorized);
    wait(99_999);
    expect(after(isAuthorized)).toEqual(isAuthorized);
    wait(1);
    expect(after(isAuthorized)).toEqual(news);
  });
});

describe('of approvals that the service does not know at their first read', () => {
  /** Two replicas, and what they start anew with. */
  async function openReplicas() {
    const world = await openEmbeddedWorld();
    const [store] = world.stores;
    let now = 0;
    const start = (kept: Store = store) =>
      createServiceAnswers({ clock: { monotonic: () => now }, store: kept });
    /** The store's time goes on: what comes later is known to be later. */
    const later = async () => {
      const before = store.now();
      while (store.now() <= before) await store.ping();
      now += 1_000;
    };
    return { start, later, store, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
  }

  test('the third in a row is told, whichever replica asked and was started anew meanwhile', async () => {
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

  test('a poll of another replica that was answered begins a new row', async () => {
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

  test('a decision that was answered begins a new row, and asks the store for nothing', async () => {
    await using replicas = await openReplicas();
    const one = replicas.start();
    await one.isThirdNotKnown('0-a');
    await one.isThirdNotKnown('0-b');
    await replicas.later();
    await one.shown(false);
    expect(await replicas.start().isThirdNotKnown('0-b')).toBe(false);
    expect(await one.isThirdNotKnown('0-c')).toBe(false);
    // What was answered before the row began says nothing of it.
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
