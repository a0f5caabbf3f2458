import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { system } from '../../../src/core/lib/system.ts';
import { createRedisStore } from '../../../src/core/store/redis/create-redis-store.ts';
import type { Store } from '../../../src/core/store/store.ts';
import { freePort } from '../../support/free-port.ts';
import { canStartRedis, type RedisServer, startRedisServer } from '../../support/redis.ts';
import { CERTIFICATES, KEY, startTlsServer } from '../../support/tls-server.ts';
import { silent } from './redis-world.ts';
import {
  createFree,
  createHeld,
  leased,
  newApproval,
  onlyHeld,
  save,
  saved,
} from './store-world.ts';

describe.skipIf(!(await canStartRedis()))('the Redis store when its server fails', () => {
  let server: RedisServer;
  let store: Store;
  let logged: string[];
  const logger = {
    info: (_: object, message: string) => void logged.push(message),
    warn: (_: object, message: string) => void logged.push(message),
  };
  beforeEach(async () => {
    logged = [];
    server = await startRedisServer({ appendonly: true });
    store = await createRedisStore({ ...system, url: server.url, logger });
  });
  afterEach(async () => {
    await store[Symbol.asyncDispose]();
    await server.stop();
  });

  const isBack = () => vi.waitFor(() => store.ping(), { timeout: 60_000, interval: 20 });

  test('what was acknowledged is there after the server was killed', async () => {
    const acknowledged: string[] = [];
    let running = true;
    const writing = Array.from({ length: 8 }, async () => {
      while (running) {
        try {
          const held = await createHeld(store);
          const data = `{"of":"${held.record.id}"}`;
          saved(await save(store, held.lease, { data }));
          acknowledged.push(held.record.id);
        } catch {
          return;
        }
      }
    });
    await vi.waitUntil(() => acknowledged.length > 200, { timeout: 60_000, interval: 1 });
    await server.kill();
    running = false;
    await Promise.all(writing);
    await server.restart();
    await isBack();
    for (const id of acknowledged) {
      expect(await store.read(id)).toMatchObject({ data: `{"of":"${id}"}` });
    }
  });

  test('the store knows that its server was restarted before it gives out a record', async () => {
    const before = await createHeld(store);
    const since = store.servingSince();
    expect(since).toBeLessThanOrEqual(before.now);
    saved(await save(store, before.lease, { next: { kind: 'release', lane: 'people', dueAt: 0 } }));
    expect(store.servingSince()).toBe(since);
    expect(store.wentBackAt()).toBe(0);
    await server.kill();
    await server.restart();
    await isBack();
    // By the small write that tries the store, without a record.
    expect(store.servingSince()).toBeGreaterThan(before.now);
    const held = onlyHeld(await store.claim('people', 1));
    expect(store.servingSince()).toBeLessThanOrEqual(held.now + 10);
    const between = store.servingSince();
    expect(store.wentBackAt()).toBe(between);
    await createFree(store);
    expect(store.servingSince()).toBe(between);
  });

  test('without a connection everything is unavailable at once, and works when it is back', async () => {
    const id = await createFree(store);
    await server.kill();
    await vi.waitUntil(() => logged.length > 0, { timeout: 60_000, interval: 1 });
    const calls = [
      () => createFree(store),
      () => store.signal(id, { id: 's', body: '' }, { hold: true }),
      () => store.claim('people', 1),
      () => store.ping(),
    ];
    for (const call of calls) {
      let end: unknown;
      call().catch((error: unknown) => {
        end = error;
      });
      // Within some turns of the event loop, and not once a limit of time is over.
      for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
      expect(end).toMatchObject({ code: 'unavailable' });
    }
    await server.restart();
    await isBack();
    expect(onlyHeld(await store.claim('people', 1)).record.id).toBe(id);
    expect(logged).toEqual([
      'lost the connection to Redis',
      'connected to Redis again',
      'Redis was restarted or replaced: checking what it may have lost',
    ]);
  });

  test('a server that hangs during a call makes it unknown, and late commands are refused', async () => {
    const id = await createFree(store, { lane: 'background' });
    server.pause();
    const startedAt = performance.now();
    const calls = await Promise.allSettled([
      store.signal(id, { id: 's', body: '' }, { hold: true }),
      store.create({ ...newApproval, uniqueKey: 'late' }, { hold: false }),
    ]);
    const tookMs = performance.now() - startedAt;
    for (const call of calls) {
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'unknown' } });
    }
    expect(tookMs).toBeGreaterThan(1_400);
    server.resume();
    await isBack();
    const held = leased(await store.signal(id, { id: 'later', body: '' }, { hold: true }));
    expect(held.inbox.map((signal) => signal.id)).toEqual(['later']);
    const again = await store.create({ ...newApproval, uniqueKey: 'late' }, { hold: false });
    expect(again.kind).toBe('created');
  });

  test('a holder that gave up waiting does not write when the server goes on', async () => {
    const held = await createHeld(store);
    const deferred = await createHeld(store);
    const due = await createFree(store);
    server.pause();
    const finish = { kind: 'finish', keepMs: 1_000 } as const;
    const calls = await Promise.allSettled([
      save(store, held.lease, { data: '{"late":true}', next: finish }),
      store.defer(deferred.lease, 0),
    ]);
    for (const call of calls) {
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'unknown' } });
    }
    server.resume();
    await isBack();
    expect(await store.read(held.record.id)).toMatchObject({ data: newApproval.data });
    saved(await save(store, held.lease));
    saved(await save(store, deferred.lease));
    expect(onlyHeld(await store.claim('people', 10))).toMatchObject({
      claims: 1,
      record: { id: due },
    });
  });

  test('a command whose connection broke is unknown and is not sent again', async () => {
    const held = await createHeld(store);
    server.pause();
    const saving = save(store, held.lease, { data: '{"sent":true}' });
    const outcome = expect(saving).rejects.toMatchObject({ code: 'unknown' });
    // A save is sent a few turns of the event loop later, so that others can go with it.
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
    await server.kill();
    // Back within the time in which a write is taken: only the client keeps it from being sent again.
    await server.restart();
    await outcome;
    await isBack();
    expect(await store.read(held.record.id)).toMatchObject({ data: newApproval.data });
    saved(await save(store, held.lease, { data: '{"again":true}' }));
  });

  test('a server that is not there at the start is unavailable', async () => {
    await server.stop();
    const options = { url: server.url, logger: silent, readyMs: 200 };
    await expect(createRedisStore({ ...system, ...options })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'Redis is not ready: ECONNREFUSED',
    });
  });

  test('a TLS port that is spoken to without TLS is asked about, in every mode', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'redis-tls-'));
    const key = join(folder, 'key.pem');
    const certificate = join(folder, 'certificate.pem');
    await writeFile(key, KEY);
    await writeFile(certificate, CERTIFICATES.valid);
    const port = await freePort();
    const settings = { 'tls-port': String(port), 'tls-key-file': key };
    const more = { 'tls-cert-file': certificate, 'tls-auth-clients': 'yes' };
    const trusted = { 'tls-ca-cert-file': certificate };
    await using _ = await startRedisServer({ settings: { ...settings, ...more, ...trusted } });
    await using web = await startTlsServer('valid');
    const message = expect.stringMatching(
      /^Redis is not ready: .*\. Is this a TLS port\? Then REDIS_URL starts with rediss$/,
    );
    for (const at of [`127.0.0.1:${port}`, new URL(web.origin).host]) {
      for (const url of [
        `redis://${at}`,
        `redis+cluster://${at}`,
        `redis+sentinel://${at}/mymaster`,
      ]) {
        const opened = createRedisStore({ ...system, url, logger: silent, readyMs: 300 });
        await expect(opened).rejects.toMatchObject({ code: 'unavailable', message });
      }
    }
    await rm(folder, { recursive: true });
  });

  test('what is no TLS port is not asked about', async () => {
    const plain = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo; // a TCP server that listens has a port
    const guarded = server.url.replace('redis://', 'redis://someone:wrong@');
    for (const url of [`redis://127.0.0.1:${port}`, 'redis://127.0.0.1:1', guarded]) {
      const opened = createRedisStore({ ...system, url, logger: silent, readyMs: 300 });
      await expect(opened).rejects.toThrow(/^Redis is not ready: [^?]*$/);
    }
    plain.close();
  });

  test('scripts that the server has forgotten are sent again', async () => {
    const admin = new Redis(server.url);
    const id = await createFree(store, { lane: 'background' });
    leased(await store.signal(id, { id: 's', body: '' }, { hold: true }));
    await admin.script('FLUSH');
    const signals = await Promise.all(
      ['s1', 's2'].map((news) => store.signal(id, { id: news, body: '' }, { hold: true })),
    );
    expect(signals).toEqual([{ kind: 'queued' }, { kind: 'queued' }]);
    await Promise.all(Array.from({ length: 40 }, () => createFree(store)));
    expect((await store.claim('people', 20)).held).toHaveLength(20);
    await admin.script('FLUSH');
    expect((await store.claim('people', 20)).held).toHaveLength(20);
    admin.disconnect();
  });

  test('a server that has no memory left refuses, and nothing is half done', async () => {
    const admin = new Redis(server.url);
    const held = await createHeld(store);
    await admin.config('SET', 'maxmemory', '1');
    await expect(save(store, held.lease, { data: '{"n":1}' })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'save: Redis answered OOM: its memory is full',
    });
    await expect(createFree(store)).rejects.toMatchObject({ code: 'unavailable' });
    await admin.config('SET', 'maxmemory', '0');
    expect(await store.read(held.record.id)).toMatchObject({ data: newApproval.data });
    expect((await store.claim('people', 10)).size).toBe(1);
    admin.disconnect();
  });

  test('an error that does not prove that nothing was written makes the call unknown', async () => {
    const admin = new Redis(server.url);
    await admin.set('gatepost:{0}:due:people', 'no sorted set');
    await expect(createFree(store)).rejects.toMatchObject({
      code: 'unknown',
      message: 'create: Redis answered WRONGTYPE',
    });
    admin.disconnect();
  });

  test('a store whose server is gone can be closed', async () => {
    await server.kill();
    await vi.waitUntil(() => logged.length > 0, { timeout: 60_000, interval: 1 });
    await store[Symbol.asyncDispose]();
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('an error of the server names no argument', async () => {
    const url = server.url.replace('redis://', 'redis://someone:s3cret@');
    const refused = createRedisStore({ ...system, url, logger: silent, readyMs: 300 });
    await expect(refused).rejects.toThrow('WRONGPASS');
    await expect(refused).rejects.not.toThrow('s3cret');
  });
});
