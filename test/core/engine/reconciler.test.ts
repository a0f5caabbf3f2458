import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { STORE_AGAIN_MS } from '../../../src/core/engine/flow.ts';
import type { SessionEnd } from '../../../src/core/engine/lease-session.ts';
import {
  createReconciler,
  type Reconciler,
  type ReconcilerNeeds,
} from '../../../src/core/engine/reconciler.ts';
import { createGiveWay } from '../../../src/core/lib/give-way.ts';
import { system } from '../../../src/core/lib/system.ts';
import {
  type Claimed,
  type Held,
  PATIENT_CLAIMS,
  StoreError,
} from '../../../src/core/store/store.ts';
import { type Toy, toyFlow } from './toy.ts';
import { eventually, openToyStage } from './toy-stage.ts';

type Stage = Awaited<ReturnType<typeof openToyStage>>;
const STOP_MS = 5_000;

const running: Reconciler[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop(STOP_MS)));
});

function reconcilerOf(stage: Stage, needs: Partial<ReconcilerNeeds> = {}) {
  const log: { level: string; facts: object; message: string }[] = [];
  const note = (level: string) => (facts: object, message: string) => {
    log.push({ level, facts, message });
  };
  const reconciler = createReconciler({
    store: stage.store,
    workers: {
      toy: (held) =>
        stage.work(
          held,
          toyFlow(async () => {}),
        ),
    },
    logger: { info: note('info'), warn: note('warn'), error: note('error') },
    ...system,
    giveWay: createGiveWay(system),
    newReference: () => 'ref-1',
    onSize: () => {},
    onStuck: () => {},
    ...needs,
  });
  running.push(reconciler);
  return { reconciler, log };
}

/** A promise that a test settles. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** As many other records. */
function manyLike(held: Held, count: number): Held[] {
  return Array.from({ length: count }, () => ({
    ...held,
    lease: { ...held.lease, id: randomUUID() },
  }));
}

test('due records of both lanes are processed', async () => {
  await using stage = await openToyStage();
  const { lease: first } = await stage.create({ toRing: 1 }, false);
  const { lease: second } = await stage.create({ toRing: 1, waitUntil: 1 }, false);
  const { reconciler } = reconcilerOf(stage);
  reconciler.start();
  await eventually(async () => {
    expect(await stage.toy(first.id)).toMatchObject({ rung: 1 });
    expect(await stage.toy(second.id)).toMatchObject({ rung: 1 });
  });
  await reconciler.stop(STOP_MS);
});

test('a signal to a record without a holder is processed soon', async () => {
  await using stage = await openToyStage();
  const { reconciler } = reconcilerOf(stage);
  reconciler.start();
  const { lease } = await stage.create({ waitUntil: Date.now() + 3_600_000 }, false);
  await eventually(async () => {
    expect((await stage.store.read(lease.id))?.lane).toBe('background');
  });
  await stage.wish(lease.id, { kind: 'wish', name: 'ana' });
  await eventually(async () => {
    expect((await stage.toy(lease.id)).wishes).toEqual(['ana']);
  });
  await reconciler.stop(STOP_MS);
});

test('a record that waited for requests continues with the current time of the store', async () => {
  await using stage = await openToyStage();
  let monotonic = 4_000;
  const turn = gate();
  const seen: number[] = [];
  const { reconciler } = reconcilerOf(stage, {
    clock: { monotonic: () => monotonic },
    giveWay: { turn: () => turn.opened },
    workers: {
      async toy(held) {
        seen.push(held.now);
        return { dueAt: null };
      },
    },
  });
  const held = await stage.create({ toRing: 1 }, true);
  const done = reconciler.run(held);
  monotonic = 5_500.7;
  expect(seen).toEqual([]);
  turn.open();
  await done;
  expect(seen).toEqual([held.now + 1_500]);
});

test('a record that did not have to wait has the time of its claim', async () => {
  await using stage = await openToyStage();
  let monotonic = 0;
  const seen: number[] = [];
  const { reconciler } = reconcilerOf(stage, {
    clock: { monotonic: () => ++monotonic },
    giveWay: { turn: () => undefined },
    workers: {
      async toy(held) {
        seen.push(held.now);
        return { dueAt: null };
      },
    },
  });
  const held = await stage.create({ toRing: 1 }, true);
  await reconciler.run(held);
  expect(seen).toEqual([held.now]);
});

