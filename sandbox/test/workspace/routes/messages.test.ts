import { describe, expect, it } from 'vitest';
import { type Answer, liveWorkspace } from './live-workspace.ts';
import { type Proof, proveMethods } from './prove-methods.ts';

const live = liveWorkspace();
const { call, post } = live;
const channel = 'C0DEPLOYS';
const metadata = { event_type: 'part', event_payload: { record: 'r1' } };

/** Texts of every page, until there is no cursor. */
async function pages(method: string, given: object): Promise<string[][]> {
  const texts: string[][] = [];
  let cursor: string | undefined;
  do {
    const page: Answer = await call(method, { channel, ...given, cursor });
    // The client returns the response unchecked.
    const { messages, response_metadata } = page as {
      messages: { text: string }[];
      response_metadata?: { next_cursor?: string };
    };
    texts.push(messages.map(({ text }) => text));
    cursor = response_metadata?.next_cursor || undefined;
    expect(page.has_more).toBe(cursor !== undefined);
  } while (cursor);
  return texts;
}

/** One message for each letter, a second apart. */
async function posts(texts: string, more: object = {}): Promise<string[]> {
  const made: string[] = [];
  for (const text of texts) {
    live.wait(1_000);
    made.push(await post(text, { ...more }));
  }
  return made;
}

const history = (given: object) => pages('conversations.history', given);
const replies = (given: object) => pages('conversations.replies', given);

/** Errors of both methods. */
function errorsOf(method: string, more: object): NonNullable<Proof['errors']> {
  const ask = (given: object) => call(method, { channel, ...more, ...given });
  return {
    channel_not_found: () => ask({ channel: 'C0NONE' }),
    invalid_cursor: () => ask({ ts: undefined, ...more, cursor: 'eA==' }),
    invalid_ts_latest: () => ask({ latest: 'soon' }),
    invalid_ts_oldest: () => ask({ oldest: 'soon' }),
  };
}

async function metadataIsAskedFor(method: string): Promise<void> {
  const ts = await post('Hello', { metadata });
  const given = method === 'conversations.replies' ? { channel, ts } : { channel };
  expect(JSON.stringify(await call(method, given))).not.toContain('r1');
  const full = await call(method, { ...given, include_all_metadata: true });
  expect(full).toMatchObject({ messages: [{ metadata }] });
}

proveMethods(live, {
  'conversations.history': {
    works: () => ({ channel }),
    optional: {
      limit: async () => {
        await posts('abcde');
        expect(await history({ limit: 2 })).toEqual([['e', 'd'], ['c', 'b'], ['a']]);
        expect(await history({ limit: 2_000 })).toEqual([['e', 'd', 'c', 'b', 'a']]);
      },
      cursor: async () => {
        const [, b] = await posts('abc');
        expect(await history({ limit: 1, oldest: b, inclusive: true })).toEqual([['c'], ['b']]);
      },
      oldest: async () => {
        const [, b] = await posts('abc');
        expect(await history({ oldest: b })).toEqual([['c']]);
      },
      latest: async () => {
        const [, b] = await posts('abc');
        expect(await history({ latest: b })).toEqual([['a']]);
      },
      inclusive: async () => {
        const [, b, , d] = await posts('abcde');
        const range = { oldest: b, latest: d, inclusive: true };
        expect(await history({ ...range, limit: 2 })).toEqual([['d', 'c'], ['b']]);
      },
      include_all_metadata: () => metadataIsAskedFor('conversations.history'),
    },
    errors: {
      ...errorsOf('conversations.history', {}),
      not_in_channel: () => call('conversations.history', { channel: 'C0NOBOT' }),
    },
  },
  'conversations.replies': {
    works: async () => ({ channel, ts: await post('Parent') }),
    optional: {
      limit: async () => {
        const ts = await post('Parent');
        await posts('abc', { thread_ts: ts });
        expect(await replies({ ts, limit: 2 })).toEqual([
          ['Parent', 'a'],
          ['b', 'c'],
        ]);
      },
      cursor: async () => {
        const ts = await post('Parent');
        await posts('abc', { thread_ts: ts });
        expect(await replies({ ts, limit: 1 })).toEqual([['Parent'], ['a'], ['b'], ['c']]);
      },
      oldest: async () => {
        const ts = await post('Parent');
        const [, b] = await posts('abc', { thread_ts: ts });
        expect(await replies({ ts, oldest: b })).toEqual([['Parent', 'c']]);
      },
      latest: async () => {
        const ts = await post('Parent');
        const [, b] = await posts('abc', { thread_ts: ts });
        expect(await replies({ ts, latest: b })).toEqual([['Parent', 'a']]);
      },
      inclusive: async () => {
        const ts = await post('Parent');
        const [, b] = await posts('abc', { thread_ts: ts });
        const range = { oldest: b, inclusive: true };
        expect(await replies({ ts, ...range })).toEqual([['Parent', 'b', 'c']]);
      },
      include_all_metadata: () => metadataIsAskedFor('conversations.replies'),
    },
    errors: {
      ...errorsOf('conversations.replies', { ts: '1.000001' }),
      invalid_cursor: async () =>
        call('conversations.replies', { channel, ts: await post('a'), cursor: 'eA==' }),
      invalid_ts_latest: async () =>
        call('conversations.replies', { channel, ts: await post('a'), latest: 'soon' }),
      invalid_ts_oldest: async () =>
        call('conversations.replies', { channel, ts: await post('a'), oldest: 'soon' }),
      thread_not_found: () => call('conversations.replies', { channel, ts: '1.000001' }),
    },
  },
});

describe('messages', () => {
  it('in threads are not in the history unless they are broadcast', async () => {
    const ts = await post('Parent');
    await post('Quiet', { thread_ts: ts });
    await post('Loud', { thread_ts: ts, reply_broadcast: true });
    expect(await history({})).toEqual([['Loud', 'Parent']]);
    expect(await replies({ ts })).toEqual([['Parent', 'Quiet', 'Loud']]);
  });

  it('that were deleted are not returned', async () => {
    const [a, b] = await posts('abc');
    const reply = await post('Reply', { thread_ts: a });
    await post('More', { thread_ts: a });
    for (const ts of [b ?? '', reply]) live.sandbox.workspace.deleteMessage(channel, ts);
    expect(await history({ limit: 1 })).toEqual([['c'], ['a']]);
    expect(await call('conversations.replies', { channel, ts: a })).toMatchObject({
      messages: [{ text: 'a', reply_count: 1 }, { text: 'More' }],
    });
  });

  it('in a thread of a channel without the app are not found', async () => {
    const { ts } = live.sandbox.workspace.say({ user: 'U0ANA', channel: 'C0NOBOT', text: 'a' });
    expect(await call('conversations.replies', { channel: 'C0NOBOT', ts })).toMatchObject({
      error: 'channel_not_found',
    });
  });

  it('that are ephemeral are not in the history', async () => {
    await call('chat.postEphemeral', { channel, user: 'U0ANA', text: 'Psst' });
    expect(await history({})).toEqual([[]]);
  });
});
