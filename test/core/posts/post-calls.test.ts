import { expect, it } from 'vitest';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { duePost, type Post, turnOf } from '../../../src/core/posts/post.ts';
import {
  executePosting,
  type PostNeeds,
  type WantedPost,
} from '../../../src/core/posts/post-calls.ts';
import { applyPosting } from '../../../src/core/posts/post-transitions.ts';
import type { Outbox } from '../../../src/core/slack/outbox.ts';
import { type RateLimiter, StoreError } from '../../../src/core/store/store.ts';
import { fake } from '../../support/fake.ts';
import { openMemoryWorld } from '../store/memory-world.ts';

const CALLS = {
  timing: TRUE_TIME,
  links: { learnNames: async () => undefined },
  queue: { taken: () => undefined },
};
const WANTED: WantedPost = {
  post: { name: 'message', channel: 'C1' },
  sinceAt: 0,
  metadata: { record: '0-a', post: 'message' },
  content: () => ({ text: 'Deploy?', blocks: [] }),
};

it('a post refused by a rate limit is known as not posted, even if the pause cannot be saved', async () => {
  const limited = { class: 'refused', code: 'ratelimited', status: 429, retryAfterMs: 0 } as const;
  const pauses: number[] = [];
  const needs: PostNeeds = {
    ...CALLS,
    outbox: fake<Outbox>({
      post: () => Promise.reject(new RemoteFailure('chat.postMessage', limited)),
    }),
    store: fake<RateLimiter>({
      pause(_, forMs) {
        pauses.push(forMs);
        return Promise.reject(new StoreError('unavailable', 'pause: not connected to Redis'));
      },
    }),
  };
  const result = await executePosting(needs, 'post', WANTED);
  expect(result).toEqual({ kind: 'failed', failure: limited });
  expect(pauses).toEqual([0]);
});

it.each([
  [{ status: 429 }, [TRUE_TIME.postEveryMs]],
  [{ status: 429, retryAfterMs: 9_000 }, [9_000]],
  [{ status: 200, code: 'not_in_channel' }, []],
])('only a rate limit pauses the channel: %j', async (answer, paused) => {
  const failure = { class: 'refused', code: 'ratelimited', ...answer } as const;
  const pauses: number[] = [];
  const needs: PostNeeds = {
    ...CALLS,
    outbox: fake<Outbox>({ post: () => Promise.reject(new RemoteFailure('post', failure)) }),
    store: fake<RateLimiter>({ pause: async (_, forMs) => void pauses.push(forMs) }),
  };
  expect(await executePosting(needs, 'post', WANTED)).toEqual({ kind: 'failed', failure });
  expect(pauses).toEqual(paused);
});

it('a reply is posted and searched for in its thread', async () => {
  const { metadata, sinceAt } = WANTED;
  const asked: object[] = [];
  const needs: PostNeeds = {
    ...CALLS,
    store: fake<RateLimiter>({}),
    outbox: fake<Outbox>({
      async post(sent) {
        asked.push(sent);
        return { channel: 'C1', ts: '2.2' };
      },
      async findByMetadata(search) {
        asked.push(search);
        return undefined;
      },
    }),
  };
  const reply = { ...WANTED, threadTs: '1.1', replyBroadcast: true } as const;
  await executePosting(needs, 'find', reply);
  const place = { channel: 'C1', threadTs: '1.1' };
  expect(await executePosting(needs, 'post', reply)).toMatchObject({ kind: 'posted', ts: '2.2' });
  expect(asked).toEqual([
    { ...place, sinceAt, matches: metadata },
    { ...place, replyBroadcast: true, text: 'Deploy?', blocks: [], metadata },
  ]);
});

it('a direct message is opened to somebody, and before it is written', async () => {
  const outbox = fake<Outbox>({ openDirectMessage: async (user) => `D-${user}` });
  const needs = { ...CALLS, outbox, store: fake<RateLimiter>({}) };
  const unopened = { ...WANTED, post: { name: 'result' } };
  expect(await executePosting(needs, 'open', { ...unopened, user: 'U0ANA' })).toEqual({
    kind: 'opened',
    channel: 'D-U0ANA',
  });
  await expect(executePosting(needs, 'open', unopened)).rejects.toThrow('to somebody');
  await expect(executePosting(needs, 'post', unopened)).rejects.toThrow('opened before');
});

it('a search reports a post that was found, that is missing, or that the search failed', async () => {
  const busy = { class: 'ambiguous', code: 'timeout' } as const;
  const store = fake<RateLimiter>({});
  const found = (findByMetadata: Outbox['findByMetadata']) =>
    executePosting({ ...CALLS, store, outbox: fake<Outbox>({ findByMetadata }) }, 'find', WANTED);
  expect(await found(async () => '1.1')).toEqual({ kind: 'posted', channel: 'C1', ts: '1.1' });
  expect(await found(async () => undefined)).toEqual({ kind: 'not-found' });
  const failing = async () => Promise.reject(new RemoteFailure('conversations.history', busy));
  expect(await found(failing)).toEqual({ kind: 'failed', failure: busy });
});