describe('a record that makes no progress', () => {
  test('is reported with a reference and retried less and less often, while others proceed', async () => {
    await using stage = await openToyStage();
    const poison = toyFlow(
      async () => {},
      (toy: Toy) => {
        if (toy.toRing === 13) throw new Error('poison');
      },
    );
    const { reconciler, log } = reconcilerOf(stage, {
      workers: { toy: (held) => stage.work(held, poison) },
    });
    const { lease: bad } = await stage.create({ toRing: 13 }, false);
    const waitUntil = Date.now() + 10 * 24 * 3_600_000;
    const { lease: good } = await stage.create({ toRing: 1, waitUntil }, false);
    reconciler.start();
    for (let times = 1; times <= 4; times++) {
      await eventually(() => expect(log).toHaveLength(times));
      await eventually(async () => {
        expect((await stage.store.read(bad.id))?.dueAt).toBeGreaterThan(Date.now() + times * 1_000);
      });
      await stage.pass(3_600_000);
    }
    await reconciler.stop(STOP_MS);
    expect(log[0]).toMatchObject({
      level: 'error',
      message: 'a record made no progress',
      facts: { record: bad.id, reference: 'ref-1', err: { message: 'poison' } },
    });
    expect(log.map(({ facts }) => 'claims' in facts && facts.claims)).toEqual([1, 2, 3, 4]);
    expect((await stage.toy(good.id)).rung).toBe(1);
  });

  test.each([
    [1, 2_000],
    [5, 32_000],
    [40, 3_600_000],
  ])('is tried again after %i claims in %i ms', async (claims, waitMs) => {
    await using stage = await openToyStage();
    const deferred: number[] = [];
    const { reconciler } = reconcilerOf(stage, {
      workers: { toy: () => Promise.reject(new Error('poison')) },
      store: {
        claim: () => Promise.reject(new Error('not started')),
        async defer(_lease, dueAt) {
          deferred.push(dueAt);
          return 'deferred';
        },
      },
    });
    const held = await stage.create();
    await reconciler.run({ ...held, claims, now: 1_000 });
    expect(deferred).toEqual([1_000 + waitMs]);
  });

  test('is reported even when every process that held it died', async () => {
    await using stage = await openToyStage();
    const stuck: string[] = [];
    const { reconciler, log } = reconcilerOf(stage, {
      workers: { toy: async () => ({ dueAt: null }) },
      onStuck: ({ id, kind }) => stuck.push(`${kind} ${id}`),
    });
    const held = await stage.create();
    await reconciler.run({ ...held, claims: 9 });
    expect([...log, ...stuck]).toEqual([]);
    await reconciler.run({ ...held, claims: 10 });
    expect(stuck).toEqual([`toy ${held.lease.id}`]);
    const message = 'a record was claimed repeatedly without progress';
    expect(log).toMatchObject([{ message, facts: { record: held.lease.id, claims: 10 } }]);
  });

  test('is reported when it always has something due, and tried less and less often', async () => {
    await using stage = await openToyStage();
    const stuck: string[] = [];
    // Without notes, which take their time.
    const flow = { ...toyFlow(async () => {}), markAttempt: () => undefined };
    const { reconciler, log } = reconcilerOf(stage, {
      workers: { toy: (held) => stage.work(held, flow, { monotonic: () => 0 }) },
      onStuck: ({ id }) => stuck.push(id),
    });
    const { lease: endless } = await stage.create({ toRing: Number.MAX_SAFE_INTEGER }, false);
    const waitUntil = Date.now() + 10 * 24 * 3_600_000;
    const { lease: long } = await stage.create({ toRing: 1_500, waitUntil }, false);
    reconciler.start();
    for (const waitMs of [60_000, 120_000, 240_000]) {
      const before = stuck.length;
      await eventually(async () => {
        expect(stuck.length).toBe(before + 1);
        const dueInMs = ((await stage.store.read(endless.id))?.dueAt ?? 0) - stage.store.now();
        expect(dueInMs).toBeGreaterThan(waitMs - 20_000);
        expect(dueInMs).toBeLessThanOrEqual(waitMs + 1);
      });
      await stage.pass(waitMs + 1);
    }
    await eventually(async () => expect((await stage.toy(long.id)).rung).toBe(1_500));
    await reconciler.stop(STOP_MS);
    expect(new Set(stuck)).toEqual(new Set([endless.id]));
    expect(log[0]).toMatchObject({
      level: 'error',
      message: 'a record always has something due',
      facts: { record: endless.id, steps: 3_000 },
    });
  });

  test('is reported when nothing here can work on its kind', async () => {
    await using stage = await openToyStage();
    const { reconciler, log } = reconcilerOf(stage, { workers: {} });
    await reconciler.run(await stage.create());
    expect(log).toMatchObject([{ facts: { err: { message: expect.stringContaining('toy') } } }]);
  });

  test('is left to its lease when the store is away', async () => {
    await using stage = await openToyStage();
    const deferred: number[] = [];
    const { reconciler, log } = reconcilerOf(stage, {
      workers: { toy: () => Promise.reject(new StoreError('unavailable', 'away')) },
      store: {
        claim: (...args) => stage.store.claim(...args),
        async defer(_lease, dueAt) {
          deferred.push(dueAt);
          return 'deferred';
        },
      },
    });
    await reconciler.run(await stage.create());
    expect(deferred).toEqual([]);
    const message = 'the store was unavailable; the record is due again when its lease ends';
    expect(log).toMatchObject([{ level: 'warn', message, facts: { claims: 1 } }]);
  });

  test('is not reported while a part of the store is away, and continues afterwards', async () => {
    await using stage = await openToyStage();
    const stuck: unknown[] = [];
    let isAway = true;
    const { reconciler, log } = reconcilerOf(stage, {
      workers: {
        toy: (held) =>
          stage.work(
            held,
            toyFlow(async () => {
              if (isAway) throw new StoreError('unavailable', 'another shard');
            }),
          ),
      },
      onStuck: (record) => void stuck.push(record),
    });
    const held = await stage.create({ toRing: 1 });
    const { id } = held.record;
    await reconciler.run(held);
    for (let tries = 0; tries < PATIENT_CLAIMS; tries += 1) {
      // The session knows the store's time to a millisecond.
      await stage.pass(STORE_AGAIN_MS + 1);
      const [again] = (await stage.store.claim('people', 1)).held;
      if (again !== undefined) await reconciler.run(again);
    }
    const said = 'part of the store was unavailable; the step will be retried soon';
    expect(log.map(({ message }) => message)).toEqual(Array(PATIENT_CLAIMS + 1).fill(said));
    expect(log[0]?.facts).toMatchObject({ record: id, err: { message: 'another shard' } });
    expect(stuck).toEqual([]);
    isAway = false;
    await stage.pass(STORE_AGAIN_MS + 1);
    reconciler.start();
    await eventually(async () => expect((await stage.toy(id)).rung).toBe(1));
  });

  test('does not end the process when it cannot be given back', async () => {
    await using stage = await openToyStage();
    const { reconciler, log } = reconcilerOf(stage, {
      workers: { toy: () => Promise.reject(new Error('poison')) },
      store: {
        claim: (...args) => stage.store.claim(...args),
        defer: () => Promise.reject(new StoreError('unavailable', 'away')),
      },
    });
    await reconciler.run(await stage.create());
    expect(log.map(({ message }) => message)).toEqual([
      'a record made no progress',
      'could not release a record',
    ]);
  });
});

