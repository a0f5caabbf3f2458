import process from 'node:process';
import { isDeepStrictEqual } from 'node:util';
import { Redis } from 'ioredis';
import { system } from '../../../src/core/lib/system.ts';
import { Memory } from '../../../src/core/store/memory/memory-store.ts';
import { createRedisStore } from '../../../src/core/store/redis/create-redis-store.ts';
import type { Change, Held, NewRecord, Store } from '../../../src/core/store/store.ts';
import { Chance } from '../../simulation/chance.ts';
import { oddText, wellFormed } from '../mutate.ts';
import { REDIS_VARIABLE } from '../redis.ts';
import { Finding, type OpenTarget, type Target } from '../target.ts';

const HOUR_MS = 3_600_000;
const silent = { info: () => undefined, warn: () => undefined };
const MOST_SHOWN = 1_500;

/** The Redis scripts: a few calls with unusual texts have the same results as in the store in memory. */
export const luaTarget: Target = {
  name: 'lua',
  weight: 5,
  async open(chance) {
    const url = process.env[REDIS_VARIABLE];
    if (url === undefined) return null;
    const namespace = `fuzz-${chance.bytes(8).toString('hex')}`;
    const options = { ...system, url, namespace, logger: silent, shards: 1 };
    const redis = await createRedisStore({ ...options, confirm: 'off' });
    const memory = new Memory({ ...system }).openStore();
    return {
      async run(given) {
        // The same story twice: the random choices do not depend on a store's results.
        const seed = given.bytes(16).toString('hex');
        const there = await storyOf(redis, new Chance(seed));
        const here = await storyOf(memory, new Chance(seed));
        if (isDeepStrictEqual(there, here)) return;
        const at = there.findIndex((each, index) => !isDeepStrictEqual(each, here[index]));
        const show = (value: unknown) => JSON.stringify(value)?.slice(0, MOST_SHOWN);
        throw new Finding('crash', `Redis says ${show(there[at])}, memory ${show(here[at])}`);
      },
      async close() {
        // The server belongs to this run.
        const plain = new Redis(url);
        await plain.flushall();
        plain.disconnect();
        await redis[Symbol.asyncDispose]();
        await memory[Symbol.asyncDispose]();
      },
    } satisfies OpenTarget;
  },
};

