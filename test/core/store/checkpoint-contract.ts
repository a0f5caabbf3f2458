import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { isAlwaysSigned } from '../../../src/app/features.ts';
import { type Seals, startSealing } from '../../../src/app/seal-audit.ts';
import { systemClock } from '../../../src/core/lib/clock.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import {
  auditSigner,
  linkAfter,
  signatureChecker,
  type VerifiedChain,
  verifyChain,
} from '../../../src/core/store/audit-chain.ts';
import { CHECKPOINT } from '../../../src/core/store/checkpoint.ts';
import {
  type AuditChain,
  type KeptAuditEntry,
  type NewAuditEntry,
  type Store,
  StoreError,
} from '../../../src/core/store/store.ts';
import { cases } from '../../support/cases.ts';
import {
  type AuditWorld,
  collect,
  createFree,
  createHeld,
  HOUR_MS,
  keptAudit,
  type StoreWorld,
  save,
} from './store-world.ts';

const keys = [{ id: 'k1', key: randomBytes(32) }];
const check = signatureChecker(keys);
const signed = { signAudit: auditSigner(keys) };

const entry = (n: number) => ({ action: 'approvals.a', record: null, actor: 'U1', facts: { n } });

type Kept = readonly KeptAuditEntry[];

/** A forgery of the log; `at`: the positions of entries 1, 2 and so on. */
type Forgery = (kept: Kept, at: (n: number) => number) => Kept;

