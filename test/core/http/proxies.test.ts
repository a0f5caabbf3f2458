import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { createConnections, type WireRequest } from '../../../src/core/http/exchange.ts';
import type { Proxies } from '../../../src/core/lib/proxies.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { type ProxyWay, startConnectProxy } from '../../support/connect-proxy.ts';
import { startTlsServer } from '../../support/tls-server.ts';
import { startTestServer } from '../service/test-server.ts';

const LIMITS = { deadline: { ms: 3_000, timers: systemTimers }, maxBodyBytes: 1_000 };
const OPTIONS = { most: 4, connectTimeoutMs: 300, idleMs: 1_000 };

function through(url: string, more: Partial<Proxies> = {}): Proxies {
  const server = { variable: 'HTTP_PROXY', url };
  return { http: server, https: server, noProxy: '', ...more };
}

function post(origin: string): WireRequest {
  return { method: 'POST', origin, path: '/', headers: Object.freeze({}), body: '{}' };
}

async function sendThrough(proxies: Proxies, origin: string) {
  const connections = createConnections(OPTIONS, proxies);
  const exchanged = await connections.send(post(origin), LIMITS);
  await connections.close();
  return exchanged;
}

it('one tunnel is used for several requests in turn, even for http', async () => {
  await using server = await startTestServer((_, response) => response.end('{}'));
  await using proxy = await startConnectProxy();
  const connections = createConnections(OPTIONS, through(proxy.url));
  for (let count = 0; count < 3; count += 1) {
    expect(await connections.send(post(server.url), LIMITS)).toMatchObject({ status: 200 });
  }
  await connections.close();
  expect(proxy.asked).toEqual([new URL(server.url).host]);
  expect(proxy.forwarded).toEqual([]);
});

it.each<[ProxyWay, { readonly sent: boolean; readonly code: string }]>([
  [
    { kind: 'refuse', status: 407 },
    { sent: false, code: 'proxy_http_407' },
  ],
  [
    { kind: 'refuse', status: 403 },
    { sent: false, code: 'proxy_http_403' },
  ],
  [
    { kind: 'refuse', status: 502 },
    { sent: false, code: 'proxy_http_502' },
  ],
  [{ kind: 'cut' }, { sent: false, code: 'proxy_connection_lost' }],
  [{ kind: 'cutBefore' }, { sent: true, code: 'connection_lost' }],
  [{ kind: 'cutAfter' }, { sent: true, code: 'connection_lost' }],
])('a failure says whether the request was sent: %o', async (way, known) => {
  let received = 0;
  await using server = await startTestServer(() => {
    received += 1;
  });
  await using proxy = await startConnectProxy();
  proxy.way = way;
  expect(await sendThrough(through(proxy.url), server.url)).toMatchObject({
    kind: 'failed',
    ...known,
  });
  // Asked once: undici by itself would ask on, as fast as it can, where the connection breaks.
  expect(proxy.asked).toHaveLength(1);
  if (!known.sent) expect(received).toBe(0);
});

it('a request times out while its tunnel is being made, and is not sent later', async () => {
  let received = 0;
  await using server = await startTestServer(() => {
    received += 1;
  });
  await using proxy = await startConnectProxy();
  let open = () => {};
  const until = new Promise<void>((resolve) => {
    open = resolve;
  });
  proxy.way = { kind: 'late', until };
  const connections = createConnections(OPTIONS, through(proxy.url));
  const limits = { ...LIMITS, deadline: { ms: 50, timers: systemTimers } };
  const failed = { kind: 'failed', sent: false, code: 'timeout' };
  expect(await connections.send(post(server.url), limits)).toMatchObject(failed);
  open();
  // Waits until the tunnel is there, and undici has found out that nothing is left to send.
  await connections.close();
  expect(proxy.asked).toHaveLength(1);
  expect(received).toBe(0);
});

it('a request counts as not sent when TLS inside the tunnel fails, is cut or hangs', async () => {
  await using server = await startTlsServer('valid');
  await using proxy = await startConnectProxy();
  const distrusted = { sent: false, code: 'certificate_not_trusted' };
  expect(await sendThrough(through(proxy.url), server.origin)).toMatchObject(distrusted);
  proxy.way = { kind: 'cutOpened' };
  const cut = { sent: false, code: 'connection_lost' };
  expect(await sendThrough(through(proxy.url), server.origin)).toMatchObject(cut);
  proxy.way = { kind: 'cutBefore' };
  expect(await sendThrough(through(proxy.url), server.origin)).toMatchObject(cut);
  proxy.way = { kind: 'open' };
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  // as: a server that listens on a port has an address of this form
  const { port } = silent.address() as { port: number };
  const late = { sent: false, code: 'connect_timeout' };
  expect(await sendThrough(through(proxy.url), `https://127.0.0.1:${port}`)).toMatchObject(late);
  silent.close();
});

it('a request counts as not sent when nothing listens at the proxy', async () => {
  const proxy = await startConnectProxy();
  await proxy.kill();
  const failed = { kind: 'failed', sent: false, code: 'proxy_connection_refused' };
  expect(await sendThrough(through(proxy.url), 'http://127.0.0.1:1')).toMatchObject(failed);
});

it('the proxy credentials are sent to the proxy only, and never shown', async () => {
  const seen: unknown[] = [];
  await using server = await startTestServer(({ headers }, response) => {
    seen.push(headers);
    response.end('{}');
  });
  await using proxy = await startConnectProxy();
  const url = proxy.url.replace('//', '//ana:p%40ss@');
  await sendThrough(through(url), server.url);
  expect(proxy.credentials).toEqual([`Basic ${btoa('ana:p@ss')}`]);
  expect(JSON.stringify(seen)).not.toContain('proxy-auth');
  proxy.way = { kind: 'refuse', status: 407 };
  const failed = await sendThrough(through(url), server.url);
  expect(JSON.stringify(failed)).not.toMatch(/ana|ss@|Basic/);
});

it('the environment variables of the process are not read directly', async () => {
  await using server = await startTestServer((_, response) => response.end('{}'));
  await using proxy = await startConnectProxy();
  const before = process.env.HTTP_PROXY;
  process.env.HTTP_PROXY = 'http://127.0.0.1:1';
  process.env.NO_PROXY = '*';
  try {
    const answered = { kind: 'answered', status: 200 };
    expect(await sendThrough(through(proxy.url), server.url)).toMatchObject(answered);
    expect(proxy.asked).toHaveLength(1);
    const httpsAlone = through(proxy.url, { http: null });
    expect(await sendThrough(httpsAlone, server.url)).toMatchObject(answered);
    expect(proxy.asked).toHaveLength(1);
  } finally {
    if (before === undefined) delete process.env.HTTP_PROXY;
    else process.env.HTTP_PROXY = before;
    delete process.env.NO_PROXY;
  }
});

it.each([
  ['127.0.0.0/8', 0],
  ['nowhere.example, *', 0],
  ['10.0.0.0/8', 1],
])('hosts of NO_PROXY=%s are reached directly', async (noProxy, tunnels) => {
  await using server = await startTestServer((_, response) => response.end('{}'));
  await using proxy = await startConnectProxy();
  const answered = await sendThrough(through(proxy.url, { noProxy }), server.url);
  expect(answered).toMatchObject({ kind: 'answered', status: 200 });
  expect(proxy.asked).toHaveLength(tunnels);
});
