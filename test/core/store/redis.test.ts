import { Redis } from 'ioredis';
import { describe, expect, test, vi } from 'vitest';
import { system } from '../../../src/core/lib/system.ts';
import {
  createRedisStore,
  type RedisStoreOptions,
} from '../../../src/core/store/redis/create-redis-store.ts';
import { redisForTests } from '../../support/redis.ts';
import { auditContract } from './audit-contract.ts';
import {
  checkpointContract,
  shardedCheckpointContract,
  startSealed,
} from './checkpoint-contract.ts';
import { storeContract } from './contract.ts';
import { formContract } from './form-contract.ts';
import { interleavingsContract } from './interleavings.ts';
import { listsContract } from './lists-contract.ts';
import { openRedisWorld, redisPlace, silent } from './redis-world.ts';
import { reusing } from './reusing.ts';
import {
  collect,
  createFree,
  createHeld,
  finish,
  HOUR_MS,
  newApproval,
  onlyHeld,
  releaseAt,
  save,
  saved,
} from './store-world.ts';

const url = await redisForTests();

describe.skipIf(url === undefined)('the Redis store', () => {
  const open = (options: Partial<RedisStoreOptions> = {}) => openRedisWorld(url ?? '', options);
  const openAgain = reusing(open);

  storeContract(openAgain);
  listsContract(openAgain);
  auditContract(openAgain);
  // A store remembers the checkpoints that it wrote.
  checkpointContract(open);
  shardedCheckpointContract((options) => open({ ...options, shards: 4 }));
  interleavingsContract(openAgain);
  formContract(async () => redisPlace(url ?? '', new Redis(url ?? '')));

  test('replicas that start at the same time record one format', async () => {
    await using place = redisPlace(url ?? '', new Redis(url ?? ''));
    const stores = await Promise.all(Array.from({ length: 4 }, () => place.open()));
    expect(await place.form()).toBe(1);
    for (const store of stores) await store[Symbol.asyncDispose]();
  });

  test('a lease ends by the clock of the server', async () => {
    await using world = await open({ leaseMs: 60 });
    const [store, other] = world.stores;
    const held = await createHeld(store);
    const taken = await vi.waitUntil(async () => (await other.claim('people', 1)).held[0], {
      timeout: 60_000,
      interval: 5,
    });
    expect(taken.now).toBeGreaterThanOrEqual(held.now + 60);
    expect(await save(store, held.lease)).toEqual({ kind: 'lost' });
  });

  test('a holder from before a rewind loses the record once another one has it', async () => {
    await using world = await open();
    const [store, other] = world.stores;
    const id = await createFree(store);
    const rewind = await remember(world);
    const old = onlyHeld(await store.claim('people', 1));
    saved(await save(store, old.lease));
    await rewind();
    expect(await save(store, old.lease)).toEqual({ kind: 'lost' });
    const taken = onlyHeld(await other.claim('people', 1));
    expect(taken).toMatchObject({ claims: 1, record: { id } });
    expect(await save(store, old.lease, { data: 'old' })).toEqual({ kind: 'lost' });
    saved(await save(other, taken.lease, { data: '{"new":true}' }));
  });

  test('a lease of the same count from before a rewind does not fit', async () => {
    await using world = await open();
    const [store, other] = world.stores;
    await createFree(store);
    const rewind = await remember(world);
    const before = onlyHeld(await store.claim('people', 1));
    await rewind();
    const after = onlyHeld(await other.claim('people', 1));
    expect(after.claims).toBe(before.claims);
    expect(await store.defer(before.lease, 0)).toBe('lost');
    expect(saved(await save(other, after.lease)).released).toBe(false);
  });

  test.each([
    [
      'create',
      async (world: World) => void (await createFree(world.stores[0], { uniqueKey: 'u' })),
    ],
    [
      'signal',
      (world: World, id: string) =>
        world.stores[0].signal(id, { id: 's', body: '' }, { hold: true }),
    ],
    [
      'writeAudit',
      (world: World) =>
        world.stores[0].writeAudit({ action: 'a', record: null, actor: 'U1', facts: {} }),
    ],
    ['pace', (world: World) => world.stores[0].pace('p', { intervalMs: 1, burst: 1 })],
  ])('%s is one round trip', async (_, act) => {
    await using world = await openAgain();
    const id = await createFree(world.stores[0]);
    expect(await commandsOf(world, () => act(world, id))).toHaveLength(1);
  });

  test('calls in one turn of the event loop share a script, up to sixteen', async () => {
    await using world = await openAgain();
    const [store] = world.stores;
    const create = (count: number) => () =>
      Promise.all(Array.from({ length: count }, () => createHeld(store)));
    expect(await commandsOf(world, create(16))).toHaveLength(1);
    expect(await commandsOf(world, create(33))).toHaveLength(3);
    const held = await create(3)();
    const saveAll = () => Promise.all(held.map(({ lease }) => save(store, lease)));
    expect(await commandsOf(world, saveAll)).toHaveLength(1);
  });

  test('calls that share a script each get their own answer', async () => {
    await using world = await openAgain();
    const [store] = world.stores;
    const held = await Promise.all(Array.from({ length: 4 }, () => createHeld(store)));
    const [mine, lost, busy, listed] = held.map(({ lease }) => lease);
    if (!mine || !lost || !busy || !listed) throw new Error('four are held');
    await store.signal(busy.id, { id: 's', body: 'b' }, { hold: true });
    saved(await save(store, listed, { lists: ['a'] }));
    const audit = [{ action: 'a', record: mine.id, actor: 'U1', facts: {} }];
    const entries = async () => (await collect(store.readAudit({}))).map(({ record }) => record);
    const answers = await Promise.all([
      save(store, mine, { data: '{"mine":1}', audit, next: finish }),
      save(store, { ...lost, token: 'another' }, { data: 'lost', audit, next: finish }),
      save(store, busy, { data: '{"busy":1}', next: finish }),
      save(store, listed, { data: '{"listed":1}', next: finish }),
    ]);
    expect(answers).toMatchObject([
      { kind: 'saved', released: true, inbox: [] },
      { kind: 'lost' },
      { kind: 'saved', released: false, inbox: [{ id: 's', body: 'b' }] },
      { kind: 'saved', released: true },
    ]);
    const read = await Promise.all(held.map(({ record }) => store.read(record.id)));
    expect(read.map((record) => record?.data)).toEqual([
      '{"mine":1}',
      newApproval.data,
      '{"busy":1}',
      '{"listed":1}',
    ]);
    expect(read[3]?.lists).toEqual([]);
    expect(await entries()).toEqual([mine.id]);
  });

  test('save is one round trip, and an inbox exists only while signals wait', async () => {
    await using world = await openAgain();
    const [store] = world.stores;
    const held = await createHeld(store);
    await store.signal(held.record.id, { id: 's', body: '' }, { hold: true });
    expect(await world.redis.keys(`${world.namespace}:*:i:*`)).toHaveLength(1);
    const audit = [{ action: 'a', record: null, actor: 'U1', facts: {} }];
    const act = () => save(store, held.lease, { handled: ['s'], audit, next: finish });
    expect(await commandsOf(world, act)).toHaveLength(1);
    expect(await world.redis.keys(`${world.namespace}:*:i:*`)).toEqual([]);
  });

  test('everything of a finished record expires, even its signals', async () => {
    await using world = await openAgain();
    const [store] = world.stores;
    const held = await createHeld(store, { uniqueKey: 'u' });
    saved(await save(store, held.lease, { next: finish }));
    await store.signal(held.record.id, { id: 's', body: '' }, { hold: true });
    const ofRecord = ['i', 'r', 'u'];
    const left = async () => {
      const keys = await world.redis.keys(`${world.namespace}:*`);
      return keys
        .flatMap((key) => key.split(':')[2] ?? [])
        .filter((kind) => ofRecord.includes(kind));
    };
    expect((await left()).toSorted()).toEqual(ofRecord);
    await world.pass(HOUR_MS);
    expect(await left()).toEqual([]);
  });

  test('a unique key is free when its record is gone', async () => {
    await using world = await openAgain();
    const [store] = world.stores;
    const id = await createFree(store, { uniqueKey: 'u' });
    await world.redis.del(`${world.namespace}:{0}:r:${id.slice(2)}`);
    expect(await createFree(store, { uniqueKey: 'u' })).not.toBe(id);
  });

  test('an unreadable record has no kind, and does not keep others from being claimed', async () => {
    await using world = await openAgain();
    const { redis, namespace } = world;
    const [store] = world.stores;
    const unreadable = await createFree(store, { uniqueKey: 'u' });
    const id = await createFree(store);
    const key = `${namespace}:{0}:r:${unreadable.slice(2)}`;
    await redis.set(key, ((await redis.get(key)) ?? '').replace('"u"', '"u'));
    const { held } = await store.claim('people', 10);
    const kinds = Object.fromEntries(held.map(({ record }) => [record.id, record.kind]));
    expect(kinds).toEqual({ [unreadable]: '', [id]: newApproval.kind });
  });

  test('a due record that is gone is removed from the due index', async () => {
    await using world = await openAgain();
    const [store] = world.stores;
    const id = await createFree(store);
    await world.redis.del(`${world.namespace}:{0}:r:${id.slice(2)}`);
    expect(await store.claim('people', 1)).toMatchObject({ held: [], size: 0, nextDueAt: null });
  });

  test('no audit entry is removed when the clock of the store was set ahead', async () => {
    await using world = await open();
    const { redis, namespace } = world;
    const [store] = world.stores;
    const entry = { action: 'a', record: null, actor: 'gatepost', facts: {} };
    const { seal } = await startSealed(store, 'a', HOUR_MS);
    await store.writeAudit(entry);
    const now = Date.now();
    await redis.set(`${namespace}:{0}:clock`, `${now + 2 * HOUR_MS} ${now}`);
    // The first write comes too late by that clock, and learns it.
    await expect(store.writeAudit(entry)).rejects.toThrow('too late');
    await store.writeAudit(entry);
    await seal();
    expect(await collect(store.readAudit({}))).toHaveLength(2);
  });

  test('a save that does not change lists does not touch them', async () => {
    await using world = await openAgain();
    const [store] = world.stores;
    const held = await createHeld(store, { lists: ['a'] });
    const asked = await scriptCommandsOf(world, async () => {
      saved(await save(store, held.lease));
      saved(await save(store, held.lease, { next: releaseAt(held.now) }));
    });
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((command) => /:(few|many):/.test(command))).toEqual([]);
  });

  test('leaving lists is one round trip, and one more where they were joined under the same lease', async () => {
    await using world = await openAgain();
    const [store] = world.stores;
    const early = await createHeld(store, { lists: ['a', 'b'] });
    const finishEarly = () => save(store, early.lease, { next: finish });
    expect(await commandsOf(world, finishEarly)).toHaveLength(1);
    const late = await createHeld(store);
    saved(await save(store, late.lease, { lists: ['a', 'b'] }));
    const finishLate = () => save(store, late.lease, { next: finish });
    expect(await commandsOf(world, finishLate)).toHaveLength(2);
  });

  test('an empty list takes no memory, and a long one little', async () => {
    await using world = await openAgain();
    const { redis, namespace } = world;
    const [store] = world.stores;
    const many = 1_000;
    const lists = ['route:production'];
    const ids = await Promise.all(Array.from({ length: many }, () => createFree(store, { lists })));
    const found = ['few', 'many'].map((part) => `${namespace}:{0}:${part}:${lists}`);
    const sizes = await Promise.all(found.map((key) => redis.memory('USAGE', key, 'SAMPLES', 0)));
    expect(sizes.reduce((sum: number, size) => sum + Number(size), 0) / many).toBeLessThan(45);
    const { held } = await store.claim('people', many);
    expect(held).toHaveLength(ids.length);
    await Promise.all(held.map(({ lease }) => save(store, lease, { next: finish })));
    expect(await redis.exists(...found)).toBe(0);
  });

  test('a record that is gone without a last save is removed from both parts of a list', async () => {
    await using world = await openAgain();
    const { redis, namespace } = world;
    const [store] = world.stores;
    const ids: string[] = [];
    for (let i = 0; i < 102; i += 1) ids.push(await createFree(store, { lists: ['a'] }));
    const gone = [ids[0] ?? '', ids[101] ?? ''];
    await redis.del(...gone.map((id) => `${namespace}:{0}:r:${id.slice(2)}`));
    const left = ids.filter((id) => !gone.includes(id));
    for (const expected of [102, 100]) {
      const { entries } = await store.list(['a'], { limit: 200 });
      expect(entries.map(({ record }) => record.id)).toEqual(left);
      expect((await store.list(['a'], { limit: expected })).next).toBeNull();
    }
    expect(await redis.zcard(`${namespace}:{0}:few:a`)).toBe(99);
    expect(await redis.xlen(`${namespace}:{0}:many:a`)).toBe(1);
  });

  test('time goes on a tenth slower until the clock of the server has caught up', async () => {
    await using world = await open();
    const { redis, namespace } = world;
    const [store] = world.stores;
    const key = `${namespace}:{0}:clock`;
    const time = async () => {
      const [seconds, micros] = await redis.time();
      return Number(seconds) * 1_000 + Number(micros) / 1_000;
    };
    const server = await time();
    const nowAfter = async (last: number, at: number) => {
      await redis.set(key, `${last} ${at}`);
      return (await store.claim('people', 1)).now - server;
    };
    // It was kept 100 s ago, and the server's clock was an hour behind it.
    const ahead = await nowAfter(server - 100_000 + HOUR_MS, server - 100_000);
    expect(ahead).toBeGreaterThanOrEqual(HOUR_MS - 10_000 - 1);
    expect(ahead).toBeLessThan(HOUR_MS - 10_000 + (await time()) - server);
    const caughtUp = await nowAfter(server - 100_000 + 9_000, server - 100_000);
    expect(caughtUp).toBeLessThan((await time()) - server);
    expect(await redis.get(key)).toMatch(/^\d{13}$/);
  });

  test('time is saved about once a second when nothing else is written', async () => {
    await using world = await open();
    const { redis, namespace } = world;
    const [store] = world.stores;
    const key = `${namespace}:{0}:clock`;
    const writes = async () => {
      const commands = await scriptCommandsOf(world, async () => {
        for (let times = 0; times < 5; times += 1) await store.claim('people', 1);
      });
      return commands.filter((command) => /^set /i.test(command)).length;
    };
    await createFree(store, { dueInMs: HOUR_MS });
    expect(await writes()).toBeLessThanOrEqual(1);
    await redis.set(key, Number(await redis.get(key)) - 1_000);
    expect(await writes()).toBe(1);
  });

  test('a store that only reads saves no time', async () => {
    await using world = await openAgain();
    const [store] = world.stores;
    const id = await createFree(store, { lists: ['a'] });
    const commands = await scriptCommandsOf(world, async () => {
      await store.read(id);
      await store.list(['a'], { limit: 1 });
    });
    expect(commands.filter((command) => /^set /i.test(command))).toEqual([]);
  });

  test('a list keeps its order when the clock goes back', async () => {
    await using world = await openAgain();
    const { redis, namespace } = world;
    const [store] = world.stores;
    const createOnList = () => createFree(store, { lists: ['a'] });
    const ahead = Date.now() * 1_000 + 3_600_000_000;
    const first = await createOnList();
    await redis.zadd(`${namespace}:{0}:few:a`, ahead, first.slice(2));
    const few = [first];
    for (let i = 0; i < 99; i += 1) few.push(await createOnList());
    const many = [await createOnList()];
    const later = `${ahead + 1_000}-0`;
    await redis.xadd(`${namespace}:{0}:many:a`, later, '', 'x'.repeat(16));
    await redis.xdel(`${namespace}:{0}:many:a`, later);
    for (let i = 0; i < 3; i += 1) many.push(await createOnList());
    const { entries } = await store.list(['a'], { limit: 200 });
    const given = entries.map(({ record }) => record.id);
    expect(given.filter((each) => few.includes(each))).toEqual(few);
    expect(given.filter((each) => many.includes(each))).toEqual(many);
    for (const { lease } of (await store.claim('people', 200)).held) {
      saved(await save(store, lease, { next: finish }));
    }
    expect(await store.list(['a'], { limit: 1 })).toEqual({ entries: [], next: null });
  });

  describe('with several shards', () => {
    test('a list is in order across all of them', async () => {
      await using world = await open({ shards: 4 });
      const [store, other] = world.stores;
      const ids: string[] = [];
      for (let i = 0; i < 40; i += 1) ids.push(await createFree(store, { lists: [`l${i % 2}`] }));
      expect(new Set(ids.map((id) => id.split('-')[0])).size).toBe(4);
      for (const limit of [1, 7, 39, 40]) {
        const given: string[] = [];
        for (let after: string | undefined; ; ) {
          const { entries, next } = await other.list(['l0', 'l1'], { after, limit });
          given.push(...entries.map(({ record }) => record.id));
          if (next === null) break;
          after = next;
        }
        expect(given).toEqual(ids);
      }
    });

    test('records spread, and claims give the earliest of all and keep to the limit', async () => {
      await using world = await open({ shards: 4 });
      const [store, other] = world.stores;
      const ids = await Promise.all(
        Array.from({ length: 40 }, (_, i) => createFree(store, { dueInMs: 1_000 * i })),
      );
      expect(new Set(ids.map((id) => id.split('-')[0])).size).toBe(4);
      await world.pass(HOUR_MS);
      const first = await store.claim('people', 10);
      expect(first).toMatchObject({ size: 40 });
      expect(first.held.map(({ record }) => record.id).toSorted()).toEqual(
        ids.slice(0, 10).toSorted(),
      );
      const rest = await other.claim('people', 100);
      const given = [...first.held, ...rest.held].map(({ record }) => record.id);
      expect(given.toSorted()).toEqual(ids.toSorted());
    });

    test('a unique key finds its record from every replica', async () => {
      await using world = await open({ shards: 4 });
      const [store, other] = world.stores;
      for (let i = 0; i < 20; i += 1) await createFree(store, { uniqueKey: `u${i}` });
      for (let i = 0; i < 20; i += 1) {
        const again = { kind: 'k', data: '', lane: 'people', dueInMs: 0, place: null } as const;
        const result = await other.create({ ...again, uniqueKey: `u${i}` }, { hold: false });
        expect(result).toMatchObject({ kind: 'exists', record: { uniqueKey: `u${i}` } });
      }
    });

    test('the audit log is in order of time across all of them', async () => {
      await using world = await open({ shards: 4 });
      const [store] = world.stores;
      for (let i = 0; i < 40; i += 1) {
        const entry = { action: `a.${i}`, record: null, actor: 'gatepost', facts: { i } };
        await createFree(store, { audit: [entry] });
      }
      const all = await collect(store.readAudit({}));
      expect(all).toHaveLength(40);
      expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((a, b) => a - b));
    });

    test('the number from the first start cannot be changed', async () => {
      await using world = await open({ shards: 4 });
      const { namespace } = world;
      const options = { url: url ?? '', namespace, logger: silent };
      await expect(createRedisStore({ ...system, ...options, shards: 2 })).rejects.toThrow(
        '4 shards',
      );
      await using store = await createRedisStore({ ...system, ...options });
      for (const id of await Promise.all(Array.from({ length: 20 }, () => createFree(store)))) {
        expect(await world.stores[0].read(id)).toBeDefined();
      }
    });
  });

  test('concurrent claims, saves and signals of one record stay in order', async () => {
    await using world = await openAgain();
    const [store, other] = world.stores;
    const held = await createHeld(store, { lane: 'background' });
    const saves = Array.from({ length: 20 }, () => save(store, held.lease));
    const signals = Array.from({ length: 20 }, (_, i) =>
      other.signal(held.record.id, { id: `s${i}`, body: '' }, { hold: true }),
    );
    for (const result of await Promise.all(saves)) saved(result);
    for (const result of await Promise.all(signals)) expect(result.kind).toBe('queued');
    const last = saved(await save(store, held.lease, { next: releaseAt(held.now) }));
    expect(last.inbox.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, i) => `s${i}`));
  });
});