/** That what was done to the log before a checkpoint is seen, even if every link was recomputed. */
export function checkpointContract(
  openWorld: (options?: typeof signed) => Promise<AuditWorld>,
): void {
  /** Checkpoints of two runs around twelve entries, all of them covered. */
  const openSealed = async () => {
    const world = await openWorld(signed);
    const [store, other] = world.stores;
    const first = await startSealed(store, 'a');
    for (let n = 1; n <= 12; n += 1) {
      await store.writeAudit(entry(n));
      if (n % 4 === 0) await first.seal();
    }
    await first.stop();
    const second = await startSealed(other, 'b');
    return { world, store, other, ...second };
  };
  /** The same world for each test that only forges its log, which is put back. */
  let shared: ReturnType<typeof openSealed> | undefined;
  const borrowSealed = async () => {
    shared ??= openSealed();
    const { world, store } = await shared;
    const { head, anchor } = await chainOf(store);
    const kept = await keptAudit(store);
    return {
      world,
      store,
      [Symbol.asyncDispose]: () => world.rewriteAudit(() => kept, { head, anchor }),
    };
  };
  afterAll(async () => (await shared)?.world[Symbol.asyncDispose]());

  describe('the checkpoints of the audit log', () => {
    test('are part of the chain, but not shown as log entries', async () => {
      const { world, store, stop } = await openSealed();
      await using _ = world;
      await stop();
      expect(await verify(store)).toMatchObject({
        problems: [],
        entries: 12,
        unsigned: 0,
        notSealed: 0,
        sinceCheckpoint: 0,
      });
      expect(await actionsOf(store)).toEqual(
        [0, 4, 4, 4, 0].flatMap((entries) => [
          ...Array.from({ length: entries }, () => 'approvals.a'),
          CHECKPOINT,
        ]),
      );
      expect(await collect(store.readAudit({}))).toHaveLength(12);
    });

    test.each<[string, Forgery]>([
      ['one that was removed', (kept, at) => kept.toSpliced(at(6), 1)],
      ['the last before a checkpoint that was removed', (kept, at) => kept.toSpliced(at(8), 1)],
      ['one that was changed', (kept, at) => kept.with(at(6), like(kept, at(6), kept, at(7)))],
      ['an hour later, from one on', (kept, at) => kept.map(later(at(6), HOUR_MS))],
      ['an hour later, all of them', (kept) => kept.map(later(0, HOUR_MS))],
      ['an hour later, the end', (kept) => kept.map(later(kept.length - 1, HOUR_MS))],
      ['dated back', (kept, at) => kept.map((each, i) => (i > at(6) ? each : back(each)))],
      [
        'two that were swapped',
        (kept, at) =>
          kept
            .with(at(6), like(kept, at(6), kept, at(7)))
            .with(at(7), like(kept, at(7), kept, at(6))),
      ],
      ['one that is there twice', (kept, at) => kept.toSpliced(at(6), 0, nth(kept, at(6)))],
      ['a checkpoint that was removed', (kept, at) => kept.toSpliced(at(8) + 1, 1)],
      [
        'all checkpoints that were removed',
        (kept) => kept.filter(({ text: [a] }) => a !== CHECKPOINT),
      ],
      [
        'all checkpoints but the first that were removed',
        (kept) => kept.filter(({ text: [a] }, i) => a !== CHECKPOINT || i === 0),
      ],
      [
        'a checkpoint that is there twice',
        (kept) => [...kept, { ...nth(kept, 0), at: nth(kept, kept.length - 1).at }],
      ],
    ])('show %s, even with every link recomputed', async (_what, forge) => {
      await using sealed = await borrowSealed();
      await forgeIn(sealed.world, forge);
      const { problems } = await verify(sealed.store);
      expect(problems.map(({ kind }) => kind)).toContain('checkpoint');
    });

    test('show that checkpoint names were removed', async () => {
      await using world = await openWorld(signed);
      const [store] = world.stores;
      const { seal } = await startSealed(store, 'a');
      for (let n = 1; n <= 4; n += 1) await store.writeAudit(entry(n));
      await seal();
      await store.writeAudit(entry(5));
      expect(await verify(store)).toMatchObject({ problems: [], unsigned: 0 });
      await forgeIn(world, (kept) =>
        kept
          .filter(({ text: [action] }) => action !== CHECKPOINT)
          .map((each) => {
            const [action, record, actor, facts, mac] = each.text;
            const [id, hmac, ...name] = mac.split('.');
            const stripped = `${facts}\n${name.join('.')}`;
            return { ...each, text: [action, record, actor, stripped, `${id}.${hmac}`] };
          }),
      );
      const { problems } = await verify(store);
      expect(problems.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'forged'));
    });

    test.each([
      ['in the middle', 6],
      ['at the end', 12],
    ])('show an unsigned entry about accounts that was added %s', async (_where, after) => {
      await using sealed = await borrowSealed();
      const { world, store } = sealed;
      await forgeIn(world, (kept, at) => {
        const place = after === 12 ? kept.length - 1 : at(after);
        const text = ['people.outcome', '', 'U1', '{"outcome":"deactivated"}', ''] as const;
        return kept.toSpliced(place + 1, 0, { ...nth(kept, place), text });
      });
      const { problems, head } = await verify(store);
      const seq = after === 12 ? head.seq : 9;
      expect(problems).toContainEqual(expect.objectContaining({ kind: 'forged', seq }));
    });

    test.each<[string, (kept: Kept, at: (n: number) => number) => number]>([
      ['the first', () => 1],
      ['up to a checkpoint', (_, at) => at(4) + 1],
      ['up to behind a checkpoint', (_, at) => at(6)],
      ['all but the last', (kept) => kept.length - 1],
    ])('show that the oldest entries were cut as if by retention: %s', async (_what, countIn) => {
      await using sealed = await borrowSealed();
      const { world, store } = sealed;
      const kept = await keptAudit(store);
      const count = countIn(kept, (n) => placeOf(kept, n));
      const { seq, link } = nth(kept, count - 1);
      await forgeIn(world, (all) => all.slice(count), { seq, link });
      const { problems } = await verify(store);
      expect(problems).toMatchObject([{ kind: 'anchor', seq }]);
    });

    test('show that the oldest entries were cut, although a replica that started later found them gone', async ({
      skip,
    }) => {
      await using world = await openWorld(signed);
      const [store, other] = world.stores;
      skip(store === other, 'a folder has one process, which knows its own checkpoints');
      const { seal } = await startSealed(store, 'a');
      for (let n = 1; n <= 4; n += 1) await store.writeAudit(entry(n));
      await seal();
      const { seq, link } = nth(await keptAudit(store), 2);
      await forgeIn(world, (all) => all.slice(3), { seq, link });
      const later = await startSealed(other, 'b');
      await other.writeAudit(entry(5));
      await later.seal();
      expect((await verify(store)).problems).toMatchObject([{ kind: 'anchor', seq }]);
    });

    test('show that a shard was replaced by another one', async () => {
      await using world = await openWorld(signed);
      const [store] = world.stores;
      // What the same keys signed in another shard.
      const { seal } = await startSealed(withFacts(store, { shard: 1 }), 'a');
      for (let n = 1; n <= 4; n += 1) await store.writeAudit(entry(n));
      await seal();
      const { problems } = await verify(store);
      expect(problems.map(({ kind, sentence }) => [kind, sentence])).toContainEqual([
        'checkpoint',
        'Checkpoint 1 belongs to another shard.',
      ]);
    });

    test('show that the end was cut, to a saved head and to the replica that sealed it', async () => {
      const { world, other, seal, told } = await openSealed();
      await using _ = world;
      const { head } = await verify(other);
      await forgeIn(world, (kept) => kept.slice(0, 5));
      expect(await verify(other)).toMatchObject({ problems: [] });
      expect((await verify(other, head)).problems).toMatchObject([{ kind: 'head', seq: 5 }]);
      await seal();
      await other.writeAudit(entry(99));
      await seal();
      expect(told).toEqual([
        `a checkpoint is missing from the audit log ${JSON.stringify({ shard: 0, entry: head.seq })}`,
        'audit.cut',
      ]);
      // It remains visible.
      expect((await verify(other)).problems).toMatchObject([{ kind: 'checkpoint' }]);
    });

    test('report a cut even when the clock of the store was set ahead', async () => {
      const { world, store } = await openSealed();
      await using _ = world;
      const { seal, told } = await startSealed(withTimeAhead(store, 2 * HOUR_MS), 'c');
      await forgeIn(world, (kept) => kept.slice(0, 5));
      await seal();
      expect(told).toContain('audit.cut');
    });

    test('say about entries before the first one only that they are not sealed', async () => {
      await using world = await openWorld(signed);
      const [store] = world.stores;
      const bare = { ...entry(1), action: 'people.asked' };
      await store.writeAudit(bare);
      await store.writeAudit(entry(2));
      expect(await verify(store)).toMatchObject({ problems: [], notSealed: 2, sinceCheckpoint: 0 });
      await startSealed(store, 'a');
      await store.writeAudit(entry(3));
      expect(await verify(store)).toMatchObject({ problems: [], notSealed: 2, sinceCheckpoint: 1 });
    });

    test('accept before the first one what a build before 0.2.0 signed, and show tampering there', async () => {
      await using world = await openWorld(signed);
      const [store] = world.stores;
      for (let n = 1; n <= 3; n += 1) await store.writeAudit(entry(n));
      await forgeIn(world, (kept) => kept.map(signedEarlier));
      const { seal } = await startSealed(store, 'a');
      await store.writeAudit(entry(4));
      await seal();
      expect(await verify(store)).toMatchObject({ problems: [], earlier: 3, notSealed: 3 });
      await forgeIn(world, (kept, at) => {
        const [action, record, , facts, mac] = nth(kept, at(2)).text;
        const changed = { ...nth(kept, at(2)), text: [action, record, 'U2', facts, mac] as const };
        return kept.with(at(2), changed).with(at(4), signedEarlier(nth(kept, at(4))));
      });
      const { problems, earlier } = await verify(store);
      const forged = problems.filter(({ kind }) => kind === 'forged').map(({ seq }) => seq);
      expect({ forged, earlier }).toEqual({ forged: [2, 5], earlier: 2 });
    });

    test('are not written after entries that were lost in a failover', async () => {
      const { world, store, other, seal } = await openSealed();
      await using _ = world;
      await store.writeAudit(entry(21));
      const late = withLateRead(other, async () => {
        await forgeIn(world, (kept) => kept.slice(0, -1));
        await store.writeAudit(entry(22));
      });
      const replica = await startSealed(late, 'c');
      await seal();
      expect(await verify(store)).toMatchObject({ problems: [], entries: 13, sinceCheckpoint: 0 });
      await replica.seal();
      expect(await verify(store)).toMatchObject({ problems: [] });
    });

    test('say about entries after the last one only that they are not sealed yet', async () => {
      const { world, store } = await openSealed();
      await using _ = world;
      for (let n = 21; n <= 23; n += 1) await store.writeAudit(entry(n));
      expect(await verify(store)).toMatchObject({ problems: [], sinceCheckpoint: 3 });
      await forgeIn(world, (kept, at) => kept.toSpliced(at(22), 1));
      expect(await verify(store)).toMatchObject({ problems: [], sinceCheckpoint: 2 });
    });

    test('of two replicas that write at the same time are whole, and stop when nothing changes', async () => {
      await using world = await openWorld(signed);
      const [store, other] = world.stores;
      const replicas = await Promise.all([startSealed(store, 'a'), startSealed(other, 'b')]);
      for (let round = 0; round < cases(3, 10); round += 1) {
        const { lease } = await createHeld(store, { audit: [entry(1)] });
        await Promise.all([
          ...replicas.flatMap(({ seal }) => [seal(), seal()]),
          ...Array.from({ length: 5 }, (_, n) => createFree(other, { audit: [entry(n)] })),
          save(store, lease, { audit: [entry(2), entry(3)] }),
          other.writeAudit(entry(4)),
        ]);
      }
      for (const { seal } of [...replicas, ...replicas]) await seal();
      expect(await verify(store)).toMatchObject({ problems: [], sinceCheckpoint: 0 });
      const { length } = await keptAudit(store);
      for (const { seal } of [...replicas, ...replicas]) await seal();
      expect(await keptAudit(store)).toHaveLength(length);
      expect(replicas.flatMap(({ told }) => told)).toEqual([]);
    });

    test('let retention remove old entries repeatedly', async () => {
      await using world = await openWorld(signed);
      const [store, other] = world.stores;
      const replicas = await Promise.all(
        [store, other].map((each, n) => startSealed(each, `${n}`, 20)),
      );
      for (let round = 0; round < 6; round += 1) {
        await createFree(store, { audit: [entry(1), entry(2), entry(3)] });
        await pass(30);
        await createFree(other, { audit: [entry(4)] });
        await Promise.all(replicas.map(({ seal }) => seal()));
        expect(await verify(store)).toMatchObject({ problems: [] });
      }
      const { anchor, head } = await chainOf(store);
      expect(head.seq - anchor.seq).toBeLessThan(20);
      const again = await startSealed(other, 'c', 20);
      await again.seal();
      await again.stop();
      expect(await verify(store)).toMatchObject({ problems: [], notSealed: 0 });
      expect(replicas.flatMap(({ told }) => told)).toEqual([]);
    });

    test.each<[string, (kept: Kept) => Kept]>([
      [
        'in all that a checkpoint covers',
        (kept) => kept.map((each, i) => (i < 5 ? back(each) : each)),
      ],
      ['in one entry before the next checkpoint', (kept) => kept.with(0, back(nth(kept, 0)))],
    ])('stop retention when dates were set back: %s', async (_where, redate) => {
      await using world = await openWorld(signed);
      const [store] = world.stores;
      const replica = await startSealed(store, 'a', HOUR_MS / 2);
      for (let n = 1; n <= 4; n += 1) await store.writeAudit(entry(n));
      await replica.seal();
      for (let n = 5; n <= 6; n += 1) await store.writeAudit(entry(n));
      const { head, anchor } = await chainOf(store);
      await world.rewriteAudit(redate, { head, anchor });
      await replica.seal();
      await store.writeAudit(entry(7));
      await replica.seal();
      expect((await chainOf(store)).anchor).toEqual(anchor);
      expect((await verify(store)).problems).not.toEqual([]);
      expect(replica.told).toEqual(['the audit log was changed {"shard":0}', 'audit.changed']);
    });

    test.each<[string, (world: AuditWorld, kept: Kept) => Promise<void>]>([
      ['changed', (world, kept) => world.rewriteAudit(() => kept.with(1, like(kept, 1, kept, 2)))],
      ['removed', (world, kept) => world.rewriteAudit(() => kept.toSpliced(1, 1))],
      [
        'changed, with every link made anew',
        (world, kept) => forgeIn(world, () => kept.with(1, like(kept, 1, kept, 2))),
      ],
    ])('stop retention when an old entry was %s', async (_what, change) => {
      await using world = await openWorld(signed);
      const [store] = world.stores;
      const replica = await startSealed(store, 'a', 20);
      for (let n = 1; n <= 4; n += 1) await store.writeAudit(entry(n));
      await replica.seal();
      await pass(30);
      await change(world, await keptAudit(store));
      for (let n = 5; n <= 6; n += 1) {
        await store.writeAudit(entry(n));
        await replica.seal();
      }
      const { anchor } = await chainOf(store);
      expect(anchor.seq).toBe(0);
      expect((await verify(store)).problems).not.toEqual([]);
      expect(replica.told.slice(0, 2)).toEqual([
        'the audit log was changed {"shard":0}',
        'audit.changed',
      ]);
      expect(replica.told).toHaveLength(2);
    });

    test('let entries before the first checkpoint expire once that one is old enough', async () => {
      await using world = await openWorld(signed);
      const [store] = world.stores;
      await createFree(store, { audit: Array.from({ length: 10 }, (_, n) => entry(n)) });
      const replica = await startSealed(store, 'a', 20);
      await store.writeAudit(entry(10));
      await pass(30);
      await replica.seal();
      expect((await chainOf(store)).anchor.seq).toBe(10);
      expect(await verify(store)).toMatchObject({ problems: [] });
    });

    test.each<[string, Partial<Record<'writeAudit' | 'removeAudit', 'lost' | 'not done'>>]>([
      ['before it was written', { writeAudit: 'not done' }],
      ['before its answer came', { writeAudit: 'lost' }],
      ['before anything was removed', { removeAudit: 'not done' }],
      ['while it was removed', { removeAudit: 'lost' }],
    ])('are whole after a crash %s', async (_when, faults) => {
      await using world = await openWorld(signed);
      const [store, other] = world.stores;
      const broken = { isOn: false };
      const first = await startSealed(failing(store, faults, broken), 'a', 20);
      for (let n = 0; n < 5; n += 1) await store.writeAudit(entry(n));
      await pass(30);
      await store.writeAudit(entry(5));
      broken.isOn = true;
      await first.seal();
      // The process died here; retention continues only with a checkpoint.
      await pass(30);
      await createFree(store, { audit: [entry(6)] });
      expect(await verify(store)).toMatchObject({ problems: [] });
      const second = await startSealed(other, 'b', 20);
      await createFree(store, { audit: [entry(7)] });
      await pass(30);
      await other.writeAudit(entry(8));
      await second.seal();
      expect(await verify(store)).toMatchObject({ problems: [], sinceCheckpoint: 0 });
      expect((await chainOf(store)).anchor.seq).toBeGreaterThan(5);
    });

    test('with additional facts of a later version are read', async () => {
      await using world = await openWorld(signed);
      const [store] = world.stores;
      await startSealed(withFacts(store, { more: 'of them' }), 'a');
      await store.writeAudit(entry(1));
      expect(await verify(store)).toMatchObject({ problems: [], sinceCheckpoint: 1 });
    });

    test('that cannot be read are reported as that, not as tampering', async () => {
      await using world = await openWorld(signed);
      const [store] = world.stores;
      await startSealed(withFacts(store, { covers: 'all' }), 'a');
      const { problems } = await verify(store);
      expect(problems.map(({ kind, sentence }) => [kind, sentence])).toEqual([
        [
          'checkpoint',
          'Checkpoint 1 has facts that this version of Gatepost cannot read. Verify with the version that the bot runs.',
        ],
      ]);
    });

    test('are written again after an unexpected error', async () => {
      await using world = await openWorld(signed);
      const [store] = world.stores;
      const broken = { isOn: false };
      const { seal } = await startSealed(
        failing(store, { auditChain: 'not done' }, broken, new TypeError('a fault')),
        'a',
      );
      await store.writeAudit(entry(1));
      broken.isOn = true;
      await expect(seal()).rejects.toThrow('a fault');
      broken.isOn = false;
      await seal();
      expect(await verify(store)).toMatchObject({ problems: [], sinceCheckpoint: 0 });
    });

    test('signed with a missing key are only reported as not checked', async () => {
      const { world, store, stop } = await openSealed();
      await using _ = world;
      await stop();
      const others = signatureChecker([{ id: 'k2', key: randomBytes(32) }]);
      const { problems, unknownKeys } = await verifyChain(await chainOf(store), {
        check: others,
        isAlwaysSigned,
      });
      expect({ problems, unknownKeys }).toEqual({ problems: [], unknownKeys: ['k1'] });
    });
  });
}

