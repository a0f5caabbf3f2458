import { describe, expect, it } from 'vitest';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { system } from '../../../src/core/lib/system.ts';
import type { Dialect } from '../../../src/core/service/dialect.ts';
import { createServiceClient } from '../../../src/core/service/service-client.ts';
import { failureOf, json, startTestServer } from './test-server.ts';

const TOKEN = 'tok-7f3a9c';

async function asked(body: unknown, approval: Dialect['approval'] = { auth: 'none' }) {
  await using server = await startTestServer((_, response) => json(response, 200, body));
  await using client = createServiceClient({
    baseUrl: server.url,
    scimToken: null,
    dialect: { approval },
    ...system,
  });
  return await client.approvals.get(TOKEN);
}

const nothing = { raw: null, prompt: null, resolvedAt: null };

describe('the status of an approval', () => {
  it.each([
    [{ status: 'PENDING' }, { status: 'PENDING', ...nothing }],
    [{ status: 'APPROVED' }, { status: 'APPROVED', ...nothing }],
    [{ status: 'REJECTED' }, { status: 'REJECTED', ...nothing }],
    [{ status: 'TIMED_OUT' }, { status: 'TIMED_OUT', ...nothing }],
    [{ state: 'APPROVED' }, { status: 'APPROVED', ...nothing }],
    [{ status: ' approved ' }, { status: 'APPROVED', ...nothing }],
    [
      { status: null, state: 'REJECTED' },
      { status: 'REJECTED', ...nothing },
    ],
    [{ data: { status: 'APPROVED' } }, { status: 'APPROVED', ...nothing }],
    [
      { status: 'success', data: { status: 'APPROVED' } },
      { status: 'APPROVED', ...nothing },
    ],
    [
      { status: 'PENDING', data: null },
      { status: 'PENDING', ...nothing },
    ],
    [
      { status: 'PENDING', data: ['x'] },
      { status: 'PENDING', ...nothing },
    ],
    [{ status: 'TIMEOUT' }, { status: 'UNKNOWN', ...nothing, raw: 'TIMEOUT' }],
    [{ status: 'NOT APPROVED' }, { status: 'UNKNOWN', ...nothing, raw: 'NOT APPROVED' }],
    [
      { status: `${TOKEN}\n${'x'.repeat(200)}` },
      { status: 'UNKNOWN', ...nothing, raw: `[token] ${'x'.repeat(92)}` },
    ],
    [
      { status: 'APPROVED', resolvedAt: '2026-11-20T10:00:00.123456+02:00' },
      { status: 'APPROVED', ...nothing, resolvedAt: '2026-11-20T10:00:00.123456+02:00' },
    ],
    [
      { status: 'APPROVED', resolvedAt: 'yesterday' },
      { status: 'APPROVED', ...nothing },
    ],
    [
      { status: 'APPROVED', resolvedAt: 1795168800 },
      { status: 'APPROVED', ...nothing },
    ],
    [
      { status: 'APPROVED', message: 'Already done' },
      { status: 'APPROVED', ...nothing },
    ],
  ])('is read from %j', async (body, status) => {
    expect(await asked(body)).toEqual(status);
  });

  it.each([
    [{ prompt: 'Ship it?' }],
    [{ message: 'Ship it?' }],
    [{ promptMessage: 'Ship it?' }],
    [{ prompt_message: 'Ship it?' }],
    [{ text: 'Ship it?' }],
    [{ description: 'Ship it?' }],
    [{ message: 'Another', prompt: 'Ship it?' }],
    [{ prompt: ' ', text: 'Ship it?' }],
    [{ prompt: { text: 'no' }, message: 'Ship it?' }],
    [{ what: 'Ship it?', run_ID: 'abc', pageURL: 'here' }],
    [
      {
        question: 'Ship it?',
        id: 'abc',
        approvalId: 'abc',
        run_id: 'abc',
        createdAt: 'today',
        expires: '2026-11-20T10:00:00Z',
        link: 'here',
        page: 'https://example.com/a',
        run: '0b9f2c1e-5d7a-4c3b-9e21-7a1f3c5d8e90',
        secret: TOKEN,
        attempts: 3,
      },
    ],
  ])('comes with the prompt of %j', async (members) => {
    expect((await asked({ status: 'PENDING', ...members })).prompt).toBe('Ship it?');
    expect((await asked({ data: { status: 'PENDING', ...members } })).prompt).toBe('Ship it?');
  });

  it.each([
    [{}],
    [{ question: 'Ship it?', hint: 'Or not' }],
    [{ id: 'abc', url: 'https://example.com/x' }],
    [{ prompt: 5 }],
  ])('has no prompt in %j', async (members) => {
    expect((await asked({ status: 'PENDING', ...members })).prompt).toBeNull();
  });

  it('keeps the lines of a prompt and takes the token out of it', async () => {
    const body = { status: 'PENDING', prompt: `Ship?\nhttps://example.com/${TOKEN}` };
    expect((await asked(body)).prompt).toBe('Ship?\nhttps://example.com/[token]');
  });

  it('is read by the member names in the dialect', async () => {
    const dialect = {
      status: '/gate/a~1b/phase',
      prompt: 'ask',
      resolvedAt: '/gate/at',
      auth: 'none',
    } as const;
    const gate = { 'a/b': { phase: 'PENDING' }, at: '2026-11-20T10:00:00Z' };
    expect(await asked({ gate, ask: 'Ship it?', prompt: 'no' }, dialect)).toEqual({
      status: 'PENDING',
      raw: null,
      prompt: 'Ship it?',
      resolvedAt: '2026-11-20T10:00:00Z',
    });
    expect((await asked({ gate, prompt: 'no', other: 'no' }, dialect)).prompt).toBeNull();
  });

  it.each([
    [{}],
    [[]],
    ['APPROVED'],
    [{ status: 1 }],
    [{ status: '' }],
    [{ data: { data: { status: 'APPROVED' } } }],
  ])('cannot be read from %j', async (body) => {
    const failure = await failureOf(asked(body));
    expect(failure).toBeInstanceOf(RemoteFailure);
    expect(failure).toMatchObject({ class: 'unreadable', status: 200 });
  });

  it.each([
    ['in pieces', ['{"stat', 'us":"PEND', 'ING","prompt":"Gr\u00fc\u00dfe"}']],
    ['with a byte order mark', ['\ufeff{"status":"PENDING","prompt":"Grüße"}']],
  ])('is read when it comes %s as text/plain', async (_how, pieces) => {
    await using server = await startTestServer(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      for (const piece of pieces) await new Promise((sent) => response.write(piece, sent));
      response.end();
    });
    await using client = createServiceClient({
      baseUrl: server.url,
      scimToken: null,
      ...system,
    });
    expect(await client.approvals.get(TOKEN)).toMatchObject({ prompt: 'Grüße' });
  });
});