/** The result of each call, without what differs between stores: ids, times, tokens. */
async function storyOf(store: Store, chance: Chance): Promise<unknown[]> {
  const told: unknown[] = [];
  const name = chance.bytes(8).toString('hex');
  const odd = () =>
    anyText(
      chance.often(0.7) ? oddText(chance) : chance.pick(['0', '-0', '1e3', 'null', 'nil', '{}']),
    );
  // Kinds, lists and places are our own words, or ids of Slack.
  const word = () => odd().replaceAll(/[\s=]/g, '_') || '_';
  const tell = async <Value>(call: () => Promise<Value>, shown: (value: Value) => unknown) => {
    const value = await call();
    told.push(shown(value));
    return value;
  };
  const record: NewRecord = {
    kind: word(),
    data: odd(),
    lane: chance.pick(['people', 'background']),
    dueInMs: HOUR_MS,
    place: chance.often(0.3)
      ? null
      : { channel: word(), message: chance.often(0.5) ? null : word() },
    ...(chance.often(0.7) && { uniqueKey: `${name}${odd()}` }),
    ...(chance.often(0.5) && { lists: [`${name}${word()}`, `${name}${word()}`] }),
    ...(chance.often(0.5) && { audit: [entry()] }),
  };
  const created = await tell(
    () => store.create(record, { hold: chance.often(0.5) }),
    (made) => [made.kind, made.kind === 'created' && shownHeld(made.held)],
  );
  if (created.kind !== 'created') return told;
  const { id } = created;
  let held: Held | undefined = created.held;
  await tell(() => store.read(id), shownRecord);
  if (record.uniqueKey !== undefined) {
    const { uniqueKey } = record;
    await tell(() => store.find(uniqueKey), shownRecord);
    await tell(
      () => store.create({ ...record, kind: word() }, { hold: false }),
      (made) => [made.kind, made.kind === 'exists' && shownRecord(made.record)],
    );
  }
  const [list = ''] = record.lists ?? [];
  if (list !== '') {
    await tell(
      () => store.list([list], { limit: 5, after: chance.often(0.2) ? odd() : undefined }),
      ({ entries }) => entries.map((each) => shownRecord(each.record)),
    );
  }
  const ids: string[] = [];
  for (let count = chance.whole(0, 3); count > 0; count -= 1) {
    const signal = { id: odd(), body: odd() };
    ids.push(signal.id);
    const place = chance.often(0.3) ? { channel: word(), message: word() } : undefined;
    const options = { hold: chance.often(0.7), once: chance.often(0.4), ...(place && { place }) };
    const came = await tell(
      () => store.signal(id, signal, options),
      (seen) => [seen.kind, seen.kind === 'leased' && shownHeld(seen.held)],
    );
    if (came.kind === 'leased') held = came.held;
  }
  if (held !== undefined) {
    const { lease } = held;
    const change: Change = {
      data: chance.often(0.3) ? null : odd(),
      handled: [...ids.slice(0, chance.whole(0, 3)), ...(chance.often(0.3) ? [odd()] : [])],
      place: chance.often(0.5) ? { channel: word(), message: word() } : null,
      ...(chance.often(0.4) && { lists: [`${name}${word()}`] }),
      audit: chance.often(0.5) ? [entry()] : [],
      next: chance.pick<Change['next']>([
        { kind: 'keep' },
        { kind: 'finish', keepMs: HOUR_MS },
        { kind: 'release', lane: 'people', dueAt: created.now + HOUR_MS },
      ]),
    };
    await tell(
      () => store.save(chance.often(0.1) ? { ...lease, token: odd() } : lease, change),
      (saved) => (saved.kind === 'saved' ? [saved.released, shownInbox(saved.inbox)] : 'lost'),
    );
    await tell(() => store.read(id), shownRecord);
  }
  await tell(
    async () => audits(store, id, created.now),
    (all) => all,
  );
  const [key, value] = [`${name}${odd()}`, odd()];
  await tell(
    () => store.put(key, value, HOUR_MS),
    () => null,
  );
  await tell(
    () => store.get(key),
    (got) => got,
  );
  await tell(
    () => store.replace(key, chance.often(0.5) ? value : odd(), odd(), HOUR_MS),
    (did) => did,
  );
  await tell(
    () => store.putIfAbsent(key, odd(), HOUR_MS),
    (did) => did,
  );
  await tell(
    () => store.take(key),
    (got) => got,
  );
  await tell(
    () => store.get(key),
    (got) => got,
  );
  return told;

  function entry() {
    return {
      action: odd(),
      record: null,
      actor: odd(),
      facts: { [odd()]: odd(), count: chance.whole(-5, 5), no: null },
    };
  }
}

/** Texts come from JSON or UTF-8: half of a surrogate pair becomes U+FFFD before it reaches a store. */
function anyText(text: string): string {
  return wellFormed(text).slice(0, 20_000);
}

function shownRecord(record: Awaited<ReturnType<Store['read']>>): unknown {
  if (record === undefined) return null;
  const { kind, data, lane, place, uniqueKey, lists, dueAt } = record;
  return { kind, data, lane, place, uniqueKey, lists: lists.toSorted(), isDue: dueAt !== null };
}

function shownHeld(held: Held | undefined): unknown {
  return held && [shownRecord(held.record), shownInbox(held.inbox), held.claims];
}

function shownInbox(inbox: Held['inbox']): unknown {
  return inbox.map(({ id, body }) => [id, body]);
}

/** Only of its own story: the entries of earlier ones would be read each time. */
async function audits(store: Store, record: string, sinceAt: number): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const { action, actor, facts } of store.readAudit({ record, sinceAt }))
    all.push([action, actor, facts]);
  return all;
}
