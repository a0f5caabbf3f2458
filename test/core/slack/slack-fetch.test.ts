import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { createSlackFetch, slackConnections } from '../../../src/core/slack/slack-fetch.ts';

test('a request on a reused connection counts as sent when its answer is lost', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/last') request.socket.destroy();
    else response.end('ok');
  });
  const url = await listening(server);
  const fetch = createSlackFetch(slackConnections());
  await fetch(`${url}/first`);
  const error = await fetch(`${url}/last`).catch((cause: unknown) => cause);
  server.close();
  expect(error).toMatchObject({ class: 'ambiguous', code: 'connection_lost' });
});

test('a hundred silent answers do not hold up another question', async () => {
  const silent: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/question') response.end('ok');
    else silent.push(response);
  });
  const url = await listening(server);
  const fetch = createSlackFetch(slackConnections());
  const held = Array.from({ length: 100 }, () => fetch(`${url}/silent`));
  await vi.waitUntil(() => silent.length === 100, { timeout: 60_000 });
  expect((await fetch(`${url}/question`)).status).toBe(200);
  expect(silent).toHaveLength(100);
  for (const each of silent) each.end();
  await Promise.all(held);
  server.closeAllConnections();
  server.close();
});

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address of this form.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a request counts as not sent when no connection could be made', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  await expect(
    createSlackFetch(slackConnections())(`http://127.0.0.1:${port}/`),
  ).rejects.toMatchObject({
    class: 'not-sent',
    code: 'connection_refused',
  });
});