type World = Awaited<ReturnType<typeof openRedisWorld>>;

/** Remembers all keys of a world; gives a function that puts them back. */
async function remember({ redis, namespace }: World): Promise<() => Promise<void>> {
  const keys = await redis.keys(`${namespace}:*`);
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return async () => {
    await redis.del(...(await redis.keys(`${namespace}:*`)));
    for (const [i, key] of keys.entries()) await redis.restore(key, 0, dumps[i] ?? Buffer.alloc(0));
  };
}

/** The commands that the stores of a world send while `act` runs. */
function commandsOf(world: World, act: () => Promise<unknown>): Promise<readonly string[]> {
  return seenOf(world, act, (source) => source !== 'lua');
}

/** The commands, with their arguments, that scripts run while `act` runs. */
function scriptCommandsOf(world: World, act: () => Promise<unknown>): Promise<readonly string[]> {
  return seenOf(world, act, (source) => source === 'lua');
}

async function seenOf(
  world: World,
  act: () => Promise<unknown>,
  isWanted: (source: string) => boolean,
): Promise<readonly string[]> {
  const monitor = await world.redis.monitor();
  const marker = `${world.namespace}:marker`;
  const seen: string[] = [];
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    if (!isWanted(source) || !args.some((arg) => arg.includes(world.namespace))) return;
    if (args[1] !== marker) seen.push(args.join(' '));
  });
  await act();
  const marked = new Promise<void>((resolve) => {
    monitor.on('monitor', (_time: string, args: string[]) => {
      if (args[1] === marker) resolve();
    });
  });
  await world.redis.get(marker);
  await marked;
  monitor.disconnect();
  return seen;
}