/** The same for a log in several shards. */
export function shardedCheckpointContract(
  openWorld: (options: typeof signed) => Promise<StoreWorld>,
): void {
  test('the other shards are sealed while one is away', async () => {
    await using world = await openWorld(signed);
    const [store] = world.stores;
    const { told } = await startSealed(withoutShard(store, 1), 'a');
    const shards = Array.from({ length: store.auditShards() }, (_, shard) => shard);
    const heads = await Promise.all(
      shards.map(async (shard) => (await store.auditChain(shard)).head.seq),
    );
    expect(heads).toEqual(shards.map((shard) => (shard === 1 ? 0 : 1)));
    expect(told).toEqual([]);
  });

  test('each shard of the audit log is sealed by itself', async () => {
    await using world = await openWorld(signed);
    const [store, other] = world.stores;
    const { seal, stop, told } = await startSealed(store, 'a');
    const verified = async () => {
      const shards = Array.from({ length: store.auditShards() }, (_, shard) => shard);
      return Promise.all(
        shards.map(async (shard) =>
          verifyChain(await store.auditChain(shard), { check, isAlwaysSigned }),
        ),
      );
    };
    const headsOf = async () => (await verified()).map(({ head: { seq } }) => seq);
    const shards = (await headsOf()).length;
    expect(shards).toBeGreaterThan(1);
    expect(await headsOf()).toEqual(Array.from({ length: shards }, () => 1));
    // A checkpoint is only written where something was written.
    await other.writeAudit(entry(1));
    await seal();
    expect((await headsOf()).toSorted()).toEqual([
      ...Array.from({ length: shards - 1 }, () => 1),
      3,
    ]);
    const hasUnsealed = async () =>
      (await verified()).map(({ sinceCheckpoint }) => sinceCheckpoint > 0);
    while ((await hasUnsealed()).includes(false)) await createFree(other, { audit: [entry(2)] });
    await stop();
    expect(await hasUnsealed()).toEqual(Array.from({ length: shards }, () => false));
    expect((await verified()).flatMap(({ problems }) => problems)).toEqual([]);
    expect(told).toEqual([]);
  });
}

