import { finished } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { messageLines } from '../../src/cli/mcp-lines.ts';

/** What Gatepost gets of what a client sends, and what the client is answered at once. */
async function through(...chunks: (string | Uint8Array)[]) {
  const { messages, answers } = await textsThrough(...chunks);
  return { messages: messages.map((text) => JSON.parse(text)), answers };
}

async function textsThrough(...chunks: (string | Uint8Array)[]) {
  const messages: string[] = [];
  const answers: unknown[] = [];
  const lines = messageLines({
    pass: (message) => messages.push(message),
    answer: (line) => answers.push(JSON.parse(line)),
  });
  for (const chunk of chunks) lines.write(chunk);
  lines.end();
  await finished(lines);
  return { messages, answers };
}

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const LIST = { jsonrpc: '2.0', id: 'a', method: 'tools/list' };
const STARTED = { jsonrpc: '2.0', method: 'notifications/initialized' };
const line = (message: unknown) => `${JSON.stringify(message)}\n`;
const refusal = (id: number | string | null, code = -32_600) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.stringMatching(/^Not read: /) },
});

test.each<[string, string, unknown[]]>([
  ['a byte order mark at the start', `\ufeff${line(PING)}${line(LIST)}`, [PING, LIST]],
  ['a byte order mark in each line', `\ufeff${line(PING)}\ufeff${line(LIST)}`, [PING, LIST]],
  ['CR LF, and empty lines', `${JSON.stringify(PING)}\r\n\r\n\n${line(LIST)}`, [PING, LIST]],
  ['params that are null', line({ ...PING, params: null }), [PING]],
  ['a notification whose params are null', line({ ...STARTED, params: null }), [STARTED]],
  [
    'a member of params that is null',
    line({ ...LIST, params: { cursor: null } }),
    [{ ...LIST, params: {} }],
  ],
  ['a batch', line([PING, STARTED, { ...LIST, params: null }]), [PING, STARTED, LIST]],
])('reads %s', async (_what, sent, messages) => {
  expect(await through(sent)).toEqual({ messages, answers: [] });
});

test('leaves null in what is passed on to a tool', async () => {
  const params = { name: 'wait_for_approval', arguments: { id: '0-a', seconds: null } };
  const call = { ...PING, method: 'tools/call', params };
  expect((await through(line(call))).messages).toEqual([call]);
});

test.each<[string, string, unknown[]]>([
  ['what is not JSON', 'hello\n', [refusal(null, -32_700)]],
  ['an empty batch', '[]\n', [refusal(null)]],
  [
    'a batch of what are no messages',
    line([1, { ...PING, method: 7 }]),
    [refusal(null), refusal(1)],
  ],
  ['a text', '"ping"\n', [refusal(null)]],
  ['null', 'null\n', [refusal(null)]],
  ['a request without a version', line({ id: 7, method: 'ping' }), [refusal(7)]],
  ['a request whose id is null', line({ ...PING, id: null }), [refusal(null)]],
  ['params that are a text', line({ ...LIST, params: 'x' }), [refusal('a')]],
  ['a response that is none', line({ jsonrpc: '2.0', id: 3 }), [refusal(null)]],
])('answers %s with an error, and reads the next message', async (_what, sent, answers) => {
  expect(await through(sent, line(PING))).toEqual({ messages: [PING], answers });
});

test('answers UTF-16 with an error', async () => {
  const { messages, answers } = await through(Buffer.from(`\ufeff${line(PING)}`, 'utf16le'));
  expect({ messages, first: answers[0] }).toEqual({ messages: [], first: refusal(null, -32_700) });
});

test('reads a message that arrives in pieces, even within a character', async () => {
  const call = { ...PING, params: { title: 'Größe 漢' } };
  const bytes = Buffer.from(line(call));
  const pieces = [...bytes].map((byte) => Uint8Array.of(byte));
  expect((await through(...pieces)).messages).toEqual([call]);
});

test('answers what is nested deeper than the stack, or passes it on as it is', async () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const call = `{"jsonrpc":"2.0","id":1,"method":"x","params":{"y":${deep}}}`;
  expect((await textsThrough(`${call}\n`)).messages).toEqual([call]);
  const changed = call.replace('{"y"', '{"z":null,"y"');
  const { messages, answers } = await textsThrough(`${changed}\n${line(LIST)}`);
  // Newer Node can write it. As text: to compare it takes the stack, too.
  const isWritten = messages[0] === call;
  expect(isWritten ? [] : [messages, answers]).toEqual(
    isWritten ? answers : [[JSON.stringify(LIST)], [refusal(1)]],
  );
});