describe('a request for an approval', () => {
  it.each([
    [{ action: 'approve', userId: 'u-1' }, '{"action":"approve","userId":"u-1"}'],
    [{ action: 'reject', userId: null }, '{"action":"reject"}'],
  ] as const)('sends %j and nothing more', async (response, body) => {
    await using server = await startTestServer((_, r) =>
      json(r, 200, { status: 'REJECTED', resolvedAt: '2026-11-20T10:00:00Z', userId: 'u' }),
    );
    await using client = createServiceClient({
      baseUrl: `${server.url}/base/`,
      scimToken: 'scim',
      apiKey: 'key',
      ...system,
    });
    expect(await client.approvals.respond('a/b?c=#d%', response)).toEqual({
      status: 'REJECTED',
      raw: null,
      resolvedAt: '2026-11-20T10:00:00Z',
    });
    expect(server.seen).toMatchObject([
      { method: 'POST', url: '/base/api/v1/automation/approvals/a%2Fb%3Fc%3D%23d%25', body },
    ]);
    const headers = server.seen[0]?.headers;
    expect(headers).toMatchObject({ 'content-type': 'application/json' });
    expect(headers).not.toHaveProperty('authorization');
  });

  it('reads with a GET that carries no body and no credential', async () => {
    await using server = await startTestServer((_, r) => json(r, 200, { status: 'PENDING' }));
    await using client = createServiceClient({
      baseUrl: server.url,
      scimToken: 'scim',
      apiKey: 'key',
      ...system,
    });
    await client.approvals.get('...');
    expect(server.seen).toMatchObject([
      { method: 'GET', url: '/api/v1/automation/approvals/...', body: '' },
    ]);
    expect(server.seen[0]?.headers).not.toHaveProperty('authorization');
    expect(server.seen[0]?.headers).not.toHaveProperty('content-type');
  });

  it('carries the API key where the dialect asks for it', async () => {
    await using server = await startTestServer((_, r) => json(r, 200, { status: 'PENDING' }));
    await using client = createServiceClient({
      baseUrl: server.url,
      scimToken: 'scim',
      apiKey: 'key',
      dialect: { approval: { auth: 'bearer' } },
      ...system,
    });
    await client.approvals.get('t');
    expect(server.seen[0]?.headers.authorization).toBe('Bearer key');
  });

  it.each(['', '.', '..', 'half\ud83d'])(
    'is refused before sending for the token %j',
    async (token) => {
      await using server = await startTestServer((_, r) => json(r, 200, { status: 'PENDING' }));
      await using client = createServiceClient({
        baseUrl: server.url,
        scimToken: null,
        ...system,
      });
      const refused = { class: 'refused', code: 'bad_token' };
      expect(await failureOf(client.approvals.get(token))).toMatchObject(refused);
      expect(
        await failureOf(client.approvals.respond(token, { action: 'approve', userId: null })),
      ).toMatchObject(refused);
      expect(server.seen).toHaveLength(0);
    },
  );
});