/** A store that does not answer for one shard, like a Cluster with an unavailable part. */
function withoutShard(store: Store, away: number): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const isAway = ['auditChain', 'removeAudit'].includes(String(name)) && args[0] === away;
        if (isAway) return Promise.reject(new StoreError('unavailable', 'away'));
        return Reflect.apply(member, target, args);
      };
    },
  });
}

/** A replica's seals, made when the test says so, and its reports. */
export async function startSealed(
  store: Store,
  run: string,
  auditMs = HOUR_MS,
): Promise<Seals & { readonly told: readonly string[] }> {
  const told: string[] = [];
  const seals = await startSealing({
    ...{ store, run, auditMs, check },
    logger: {
      info: () => undefined,
      warn: () => undefined,
      error: (facts, message) => told.push(`${message} ${JSON.stringify(facts)}`),
    },
    raise: async ({ about }) => void told.push(about),
    clock: systemClock,
    timers: { ...systemTimers, after: () => () => undefined },
    everyMs: HOUR_MS,
  });
  return { ...seals, told };
}

/** A store whose clock is ahead when it is asked for the time of its audit log. */
function withTimeAhead(store: Store, ms: number): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === 'auditChain') {
        return async (shard: number) => {
          const chain = await target.auditChain(shard);
          return { ...chain, now: chain.now + ms };
        };
      }
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** A store into which another build writes, with other facts. */
function withFacts(store: Store, facts: NewAuditEntry['facts']): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === 'writeAudit') {
        return (audit: NewAuditEntry, options: Parameters<Store['writeAudit']>[1]) =>
          target.writeAudit({ ...audit, facts: { ...audit.facts, ...facts } }, options);
      }
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** A store in which something happens once, between reading the end of the log and writing the checkpoint. */
function withLateRead(store: Store, happen: () => Promise<void>): Store {
  let hasHappened = false;
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'writeAudit') return member.bind(target);
      return async (...args: unknown[]) => {
        if (!hasHappened) {
          hasHappened = true;
          await happen();
        }
        return Reflect.apply(member, target, args);
      };
    },
  });
}