/** A channel with queued posts, on two replicas, at a time controlled by the test. */
async function busyChannel(announcements: number) {
  const clock = { at: 1_800_000_000_000, now: () => clock.at, monotonic: () => clock.at };
  const { stores } = await openMemoryWorld({ clock });
  const taken: number[] = [];
  const queue = { taken: (_: string, waitMs: number) => void taken.push(waitMs) };
  const takeSlot = async (at: number, wanted: Partial<WantedPost>) => {
    const store = stores[at % 2] ?? stores[0];
    const needs = { ...CALLS, queue, outbox: fake<Outbox>({}), store };
    const slot = await executePosting(needs, 'slot', { ...WANTED, ...wanted });
    if (slot.kind !== 'slot') throw new Error(`not a slot: ${slot.kind}`);
    return slot;
  };
  let waiting: Post[] = Array.from({ length: announcements }, (_, at) => ({
    name: `outcome-${at}`,
    channel: 'C1',
  }));
  const startedAt = clock.at;
  /** In seconds from the beginning. */
  const postedAt: number[] = [];
  let asked = 0;
  const note = (at: number) => postedAt.push((at - startedAt) / 1_000);
  /** One pass over what is due. */
  const look = async () => {
    const next: Post[] = [];
    for (const [at, post] of waiting.entries()) {
      const due = duePost(post, clock.at);
      if (due === 'post') {
        note(clock.at);
        continue;
      }
      if (due !== 'slot') {
        next.push(post);
        continue;
      }
      asked += 1;
      const turn = turnOf(post, clock.at);
      const slot = await takeSlot(at, { post, turn });
      const step = { kind: 'slot', plannedAt: clock.at, turn } as const;
      next.push(applyPosting(post, step, slot, 'refused', TRUE_TIME, clock.at));
    }
    waiting = next;
  };
  return {
    takeSlot,
    taken,
    postedAt,
    asked: () => asked,
    left: () => waiting.length,
    async pass(seconds: number) {
      for (let quarters = 0; quarters < seconds * 4; quarters++) {
        await look();
        clock.at += 250;
      }
    },
    /** Something asks in the channel: returns after how many seconds it is posted. */
    async ask() {
      const { waitMs } = await takeSlot(0, {});
      note(clock.at + waitMs);
      return waitMs / 1_000;
    },
  };
}

it('urgent posts go out at once, however many announcements wait for the channel', async () => {
  const channel = await busyChannel(200);
  for (const seconds of [1, 30, 61, 60]) {
    await channel.pass(seconds);
    expect(await channel.ask()).toBe(0);
  }
  expect(channel.left()).toBeGreaterThan(20);
  await channel.pass(70);
  expect(channel.left()).toBe(0);
  // About two requests for each: one to join, one at its turn.
  expect(channel.asked()).toBeLessThan(1_600);
  // Never faster than one a second with a burst of four.
  const sorted = channel.postedAt.toSorted((a, b) => a - b);
  for (const [at, time] of sorted.entries()) {
    const fifth = sorted[at + 5];
    if (fifth !== undefined) expect(fifth - time).toBeGreaterThanOrEqual(2);
  }
});

it('an announcement goes out a minute after its turn, even if urgent posts never stop', async () => {
  const passedOver = await busyChannel(1);
  for (let asks = 0; asks < 10; asks++) await passedOver.ask();
  for (let seconds = 0; seconds < 59; seconds++) {
    await passedOver.ask();
    await passedOver.pass(1);
  }
  expect(passedOver.left()).toBe(1);
  for (let seconds = 0; seconds < 25; seconds++) {
    await passedOver.ask();
    await passedOver.pass(1);
  }
  expect(passedOver.left()).toBe(0);
});

it('posts that ask have a burst and then wait in turn; each channel has its own', async () => {
  const { takeSlot, taken } = await busyChannel(0);
  const waits: number[] = [];
  for (let asks = 0; asks < 6; asks++) waits.push((await takeSlot(asks, {})).waitMs);
  expect(waits).toEqual([0, 0, 0, 0, 1_000, 2_000]);
  expect(taken).toEqual(waits);
  expect(await takeSlot(0, { post: { name: 'message', channel: 'C2' } })).toEqual({
    kind: 'slot',
    waitMs: 0,
  });
});

it('a continuation leaves the burst to others, an announcement half of it, until it is overdue', async () => {
  const { takeSlot, taken } = await busyChannel(0);
  await takeSlot(0, {});
  expect(await takeSlot(0, { turn: 'spare' })).toMatchObject({ isLater: true });
  expect(await takeSlot(0, { turn: 'new' })).toEqual({ kind: 'slot', waitMs: 0 });
  expect(await takeSlot(0, { turn: 'come' })).toMatchObject({ isLater: true });
  expect(await takeSlot(0, { turn: 'over' })).toEqual({ kind: 'slot', waitMs: 0 });
  // Only posts that ask are in the queue that new approvals are estimated by.
  expect(taken).toEqual([0]);
});