test('a store that is away is reported once a minute, and again at once after it was back', async () => {
  await using stage = await openToyStage();
  const looks: (() => void)[] = [];
  let now = 0;
  let isAway = true;
  const { reconciler, log } = reconcilerOf(stage, {
    store: {
      defer: () => Promise.reject(new Error('nothing is held')),
      claim: (lane, limit) =>
        isAway && lane === 'people'
          ? Promise.reject(new StoreError('unavailable', 'away'))
          : stage.store.claim(lane, limit),
    },
    clock: { monotonic: () => now },
    timers: {
      ...system.timers,
      after(_ms, look) {
        looks.push(look);
        return () => {};
      },
    },
  });
  reconciler.start();
  const said: number[] = [];
  const lookAt = async (at: number, away: boolean) => {
    [now, isAway] = [at, away];
    for (const look of looks.splice(0)) look();
    // Both lanes have planned their next look.
    await eventually(() => expect(looks).toHaveLength(2));
    said.push(log.filter(({ message }) => message === 'could not claim due records').length);
  };
  for (const at of [0, 500, 59_999, 60_000, 60_500]) await lookAt(at, true);
  await lookAt(61_000, false);
  await lookAt(62_000, true);
  expect(said).toEqual([1, 1, 1, 2, 2, 2, 3]);
  expect(log[0]).toMatchObject({
    level: 'warn',
    facts: { lane: 'people', err: { message: 'away' } },
  });
});