/** The store of a process that crashes: some calls are not executed, or their answers are lost. */
function failing(
  store: Store,
  faults: Readonly<Record<string, 'lost' | 'not done'>>,
  broken: { readonly isOn: boolean },
  error: Error = new StoreError('unknown', 'crashed'),
): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (!(name in faults)) return member.bind(target);
      return async (...args: unknown[]) => {
        const fault = broken.isOn ? faults[String(name)] : undefined;
        if (fault !== 'not done') {
          const answer: unknown = await Reflect.apply(member, target, args);
          if (fault === undefined) return answer;
        }
        throw error;
      };
    },
  });
}

async function chainOf(store: Store): Promise<AuditChain> {
  expect(store.auditShards()).toBe(1);
  return store.auditChain(0);
}

async function verify(store: Store, kept?: VerifiedChain['head']): Promise<VerifiedChain> {
  return verifyChain(await chainOf(store), { check, isAlwaysSigned, kept });
}

async function actionsOf(store: Store): Promise<string[]> {
  return (await keptAudit(store)).map(({ text: [action] }) => action);
}

async function pass(ms: number): Promise<void> {
  const before = Date.now();
  await vi.waitUntil(() => Date.now() > before + ms, { timeout: 20_000, interval: 1 });
}

/** Does it to the log, and recomputes numbers, links and both ends of it. */
async function forgeIn(
  world: AuditWorld,
  forge: Forgery,
  anchor: AuditChain['anchor'] = { seq: 0, link: '-' },
): Promise<void> {
  const [store] = world.stores;
  const { hash } = await chainOf(store);
  const kept = await keptAudit(store);
  let head = anchor;
  const forged = forge(kept, (n) => placeOf(kept, n)).map((each) => {
    const at = { at: each.at, seq: head.seq + 1 };
    head = { seq: at.seq, link: linkAfter(hash, head.link, at, each.text) };
    return { ...each, ...head };
  });
  await world.rewriteAudit(() => forged, { head, anchor });
}

