import { request } from 'node:http';
import { expect, it } from 'vitest';
import { startSandbox } from '../../start-sandbox.ts';

/** Status of a request with these headers; `fetch` would not let a test forge them. */
function statusOf(url: string, method: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (incoming) => {
      incoming.destroy();
      resolve(incoming.statusCode ?? 0);
    });
    outgoing.on('error', reject);
    outgoing.end(method === 'POST' ? '{"approval":"A1","action":"approve"}' : undefined);
  });
}

const json = { 'content-type': 'application/json' };

it('requests of the page itself and of local programs are accepted', async () => {
  await using sandbox = await startSandbox();
  const url = `${sandbox.url}/sandbox/v1/decide`;
  sandbox.service.createApproval();
  expect(await statusOf(url, 'POST', json)).toBe(200);
  expect(await statusOf(url, 'POST', { ...json, origin: sandbox.url })).toBe(200);
});

it.each([
  ['another site', { origin: 'https://evil.example' }],
  ['another site on this machine', { origin: 'http://127.0.0.1:1' }],
  ['a page without an origin', { origin: 'null' }],
  ['a site that asks across', { 'sec-fetch-site': 'cross-site' }],
  ['a name that was pointed at this machine', { host: 'evil.example' }],
  ['a name that only begins like this machine', { host: 'localhost.evil.example:80' }],
])('requests of %s are refused', async (_who, headers) => {
  await using sandbox = await startSandbox();
  sandbox.service.createApproval();
  const at = (name: string) => `${sandbox.url}/sandbox/v1/${name}`;
  expect(await statusOf(at('decide'), 'POST', { ...json, ...headers })).toBe(403);
  expect(await statusOf(at('state'), 'GET', headers)).toBe(403);
  expect(await statusOf(at('live'), 'GET', headers)).toBe(403);
  expect(sandbox.service.approvals()).toMatchObject([{ status: 'PENDING' }]);
});

it('only writes in JSON and of a known form are accepted', async () => {
  await using sandbox = await startSandbox();
  const post = (name: string, body: string, type = 'application/json') =>
    fetch(`${sandbox.url}/sandbox/v1/${name}`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
  sandbox.service.createApproval();
  const good = '{"approval":"A1","action":"approve"}';
  expect((await post('decide', good, 'text/plain')).status).toBe(422);
  expect((await post('decide', good.replace('approve"}', 'burn"}'))).status).toBe(422);
  expect((await post('decide', 'no json')).status).toBe(422);
  expect((await post('constructor', good)).status).toBe(404);
  expect(sandbox.service.approvals()).toMatchObject([{ status: 'PENDING' }]);
  expect((await post('decide', good)).status).toBe(200);
});

it('requests during a reset wait for the bot', async () => {
  await using sandbox = await startSandbox();
  const post = async (name: string, body: object) => {
    const init = { method: 'POST', headers: json, body: JSON.stringify(body) };
    return (await fetch(`${sandbox.url}/sandbox/v1/${name}`, init)).status;
  };
  let start = () => {};
  let emptied = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const isEmpty = new Promise<void>((resolve) => {
    emptied = resolve;
  });
  sandbox.connectBot({
    eventsUrl: null,
    intakeUrl: 'http://127.0.0.1:1',
    async startOver(empty) {
      empty();
      emptied();
      await started;
      // Exists once the bot runs again.
      sandbox.service.createApproval();
    },
  });
  const reset = post('reset', {});
  await isEmpty;
  const early = post('decide', { approval: 'A1', action: 'approve' });
  // Windows can read during the reset; this answer arrives after earlier requests.
  await fetch(`${sandbox.url}/sandbox/v1/state?user=U0ANA`);
  start();
  expect(await Promise.all([reset, early])).toEqual([200, 200]);
});

it('only its own files and pages are served, with a content security policy', async () => {
  await using sandbox = await startSandbox();
  const get = (path: string) => fetch(sandbox.url + path);
  for (const path of ['/', '/archives/C0DEPLOYS', '/archives/C0DEPLOYS/p1763636400000100']) {
    const answer = await get(path);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(await answer.text()).toContain('<div id="page">');
  }
  expect((await get('/page/client.css')).status).toBe(200);
  expect((await get('/page/client.js')).headers.get('content-type')).toContain('text/javascript');
  for (const path of ['/page/page-state.ts', '/page/toString', '/archives/C0DEPLOYS/../../x']) {
    expect((await get(path)).status).toBe(404);
  }
});