describe('the slots', () => {
  /** A store that gives as many records as it is asked for, and workers that wait. */
  async function crowd(stage: Stage) {
    const asked: number[] = [];
    const { open, opened } = gate();
    const held = await stage.create();
    let inHand = 0;
    const { reconciler } = reconcilerOf(stage, {
      workers: {
        async toy() {
          inHand += 1;
          await opened;
          inHand -= 1;
          return { dueAt: null };
        },
      },
      store: {
        ...stage.store,
        async claim(lane, limit) {
          if (lane === 'people') asked.push(limit);
          const some = lane === 'people' ? manyLike(held, limit) : [];
          const isOver = asked.length > 1;
          return { held: isOver ? [] : some, now: 0, nextDueAt: null, size: 0 };
        },
        defer: (...args) => stage.store.defer(...args),
      },
    });
    return { reconciler, asked, open, inHand: () => inHand };
  }

  test('are never more than full, and are filled again when one is free', async () => {
    await using stage = await openToyStage();
    const { reconciler, asked, open, inHand } = await crowd(stage);
    reconciler.start();
    await eventually(() => expect(inHand()).toBe(256));
    expect(reconciler.hasRoom).toBe(false);
    expect(asked).toEqual([256]);
    open();
    await eventually(() => expect(asked.length).toBeGreaterThan(1));
    expect(reconciler.hasRoom).toBe(true);
    await reconciler.stop(STOP_MS);
  });

  test('are filled many at a time while more is due', async () => {
    await using stage = await openToyStage();
    const held = await stage.create();
    const asked: number[] = [];
    let given = 0;
    let worked = 0;
    const { reconciler } = reconcilerOf(stage, {
      workers: {
        async toy() {
          worked += 1;
          await sleep(worked % 8);
          return { dueAt: null };
        },
      },
      store: {
        async claim(lane, limit) {
          const isOver = given >= 4_000;
          if (lane === 'background' && !isOver) asked.push(limit);
          const some = lane === 'people' || isOver ? [] : manyLike(held, limit);
          given += some.length;
          return { held: some, now: 0, nextDueAt: null, size: 0 };
        },
        defer: (...args) => stage.store.defer(...args),
      },
    });
    reconciler.start();
    await eventually(() => expect(given).toBeGreaterThanOrEqual(4_000));
    expect(Math.min(...asked)).toBeGreaterThanOrEqual(64);
    await reconciler.stop(STOP_MS);
  });

  test('a stop waits for records in progress', async () => {
    await using stage = await openToyStage();
    const { reconciler, open, inHand } = await crowd(stage);
    reconciler.start();
    await eventually(() => expect(inHand()).toBe(256));
    let isStopped = false;
    const stopped = reconciler.stop(STOP_MS).then(() => {
      isStopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isStopped).toBe(false);
    open();
    await stopped;
    expect(inHand()).toBe(0);
  });

  test('a stop does not wait longer than it may', async () => {
    await using stage = await openToyStage();
    const { reconciler, open, inHand } = await crowd(stage);
    reconciler.start();
    await eventually(() => expect(inHand()).toBe(256));
    await reconciler.stop(20);
    expect(inHand()).toBe(256);
    open();
  });
});

test('a record leased again while it is still processed here is released afterwards', async () => {
  await using stage = await openToyStage();
  const held = await stage.create();
  const { open, opened } = gate();
  const said: string[] = [];
  const { reconciler } = reconcilerOf(stage, {
    workers: {
      async toy({ lease }) {
        said.push(`begins with ${lease.token}`);
        if (lease.token === 'first') await opened;
        said.push(`ends with ${lease.token}`);
        return { dueAt: null };
      },
    },
    store: {
      claim: async () => ({ held: [], now: 0, nextDueAt: null, size: 0 }),
      async defer({ token }, dueAt) {
        said.push(`gives ${token} back, due after ${dueAt - held.now} ms`);
        return 'deferred';
      },
    },
  });
  const run = (token: string, id = held.lease.id) =>
    reconciler.run({ ...held, lease: { id, token } });
  const [first, second] = [run('first'), run('second')];
  await run('other', 'another-id');
  expect(said).toEqual(['begins with first', 'begins with other', 'ends with other']);
  open();
  await Promise.all([first, second]);
  expect(said.slice(3)).toEqual(['ends with first', 'gives second back, due after 0 ms']);
  await run('third');
  expect(said.at(-1)).toBe('ends with third');
});

test('a record leased again while it is released is processed at once, and by one worker at a time', async () => {
  await using stage = await openToyStage();
  const held = await stage.create();
  const [first, release, third] = [gate(), gate(), gate()];
  const said: string[] = [];
  const ends: Readonly<Record<string, Promise<void>>> = {
    first: first.opened,
    third: third.opened,
  };
  const { reconciler } = reconcilerOf(stage, {
    workers: {
      async toy({ lease }) {
        said.push(`begins with ${lease.token}`);
        await ends[lease.token];
        said.push(`ends with ${lease.token}`);
        return { dueAt: null };
      },
    },
    store: {
      claim: (...args) => stage.store.claim(...args),
      async defer({ token }) {
        said.push(`gives ${token} back`);
        if (token === 'second') await release.opened;
        return 'deferred';
      },
    },
  });
  const run = (token: string) => reconciler.run({ ...held, lease: { id: held.lease.id, token } });
  const [one, two] = [run('first'), run('second')];
  first.open();
  await one;
  const three = run('third');
  await eventually(() => expect(said.at(-1)).toBe('begins with third'));
  release.open();
  await two;
  const four = run('fourth');
  third.open();
  await Promise.all([three, four]);
  expect(said).toEqual([
    ...['begins with first', 'ends with first', 'gives second back'],
    ...['begins with third', 'ends with third', 'gives fourth back'],
  ]);
});

test('a record that cannot be given back then is left to its lease', async () => {
  await using stage = await openToyStage();
  const held = await stage.create();
  const { reconciler, log } = reconcilerOf(stage, {
    workers: { toy: async () => ({ dueAt: null }) },
    store: {
      claim: (...args) => stage.store.claim(...args),
      defer: () => Promise.reject(new StoreError('unavailable', 'away')),
    },
  });
  await Promise.all([reconciler.run(held), reconciler.run(held)]);
  expect(log).toMatchObject([
    { level: 'warn', message: 'could not release a record', facts: { record: held.lease.id } },
  ]);
});

test('the steps of a thousand endless records are remembered, and then the oldest is forgotten', async () => {
  await using stage = await openToyStage();
  const held = await stage.create();
  const stuck: string[] = [];
  const { reconciler } = reconcilerOf(stage, {
    workers: { toy: async () => ({ dueAt: held.now, stepsAtLimit: 3_000 }) },
    onStuck: ({ id }) => stuck.push(id),
    store: {
      claim: (...args) => stage.store.claim(...args),
      defer: async () => 'deferred',
    },
  });
  const run = async (records: readonly Held[]) => {
    for (const each of records) await reconciler.run(each);
  };
  await run([held, ...manyLike(held, 999)]);
  await run([held]);
  expect(stuck).toEqual([held.record.id]);
  await run([held, ...manyLike(held, 1_000)]);
  await run([held]);
  expect(stuck).toHaveLength(1);
});

test('a record that falls due during a claim is claimed right after it', async () => {
  await using stage = await openToyStage();
  const held = await stage.create();
  const { open, opened } = gate();
  const waits: number[] = [];
  let looks: (() => void)[] = [];
  let claims = 0;
  const { reconciler } = reconcilerOf(stage, {
    workers: { toy: async () => ({ dueAt: held.now }) },
    store: {
      async claim(lane) {
        if (lane === 'people') claims += 1;
        await opened;
        return { held: [], now: 0, nextDueAt: null, size: 0 };
      },
      defer: async () => 'deferred',
    },
    timers: {
      ...system.timers,
      after(ms, look) {
        waits.push(ms);
        looks.push(look);
        return () => {};
      },
    },
  });
  const lookNow = () => {
    const due = looks;
    looks = [];
    for (const look of due) look();
  };
  reconciler.start();
  lookNow();
  await reconciler.run(held);
  lookNow();
  expect([claims, waits]).toEqual([1, [0, 0, 0]]);
  open();
  // The people's lane at once, the other one when it is idle.
  await eventually(() => expect(waits.slice(3).toSorted((a, b) => a - b)).toEqual([0, 1_000]));
  lookNow();
  await eventually(() => expect(waits.slice(5).toSorted((a, b) => a - b)).toEqual([1_000, 1_000]));
  expect(claims).toBe(2);
});

describe('the next claim', () => {
  const IDLE: Claimed = { held: [], now: 1_000, nextDueAt: null, size: 0 };

  /** One lane at a standing clock: when it plans its claims, and how many records it asks for. */
  async function lane(stage: Stage, claim: (limit: number) => Promise<Claimed>) {
    const planned: { readonly ms: number; isOff: boolean; look(): void }[] = [];
    const asked: number[] = [];
    const sizes: number[] = [];
    /** What a record ends with. */
    const ends: ((end: SessionEnd) => void)[] = [];
    const { reconciler, log } = reconcilerOf(stage, {
      clock: { monotonic: () => 7 },
      workers: { toy: () => new Promise((resolve) => void ends.push(resolve)) },
      onSize: (_lane, size) => void sizes.push(size),
      store: {
        async claim(_lane, limit) {
          asked.push(limit);
          return claim(limit);
        },
        defer: async () => 'deferred',
      },
      timers: {
        ...system.timers,
        after(ms, look) {
          const each = { ms, look, isOff: false };
          planned.push(each);
          return () => {
            each.isOff = true;
          };
        },
      },
    });
    reconciler.start();
    // That of the other lane never comes.
    const [first] = planned.splice(0);
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    const look = async () => {
      first?.look();
      await settled();
    };
    const waits = () => planned.map(({ ms }) => ms);
    return { reconciler, log, planned, asked, sizes, ends, waits, look, settled };
  }

  test.each<[string, Partial<Claimed>, number]>([
    ['nothing is due', {}, 1_000],
    ['something will be', { nextDueAt: 1_300 }, 300],
    ['that is long', { nextDueAt: 9_000 }, 1_000],
    ['something is about to be', { nextDueAt: 1_005 }, 20],
    ['something was', { nextDueAt: 900 }, 20],
  ])('waits where %s', async (_what, found, ms) => {
    await using stage = await openToyStage();
    const { look, waits, asked, sizes } = await lane(stage, async () => ({ ...IDLE, ...found }));
    await look();
    expect([asked, sizes, waits()]).toEqual([[256], [0], [ms]]);
  });

  test('waits a little where the last one failed', async () => {
    await using stage = await openToyStage();
    const { look, waits } = await lane(stage, () => Promise.reject(new Error('away')));
    await look();
    expect(waits()).toEqual([500]);
  });

  test.each<[string, Omit<SessionEnd, 'dueAt'> & { inMs: number | null }, readonly number[]]>([
    ['is due again soon', { inMs: 300 }, [1_000, 300]],
    ['was due again already', { inMs: -5 }, [1_000, 0]],
    ['is due after the next claim', { inMs: 5_000 }, [1_000]],
    ['is never due again', { inMs: null }, [1_000]],
    ['did not get to its end', { inMs: 300, stepsAtLimit: 200 }, [1_000, 0]],
  ])('comes earlier for a record that %s', async (_what, { inMs, ...end }, planned) => {
    await using stage = await openToyStage();
    const held = await stage.create();
    const pump = await lane(stage, async () => IDLE);
    await pump.look();
    const done = pump.reconciler.run(held);
    await pump.settled();
    pump.ends[0]?.({ ...end, dueAt: inMs === null ? null : held.now + inMs });
    await done;
    expect(pump.waits()).toEqual(planned);
    // One at a time.
    expect(pump.planned.filter(({ isOff }) => !isOff)).toHaveLength(1);
  });

  test('comes once a quarter of the slots is free, or after a moment', async () => {
    await using stage = await openToyStage();
    const held = await stage.create();
    const due = { ...IDLE, nextDueAt: 900 };
    const pump = await lane(stage, async (limit) => ({ ...due, held: manyLike(held, limit) }));
    await pump.look();
    expect([pump.waits(), pump.reconciler.hasRoom]).toEqual([[1_000], false]);
    const end = async (count: number) => {
      for (const done of pump.ends.splice(0, count)) done({ dueAt: null });
      await pump.settled();
    };
    await end(1);
    expect([pump.waits(), pump.reconciler.hasRoom]).toEqual([[1_000, 20], true]);
    await end(62);
    expect(pump.waits()).toEqual([1_000, 20]);
    await end(1);
    expect(pump.waits()).toEqual([1_000, 20, 0]);
    pump.planned.at(-1)?.look();
    await pump.settled();
    expect(pump.asked).toEqual([256, 64]);
    await end(256);
  });

  test('comes after a moment for what was due when one gave all that was asked for', async () => {
    await using stage = await openToyStage();
    const held = await stage.create();
    const { open, opened } = gate();
    const pump = await lane(stage, async (limit) => {
      await opened;
      return { ...IDLE, held: manyLike(held, limit) };
    });
    const done = pump.reconciler.run(held);
    await pump.look();
    // A slot becomes free meanwhile.
    pump.ends.shift()?.({ dueAt: null });
    await done;
    open();
    await pump.settled();
    expect([pump.asked, pump.waits(), pump.reconciler.hasRoom]).toEqual([[255], [1_000], true]);
    pump.ends.shift()?.({ dueAt: null });
    await pump.settled();
    expect(pump.waits()).toEqual([1_000, 20]);
    for (const end of pump.ends.splice(0)) end({ dueAt: null });
  });

  test('comes after a moment for what was due while presses had every slot', async () => {
    await using stage = await openToyStage();
    const held = await stage.create();
    const pump = await lane(stage, async () => IDLE);
    await pump.look();
    for (const each of manyLike(held, 256)) void pump.reconciler.run(each);
    await pump.settled();
    pump.ends.shift()?.({ dueAt: null });
    await pump.settled();
    expect(pump.waits()).toEqual([1_000, 20]);
    for (const end of pump.ends.splice(0)) end({ dueAt: null });
  });

  test('asks for nothing without a free slot', async () => {
    await using stage = await openToyStage();
    const held = await stage.create();
    const pump = await lane(stage, async () => IDLE);
    for (const each of manyLike(held, 256)) void pump.reconciler.run(each);
    await pump.look();
    expect([pump.asked, pump.waits()]).toEqual([[], [1_000]]);
    for (const done of pump.ends.splice(0)) done({ dueAt: null });
    await pump.settled();
    // What was due meanwhile had no slot.
    expect(pump.waits()).toEqual([1_000, 20, 0]);
  });

  test('does not come after a stop', async () => {
    await using stage = await openToyStage();
    const held = await stage.create();
    const pump = await lane(stage, async () => IDLE);
    await pump.look();
    const done = pump.reconciler.run(held);
    await pump.settled();
    const stopped = pump.reconciler.stop(STOP_MS);
    pump.ends[0]?.({ dueAt: held.now });
    await Promise.all([stopped, done]);
    expect(pump.planned.filter(({ ms, isOff }) => ms !== STOP_MS && !isOff)).toEqual([]);
    for (const { look, ms } of pump.planned) if (ms !== STOP_MS) look();
    await pump.settled();
    expect(pump.asked).toEqual([256]);
    // Nor does the stop wait on.
    expect(pump.planned.filter(({ ms, isOff }) => ms === STOP_MS && !isOff)).toEqual([]);
  });
});

test('after a stop nothing is claimed', async () => {
  await using stage = await openToyStage();
  let claims = 0;
  const { reconciler } = reconcilerOf(stage, {
    store: {
      claim(...args) {
        claims += 1;
        return stage.store.claim(...args);
      },
      defer: (...args) => stage.store.defer(...args),
    },
  });
  reconciler.start();
  await eventually(() => expect(claims).toBeGreaterThanOrEqual(2));
  await reconciler.stop(STOP_MS);
  const before = claims;
  await reconciler.run(await stage.create());
  expect(claims).toBe(before);
});

test('a store that is away is logged, and claims are tried again', async () => {
  await using stage = await openToyStage();
  let claims = 0;
  let failures = 2;
  const { reconciler, log } = reconcilerOf(stage, {
    store: {
      claim(...args) {
        if (failures-- > 0) return Promise.reject(new StoreError('unavailable', 'away'));
        claims += 1;
        return stage.store.claim(...args);
      },
      defer: (...args) => stage.store.defer(...args),
    },
  });
  reconciler.start();
  await eventually(() => expect(claims).toBeGreaterThan(1));
  expect(log.slice(0, 2)).toMatchObject([{ level: 'warn' }, { level: 'warn' }]);
  await reconciler.stop(STOP_MS);
});
