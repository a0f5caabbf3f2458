import { expect, test } from 'vitest';
import { GateError } from '../../ask/contract/gate-error.ts';
import { readRequestedBy, requestedByHeader } from '../../ask/contract/requested-by.ts';
import type { GateClient } from '../../ask/gate-client.ts';
import { createRelay } from '../../src/cli/mcp-relay.ts';
import { systemRandom } from '../../src/core/lib/random.ts';
import type { System } from '../../src/core/lib/system.ts';
import { fake } from '../support/fake.ts';

/** The relay, with a Gatepost and a time that the test moves. */

interface Waiting {
  readonly id: string;
  readonly seconds?: number;
}

const WAIT = {
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name: 'wait_for_approval', arguments: { id: '0-a.b' } as Waiting }, // as: seconds are optional
};
const PENDING = { jsonrpc: '2.0', id: 7, result: { content: [] } };
const cut = () => new GateError('unreached', 'The answer was cut off.');

type Answering = (sent: typeof WAIT, onEvents: (part: Buffer) => void) => string;

/** What the client of the relay gets for one message, and how long that took. */
async function answersTo(
  message: object,
  answer: (attempt: number, pass: (ms: number) => void) => Answering,
) {
  let now = 0;
  const answers: unknown[] = [];
  const sent: (typeof WAIT)[] = [];
  const pass = (ms: number) => {
    now += ms;
  };
  const system: System = {
    random: systemRandom,
    clock: { now: () => now, monotonic: () => now },
    timers: fake<System['timers']>({ sleep: async (ms) => pass(ms) }),
  };
  const client = fake<GateClient>({
    async relay(text, { onEvents }) {
      const read = JSON.parse(text);
      sent.push(read);
      return answer(sent.length, pass)(read, onEvents);
    },
  });
  const relay = createRelay({
    client,
    system,
    requester: undefined,
    answer: (line) => answers.push(JSON.parse(line)),
    signal: new AbortController().signal,
  });
  relay.take(JSON.stringify(message));
  await relay.ended();
  return { answers, sent, tookMs: now };
}

test('a wait that a proxy cuts after 30 s is sent again for what is left', async () => {
  const { answers, sent, tookMs } = await answersTo(WAIT, (attempt, pass) => ({ params }) => {
    const { seconds = 50 } = params.arguments;
    pass(Math.min(30, seconds) * 1_000);
    if (attempt === 1) throw cut();
    return JSON.stringify(PENDING);
  });
  expect(answers).toEqual([PENDING]);
  expect(sent).toEqual([
    WAIT,
    { ...WAIT, params: { ...WAIT.params, arguments: { id: '0-a.b', seconds: 19 } } },
  ]);
  expect(tookMs).toBe(50_000);
});

test('what is never answered is an error that approves nothing, before clients give up', async () => {
  const { answers, sent, tookMs } = await answersTo(WAIT, (_, pass) => () => {
    pass(30_000);
    throw cut();
  });
  expect(sent).toHaveLength(2);
  expect(tookMs).toBeLessThanOrEqual(61_000);
  const text =
    'The answer was cut off. This is no denial, and nothing is approved. To go on, make the same call again.';
  expect(answers).toEqual([
    { jsonrpc: '2.0', id: 7, result: { content: [{ type: 'text', text }], isError: true } },
  ]);
  const list = await answersTo({ ...WAIT, method: 'tools/list', params: {} }, () => () => {
    throw cut();
  });
  expect(list.answers).toEqual([
    { jsonrpc: '2.0', id: 7, error: { code: -32_603, message: text } },
  ]);
  expect(list.sent).toHaveLength(5);
});

test('a stream is passed on as it comes, even if it is cut after its answer', async () => {
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };
  const { answers, sent } = await answersTo(WAIT, () => (_, onEvents) => {
    const events = [progress, PENDING].map(
      (each) => `event: message\ndata: ${JSON.stringify(each)}\n\n`,
    );
    for (const byte of Buffer.from(`: keepalive\r\n\r\n${events.join('')}`))
      onEvents(Buffer.of(byte));
    throw cut();
  });
  expect(answers).toEqual([progress, PENDING]);
  expect(sent).toHaveLength(1);
});

test('progress only increases, though a call that is sent again counts anew', async () => {
  const progressOf = (progress: number) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 1, progress },
  });
  const { answers } = await answersTo(WAIT, (attempt) => (_, onEvents) => {
    for (let progress = 1; progress <= attempt + 1; progress += 1)
      onEvents(Buffer.from(`data: ${JSON.stringify(progressOf(progress))}\n\n`));
    if (attempt === 1) throw cut();
    return JSON.stringify(PENDING);
  });
  expect(answers).toEqual([...[1, 2, 3].map(progressOf), PENDING]);
});

test('a refusal is not sent again, and a notification is not answered', async () => {
  const refused = () => () => {
    throw new GateError('refused', 'Gatepost refused the request (403): no agents.');
  };
  const { answers, sent } = await answersTo(WAIT, refused);
  expect(sent).toHaveLength(1);
  expect(answers).toMatchObject([
    {
      result: {
        isError: true,
        content: [{ text: expect.stringMatching(/Nothing is approved\.$/) }],
      },
    },
  ]);
  const { id: _, ...notification } = WAIT;
  expect((await answersTo(notification, refused)).answers).toEqual([]);
});

test.each([
  ['ana@example.com', 'ana@example.com'],
  ['U0ANA1234', 'U0ANA1234'],
  ['github:octocat', 'github:octocat'],
  ['Zoë 100%', 'Zo%C3%AB 100%25'],
])('the header for %s is %s, and is read as the same', (text, header) => {
  const read = readRequestedBy('x', text);
  if (!('requestedBy' in read) || read.requestedBy === undefined) throw new Error('not read');
  expect(requestedByHeader(read.requestedBy)).toBe(header);
  expect(decodeURIComponent(header)).toBe(text);
});

test('a name that would be read as somebody else is not sent', () => {
  expect(requestedByHeader({ name: 'U0ANA1234' })).toBeUndefined();
  expect(requestedByHeader({ name: 'ana@' })).toBeUndefined();
});