/** As builds before 0.2.0 signed it. */
function signedEarlier(entry: KeptAuditEntry): KeptAuditEntry {
  const [action, record, actor, facts, mac] = entry.text;
  const [, , ...name] = mac.split('.');
  const fields = [action, record, actor, facts, ...(name.length === 0 ? [] : [name.join('.')])];
  const said = auditSigner(keys)(fields.join('\n'));
  return { ...entry, text: [action, record, actor, facts, [said, ...name].join('.')] };
}

/** The position of the entry with this number. */
function placeOf(kept: Kept, n: number): number {
  return kept.findIndex(({ text: [, , , facts] }) => facts === JSON.stringify({ n }));
}

function nth(kept: Kept, index: number): KeptAuditEntry {
  const found = kept[index];
  if (found === undefined) throw new Error(`there is no entry ${index}`);
  return found;
}

/** An entry with the text of another. */
function like(kept: Kept, index: number, others: Kept, other: number): KeptAuditEntry {
  return { ...nth(kept, index), text: nth(others, other).text };
}

const later = (from: number, ms: number) => (each: KeptAuditEntry, index: number) =>
  index < from ? each : { ...each, at: each.at + ms };

const back = (each: KeptAuditEntry) => ({ ...each, at: each.at - HOUR_MS });
