import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type IntakeNeeds, intakeRoutes } from '../../src/approvals/intake-route.ts';
import { POSTS } from '../../src/posts/make-post.ts';
import { createPostingQueue } from '../../src/posts/posting-queue.ts';
import { openEmbeddedWorld } from '../store/embedded-world.ts';
import { routeWith } from './approvals.ts';

const source = {
  id: 'deploys',
  auth: { kind: 'bearer' } as const,
  secrets: ['s'],
  routes: ['production'],
  channels: [],
  kinds: ['approval' as const],
};

/** The intake, with a channel in which others wait for their turns. */
async function openStage() {
  const world = await openEmbeddedWorld();
  const [store] = world.stores;
  const queue = createPostingQueue({ monotonic: () => 0 });
  queue.taken('C0PROD', 60_000);
  const needs: IntakeNeeds = {
    store,
    queue,
    reconciler: { hasRoom: false, run: async () => {} },
    seal: () => 'sealed',
    now: () => store.now(),
    sourceOf: Object.assign(() => source, { couldBe: () => true }),
    routeNamed: () => routeWith(),
    newId: () => crypto.randomUUID(),
    onIntake: () => {},
  };
  const routes = intakeRoutes(needs);
  const send = async (path: string, body: object, id = '') => {
    const headers = { 'content-type': 'application/json' };
    const bytes = Readable.from([Buffer.from(JSON.stringify(body))]);
    // as: the intake reads headers and body alone
    const request = Object.assign(bytes, { headers }) as unknown as IncomingMessage;
    const reply = await routes.find((route) => route.path === path)?.handle(request, { id });
    return JSON.parse(reply?.body ?? '{}');
  };
  return {
    queue,
    ask: (token: string) => send('/v1/approvals', { token, message: 'Shall we?' }),
    withdraw: (id: string) => send('/v1/approvals/:id/withdraw', {}, id),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

test('nobody waits behind requests that were withdrawn before they were posted', async () => {
  await using stage = await openStage();
  const before = stage.queue.join('C0PROD');
  const ids: string[] = [];
  for (const token of ['a', 'b', 'c']) ids.push((await stage.ask(token)).id);
  expect(stage.queue.join('C0PROD')).toBe(before + 4 * POSTS.intervalMs);
  for (const id of ids) expect((await stage.withdraw(id)).status).toBe('WITHDRAWN');
  expect(stage.queue.join('C0PROD')).toBe(before + 2 * POSTS.intervalMs);
});
