import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { encodeSignal } from '../../src/approvals/decision/signal.ts';
import { decodeApproval, encodeApproval } from '../../src/approvals/stored-approval.ts';
import { intakeRoutes } from '../../src/approvals/ways-in/intake.ts';
import type { Waiting } from '../../src/approvals/ways-in/waiting.ts';
import type { Metrics } from '../../src/core/http/metrics.ts';
import type { Callers } from '../../src/core/identity-tokens/callers.ts';
import { systemClock } from '../../src/core/lib/clock.ts';
import { systemRandom } from '../../src/core/lib/random.ts';
import { systemTimers } from '../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import { createPostingQueue } from '../../src/core/posts/posting-queue.ts';
import type { Held, Store } from '../../src/core/store/store.ts';
import { openEmbeddedWorld } from '../core/store/embedded-world.ts';
import { coreWith, NO_BOX } from '../support/core-with.ts';
import { fake } from '../support/fake.ts';
import { LINKS, received, routeWith } from './approvals.ts';

const source = {
  id: 'deploys',
  auth: { kind: 'bearer' } as const,
  secrets: ['s'],
  routes: ['production'],
  channels: [],
  kinds: ['approval' as const],
};

const CHECK = encodeSignal({ kind: 'check' });

/** Receives signals, and does nothing else. */
async function takeIn(store: Store, held: Held): Promise<void> {
  const { lease, record, inbox } = held;
  const taken = inbox.reduce((data, signal) => received(data, signal), decodeApproval(record));
  const data = encodeApproval(taken);
  const saved = await store.save(lease, {
    data,
    handled: inbox.map(({ id }) => id),
    place: record.place,
    audit: [],
    next: { kind: 'finish', keepMs: 60_000 },
  });
  if (saved.kind === 'lost' || saved.released) return;
  await takeIn(store, { ...held, record: { ...record, data }, inbox: saved.inbox });
}

/** The intake, with a channel in which others are queued. */
async function openStage() {
  const world = await openEmbeddedWorld();
  const [store] = world.stores;
  const queue = createPostingQueue({ monotonic: () => 0 }, TRUE_TIME);
  queue.taken('C0PROD', 60_000);
  let isHeld = false;
  const needs = coreWith({
    store,
    queue,
    reconciler: { hasRoom: true, run: (held: Held) => takeIn(store, held) },
    // While another replica holds the record, nothing changes by waiting.
    timers: {
      ...systemTimers,
      sleep: (ms) => (isHeld ? Promise.resolve() : systemTimers.sleep(ms)),
    },
    clock: systemClock,
    callers: fake<Callers>({ find: async () => undefined, requestKey: () => undefined }),
    waiting: fake<Waiting>({ news: async () => {}, isStopped: false }),
    timing: TRUE_TIME,
    version: '1',
    box: NO_BOX,
    random: systemRandom,
    config: {
      sources: [source],
      routes: [routeWith()],
      service: { baseUrl: 'https://service.example.com', apiKey: null, scimToken: null },
    },
    links: LINKS,
    names: async () => ({}),
    metrics: fake<Metrics>({ count: () => {} }),
  });
  const routes = intakeRoutes(needs);
  const send = async (path: string, body: object, id = '') => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer s' };
    const bytes = Readable.from([Buffer.from(JSON.stringify(body))]);
    // as: the intake only reads headers and body
    const request = Object.assign(bytes, { headers }) as unknown as IncomingMessage;
    const reply = await routes.find((route) => route.path === path)?.handle(request, { id });
    return JSON.parse(reply?.body ?? '{}');
  };
  return {
    queue,
    ask: (token: string) => send('/v1/approvals', { token, message: 'Shall we?' }),
    withdraw: (id: string) => send('/v1/approvals/:id/withdraw', {}, id),
    /** Holds the record like a busy replica; returns how to end that. */
    async hold(id: string) {
      const signalled = await store.signal(id, { id: 's', body: CHECK }, { hold: true });
      if (signalled.kind !== 'leased') throw new Error('it is free');
      const { held } = signalled;
      isHeld = true;
      return async () => {
        isHeld = false;
        await takeIn(store, held);
      };
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

test('requests withdrawn before they were posted free their places in the posting queue', async () => {
  await using stage = await openStage();
  const before = stage.queue.join('C0PROD');
  const ids: string[] = [];
  for (const token of ['a', 'b', 'c']) ids.push((await stage.ask(token)).id);
  expect(stage.queue.join('C0PROD')).toBe(before + 4 * TRUE_TIME.postEveryMs);
  for (const id of ids) expect((await stage.withdraw(id)).status).toBe('WITHDRAWN');
  expect(stage.queue.join('C0PROD')).toBe(before + 2 * TRUE_TIME.postEveryMs);
});

test('withdrawing a request that another replica works on returns its current status', async () => {
  await using stage = await openStage();
  const { id } = await stage.ask('a');
  const takeIn = await stage.hold(id);
  expect((await stage.withdraw(id)).status).toBe('PENDING');
  await takeIn();
  expect((await stage.withdraw(id)).status).toBe('WITHDRAWN');
});
