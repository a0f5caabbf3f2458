import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Redis } from 'ioredis';
import { describe, expect, vi } from 'vitest';
import { loadScripts } from '../../src/core/store/redis/load-scripts.ts';
import { LEASE_MS } from '../../src/core/store/store.ts';
import { canStartRedis, startRedisServer } from '../support/redis.ts';
import { DEPLOYS, listing } from '../support/world.ts';
import { ANA, BEN, startStage } from './stage.ts';
import { story } from './story.ts';
import type { Place } from './token-search.ts';

/** Long enough to count in the meantime; under the 2 s after which a lookup is given up. */
const HELD_MS = 1_500;

/** What is asked of a Redis server, in the order of arrival. */
interface Tap extends AsyncDisposable {
  /** Names of the commands since the last call; scripts by their own, the loop's search left out. */
  taken(): Promise<string[]>;
  /** Waits until that many records are due soon. */
  until(due: { readonly people: number; readonly background: number }): Promise<void>;
}

async function tapOf(url: string): Promise<Tap> {
  const scripts = await loadScripts({ leaseMs: LEASE_MS });
  const names = new Map(scripts.map(({ name, lua }) => [sha1(lua), name]));
  // As the product's: the newer protocol begins each connection with a greeting, which would be counted.
  const redis = new Redis(url, { protocol: 2 });
  const monitor = await redis.monitor();
  let seen: string[] = [];
  let echoed: (() => void) | undefined;
  monitor.on('monitor', (_time: string, args: string[], source: string) => {
    const [command = '', first = ''] = args;
    if (source === 'lua' || first.endsWith(PROBED)) return;
    if (command === 'echo') echoed?.();
    else seen.push(names.get(command === 'eval' ? sha1(first) : first) ?? command);
  });
  return {
    async taken() {
      // What the server was asked before this echo has been seen when the echo is.
      const arrived = new Promise<void>((resolve) => {
        echoed = resolve;
      });
      await redis.echo('mark');
      await arrived;
      const taken = seen.filter((name) => !OURS.has(name));
      seen = [];
      return taken;
    },
    async until({ people, background }) {
      const asker = redis.duplicate();
      // Leases end in it, and polls come; what is only listed as decided does not.
      const size = (lane: string) =>
        asker.zcount(`gatepost:{0}:due:${lane}`, '-inf', Date.now() + 60_000);
      const isSo = async () =>
        (await size('people')) === people && (await size('background')) === background;
      await vi.waitUntil(isSo, { timeout: 60_000, interval: 20 });
      asker.disconnect();
    },
    async [Symbol.asyncDispose]() {
      monitor.disconnect();
      redis.disconnect();
    },
  };
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** What is written now and then to see whether the store takes writes. */
const PROBED = ':marker';
/** The looks for what is due, once a second, and what this file asks itself. */
const OURS: ReadonlySet<string> = new Set(['find-due', 'zcount', 'info']);

/** All keys and values of a server. */
async function everythingIn(url: string): Promise<Place[]> {
  const redis = new Redis(url);
  const readers: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    zset: (key) => redis.zrange(key, '0', '-1'),
    set: (key) => redis.smembers(key),
    list: (key) => redis.lrange(key, 0, -1),
    stream: (key) => redis.xrange(key, '-', '+'),
  };
  const keys = await redis.keys('*');
  const places = keys.map(async (key) => {
    const read = readers[await redis.type(key)];
    if (read === undefined) throw new Error(`a kind of key that nobody reads: ${key}`);
    const value = await read(key);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return { name: `key ${key}`, text: `${key}\n${text}\n${text.replaceAll('\\"', '"')}` };
  });
  const found = await Promise.all(places);
  redis.disconnect();
  return found;
}

describe.runIf(await canStartRedis())('on Redis', () => {
  story(
    'one-round-trip no-token-shown',
    'a request and a click cost one round trip each, and an outcome three more until it is shown',
    async () => {
      await using server = await startRedisServer();
      const places: Place[] = [];
      await using stage = await startStage({
        env: { REDIS_URL: server.url },
        // Scripts are known by their text, which says how long a lease lasts.
        scale: 1,
        config: listing,
        moreToSearch: async () => places,
      });
      await using tap = await tapOf(server.url);
      const { service, workspace } = stage.sandbox;
      const warm = await stage.ask();
      await stage.click(ANA, warm.ts, 'Approve');
      await tap.until({ people: 0, background: 0 });
      await tap.taken();

      // Each fault holds what comes next until the commands so far are counted.
      service.fault({ kind: 'slowAnswer', ms: HELD_MS, operation: 'getApproval', times: 1 });
      const { token } = await stage.send({ prompt: 'Counted' });
      expect(await tap.taken()).toEqual(['create']);
      await tap.until({ people: 0, background: 1 });
      // Who is away is read before anybody is mentioned.
      expect(await tap.taken()).toEqual(['get', 'list', 'pace', 'save', 'save']);

      const ts = workspace.messages(DEPLOYS).at(-1)?.ts ?? '';
      workspace.fault({ kind: 'slowAnswer', ms: HELD_MS, method: 'users.info', times: 1 });
      await stage.click(BEN, ts, 'Approve');
      // Whether the route is closed is read before the press counts.
      expect(await tap.taken()).toEqual(['signal', 'get']);
      workspace.fault({ kind: 'slowAnswer', ms: HELD_MS, method: 'chat.update', times: 1 });
      await stage.until(ts, /Approved by <@U0BEN>/);
      // Ben decides for the first time: his account is pinned, and read again. Slack held that up for over a
      // second; the message is not changed before the decision is sent.
      const pinned = ['get', 'get', 'set', 'set', 'get', 'get'];
      expect(await tap.taken()).toEqual([...pinned, 'save', 'save']);
      await tap.until({ people: 0, background: 0 });
      // In the thread and in the outcome channel: each its turn, and one note; at the end the record is only listed.
      expect(await tap.taken()).toEqual(['pace', 'pace', 'save', 'save']);

      // What is kept of him and of his account is read at once. On a busy machine a step of the loop comes in
      // between now and then: it is what the trips are at best.
      const atOnce = ['signal', 'get', 'get', 'get', 'save', 'save'];
      const taken: string[][] = [];
      while (taken.length < 5 && !isDeepStrictEqual(taken.at(-1), atOnce)) {
        const again = await stage.ask();
        await tap.until({ people: 0, background: 1 });
        await tap.taken();
        workspace.fault({ kind: 'slowAnswer', ms: HELD_MS, method: 'chat.update', times: 1 });
        await stage.click(BEN, again.ts, 'Approve');
        await stage.until(again.ts, /Approved by <@U0BEN>/);
        taken.push(await tap.taken());
        await tap.until({ people: 0, background: 0 });
      }
      expect(taken.at(-1)).toEqual(atOnce);

      places.push(...(await everythingIn(server.url)));
      expect(places.length).toBeGreaterThan(3);
      expect(service.approval(token).status).toBe('APPROVED');
    },
  );
});
