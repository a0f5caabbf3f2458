import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox.ts';
import type { Variant } from '../../service/variant.ts';
import { startSandbox } from '../../start-sandbox.ts';

const startedAt = Date.UTC(2026, 10, 20, 10);
const at = '2026-11-20T10:00:00.000Z';
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ now: () => startedAt });
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

interface Given {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly json: unknown;
}

async function read(answer: Response): Promise<Given> {
  const text = await answer.text();
  const type = answer.headers.get('content-type') ?? '';
  return {
    status: answer.status,
    type,
    text,
    json: type.includes('json') ? JSON.parse(text) : null,
  };
}

const approvalUrl = (token: string) =>
  `${sandbox.serviceUrl}/api/v1/automation/approvals/${encodeURIComponent(token)}`;
const get = (token: string, init: RequestInit = {}) => fetch(approvalUrl(token), init).then(read);
const respond = (token: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(approvalUrl(token), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }).then(read);
const users = (query = '', token = sandbox.credentials.scimToken) =>
  fetch(`${sandbox.serviceUrl}/api/scim/v2/Users${query}`, {
    headers: { authorization: `Bearer ${token}` },
  }).then(read);

describe('an approval', () => {
  it('shows its status and, while it is pending, its prompt', async () => {
    const { token } = sandbox.service.createApproval({ prompt: 'Deploy?' });
    expect(token.length).toBeGreaterThanOrEqual(32);
    expect(await get(token)).toMatchObject({
      status: 200,
      json: { status: 'PENDING', prompt: 'Deploy?' },
    });
    sandbox.service.timeOut(token);
    expect((await get(token)).json).toEqual({ status: 'TIMED_OUT', resolvedAt: at });
  });

  it.each([
    ['approve', 'APPROVED'],
    ['reject', 'REJECTED'],
  ])('accepts %s', async (action, status) => {
    const { token } = sandbox.service.createApproval();
    expect(await respond(token, { action, userId: 'u1' })).toMatchObject({
      status: 200,
      json: { status, resolvedAt: at },
    });
    expect((await get(token)).json).toEqual({ status, resolvedAt: at });
    expect(sandbox.service.approval(token).effects).toEqual([
      { action, userId: 'u1', through: 'interface', at },
    ]);
  });

  it('applies only one of many concurrent actions', async () => {
    const { token } = sandbox.service.createApproval();
    const actions = Array.from({ length: 20 }, (_, place) => ({
      action: place % 2 ? 'approve' : 'reject',
      userId: `u${place}`,
    }));
    const answers = await Promise.all(actions.map((action) => respond(token, action)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    expect(sandbox.service.approval(token).effects).toHaveLength(1);
    expect(sandbox.service.requests('respond')).toHaveLength(20);
  });

  it('does not change after it ended elsewhere or by timeout', () => {
    const { token } = sandbox.service.createApproval();
    expect(sandbox.service.decide(token, 'reject')).toBe(true);
    expect(sandbox.service.decide(token, 'approve')).toBe(false);
    expect(sandbox.service.timeOut(token)).toBe(false);
    expect(sandbox.service.approval(token)).toMatchObject({
      status: 'REJECTED',
      effects: [{ action: 'reject', through: 'elsewhere', userId: null }],
    });
  });

  it.each([
    [{ action: 'approved' }],
    [{}],
    [[]],
    ['approve'],
    [{ action: 'approve', userId: 1 }],
    [{ action: 'approve', comment: 'because' }],
  ])('refuses the body %j and stays pending', async (body) => {
    const { token } = sandbox.service.createApproval();
    expect(await respond(token, body)).toMatchObject({ status: 400 });
    expect(sandbox.service.approval(token)).toMatchObject({ status: 'PENDING', effects: [] });
  });

  it('refuses unknown paths, methods and parameters', async () => {
    const { token } = sandbox.service.createApproval();
    expect(await get('unknown')).toMatchObject({ status: 404 });
    expect(await respond('unknown', { action: 'approve' })).toMatchObject({ status: 404 });
    expect(await get(token, { method: 'DELETE' })).toMatchObject({ status: 405 });
    expect(await fetch(`${approvalUrl(token)}?verbose=1`)).toMatchObject({ status: 400 });
    expect(await fetch(`${sandbox.serviceUrl}/api/v1/tasks`)).toMatchObject({ status: 404 });
    expect(await fetch(`${sandbox.serviceUrl}/api/v1/automation/approvals/%zz`)).toMatchObject({
      status: 404,
    });
    const plain = { 'content-type': 'text/plain' };
    expect(await respond(token, { action: 'approve' }, plain)).toMatchObject({ status: 415 });
    expect(sandbox.service.approval(token).status).toBe('PENDING');
  });

  it('is found by a token with any characters', async () => {
    const { token } = sandbox.service.createApproval({ token: 'a/b c?d%e' });
    expect(await get(token)).toMatchObject({ status: 200 });
  });

  it('records its requests', async () => {
    const { token } = sandbox.service.createApproval();
    await get(token);
    await respond(token, { action: 'approve' }, { authorization: 'Bearer x' });
    expect(sandbox.service.requests()).toEqual([
      {
        operation: 'getApproval',
        token,
        ids: [],
        body: null,
        hasAuthorization: false,
        at: startedAt,
        answered: 200,
      },
      {
        operation: 'respond',
        token,
        ids: [],
        body: { action: 'approve' },
        hasAuthorization: true,
        at: startedAt,
        answered: 200,
      },
    ]);
  });
});

describe('a variant', () => {
  const pending = async (variant: Partial<Variant>) => {
    sandbox.service.setVariant(variant);
    return sandbox.service.createApproval({ prompt: 'Deploy?' }).token;
  };
  const approved = async (variant: Partial<Variant>) => {
    const token = await pending(variant);
    sandbox.service.decide(token, 'approve');
    return token;
  };

  it('renames the prompt and the status, inside data', async () => {
    const token = await pending({ promptField: 'message', statusField: 'state', wrapped: true });
    expect((await get(token)).json).toEqual({ data: { state: 'PENDING', message: 'Deploy?' } });
    expect((await respond(token, { action: 'reject' })).json).toEqual({
      data: { state: 'REJECTED', resolvedAt: at },
    });
  });

  it.each([
    ['string', { error: expect.any(String) }],
    ['object', { error: { code: 'refused', message: expect.any(String) } }],
    ['detail', { type: 'about:blank', title: 'Refused', detail: expect.any(String) }],
  ] as const)('writes errors as %s', async (errorShape, body) => {
    sandbox.service.setVariant({ errorShape });
    expect(await get('unknown')).toMatchObject({ status: 404, json: body });
  });

  it('writes errors as HTML', async () => {
    sandbox.service.setVariant({ errorShape: 'html' });
    expect(await get('unknown')).toMatchObject({
      status: 404,
      type: 'text/html; charset=utf-8',
      text: expect.stringContaining('<h1>'),
    });
  });

  it.each([409, 404, 410] as const)('answers a used token with %i', async (usedTokenPost) => {
    const token = await approved({ usedTokenPost });
    expect(await respond(token, { action: 'reject' })).toMatchObject({ status: usedTokenPost });
    expect(sandbox.service.approval(token)).toMatchObject({ status: 'APPROVED' });
  });

  it('answers a used token with the final status, even if it is the opposite', async () => {
    const token = await approved({ usedTokenPost: 200 });
    expect(await respond(token, { action: 'reject' })).toMatchObject({
      status: 200,
      json: { status: 'APPROVED', resolvedAt: at },
    });
  });

  it.each([404, 410] as const)('hides an old token with %i', async (usedTokenGet) => {
    expect(await get(await approved({ usedTokenGet }))).toMatchObject({ status: usedTokenGet });
  });

  it('omits the time from the status', async () => {
    const token = await approved({ resolvedAtInGet: false });
    expect((await get(token)).json).toEqual({ status: 'APPROVED' });
  });

  it('requires the API key for approvals', async () => {
    const token = await pending({ approvalCredential: 'apiKey' });
    expect(await get(token)).toMatchObject({ status: 401 });
    const headers = { authorization: `Bearer ${sandbox.credentials.apiKey}` };
    expect(await get(token, { headers })).toMatchObject({ status: 200 });
  });

  it('ends with a reset', async () => {
    const usual = sandbox.service.variant;
    sandbox.service.setVariant({ wrapped: true });
    sandbox.reset();
    expect(sandbox.service.variant).toEqual(usual);
  });
});

describe('the list of users', () => {
  interface List {
    readonly totalResults: number;
    readonly startIndex: number;
    readonly itemsPerPage: number;
    readonly Resources: readonly Record<string, unknown>[];
  }
  // Each test checks the members it reads.
  const list = async (query = '') => (await users(query)).json as List;
  const filter = (text: string) => `?filter=${encodeURIComponent(text)}`;

  it('requires its token', async () => {
    expect(await users('', 'other')).toMatchObject({ status: 401, json: { status: '401' } });
    expect(await users()).toMatchObject({
      status: 200,
      type: expect.stringContaining('scim+json'),
    });
  });

  it('has everybody but Una, and Ivo is inactive', async () => {
    const { Resources } = await list();
    const active = Object.fromEntries(Resources.map((row) => [row.userName, row.active]));
    expect(active).toEqual({
      'ana@example.com': true,
      'ben@example.com': true,
      'cleo@example.com': true,
      'gus@example.com': true,
      'dana@example.com': true,
      'della@example.com': false,
      'stan@partner.example': true,
      'ivo@example.com': false,
    });
    expect(Resources[0]?.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it.each(['userName eq "ana@example.com"', 'USERNAME EQ "ANA@example.com"'])(
    'is filtered by %s',
    async (text) => {
      expect(await list(filter(text))).toMatchObject({
        totalResults: 1,
        Resources: [{ userName: 'ana@example.com', active: true }],
      });
    },
  );

  it('refuses other filters', async () => {
    for (const text of [
      'userName pr',
      'userName eq ana',
      'emails eq "a"',
      'id eq "1" or id eq "2"',
    ]) {
      expect(await users(filter(text))).toMatchObject({
        status: 400,
        json: { scimType: 'invalidFilter' },
      });
    }
  });

  it.each([
    ['displayName co "AN"', ['Ana Reyes', 'Dana Cole', 'Stan Weber']],
    ['userName sw "b"', ['Ben Okafor']],
    ['userName ew "partner.example"', ['Stan Weber']],
    ['name.familyName eq "lind"', ['Gus Lind']],
    ['active eq false', ['Della Hart', 'Ivo Novak']],
    ['displayName ne "Ana Reyes"', expect.not.arrayContaining(['Ana Reyes'])],
    ['id eq "6F1C0D00-0000-4000-8000-000000000001"', []],
    ['id eq "6f1c0d00-0000-4000-8000-000000000001"', ['Ana Reyes']],
  ])('is filtered by %s, names in any case and ids exactly', async (text, names) => {
    const { Resources } = await list(filter(text));
    expect(Resources.map(({ displayName }) => displayName)).toEqual(names);
  });

  it('has pages', async () => {
    expect(await list('?startIndex=7&count=3')).toMatchObject({
      totalResults: 8,
      startIndex: 7,
      itemsPerPage: 2,
      Resources: [{ displayName: 'Stan Weber' }, { displayName: 'Ivo Novak' }],
    });
    expect(await list('?startIndex=0&count=1')).toMatchObject({
      startIndex: 1,
      Resources: [{ displayName: 'Ana Reyes' }],
    });
    sandbox.service.setVariant({ scimPageSize: 3 });
    expect((await list()).Resources).toHaveLength(3);
  });

  it('can ignore the filter or the page', async () => {
    sandbox.service.setVariant({ scimFilter: 'ignored', scimPaging: 'ignored' });
    expect((await list(filter('userName eq "x"'))).Resources).toHaveLength(8);
    expect((await list('?startIndex=5&count=1')).Resources).toHaveLength(8);
    sandbox.service.setVariant({ scimFilter: 'refused' });
    expect(await users(filter('userName eq "ana@example.com"'))).toMatchObject({ status: 400 });
    sandbox.service.setVariant({ scimFilter: 'address' });
    expect(await users(filter('userName eq "ana@example.com"'))).toMatchObject({ status: 200 });
    expect(await users(filter('id eq "1"'))).toMatchObject({ status: 400 });
  });

  it('can be a bare array, with active as text or missing', async () => {
    sandbox.service.setVariant({ scimList: 'array', scimActive: 'string' });
    const rows = (await users()).json;
    expect(rows).toMatchObject([{ active: 'true' }, {}, {}, {}, {}, { active: 'false' }, {}, {}]);
    sandbox.service.setVariant({ scimActive: 'missing' });
    expect(JSON.stringify((await users()).json)).not.toContain('active');
  });

  it('reflects changes of accounts', async () => {
    const una = filter('userName eq "una@example.com"');
    sandbox.service.setUser('una@example.com', { displayName: 'Una Berg' });
    expect(await list(una)).toMatchObject({
      Resources: [{ displayName: 'Una Berg', active: true }],
    });
    sandbox.service.setUser('una@example.com', { active: false });
    expect(await list(una)).toMatchObject({ totalResults: 1, Resources: [{ active: false }] });
    const id = sandbox.service.users().at(-1)?.id ?? '';
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    sandbox.service.setUser(id, { active: true });
    expect(await list(una)).toMatchObject({ totalResults: 1, Resources: [{ id, active: true }] });
  });
});

describe('a fault of the service', () => {
  const post = (token: string) => respond(token, { action: 'approve' });

  it.each([
    ['dropBefore', 'PENDING'],
    ['reset', 'PENDING'],
    ['dropAfter', 'APPROVED'],
  ] as const)('of kind %s gives no answer and leaves %s', async (kind, status) => {
    const { token } = sandbox.service.createApproval();
    sandbox.service.fault({ kind, operation: 'respond', times: 1 });
    await expect(post(token)).rejects.toThrow('fetch failed');
    expect(sandbox.service.approval(token).status).toBe(status);
    expect(sandbox.service.requests()).toMatchObject([{ operation: 'respond', answered: 0 }]);
    expect(await get(token)).toMatchObject({ status: 200, json: { status } });
  });

  it.each([
    ['429', 429],
    ['500', 500],
    ['html', 502],
  ] as const)('of kind %s is answered with %i and processes nothing', async (kind, status) => {
    const { token } = sandbox.service.createApproval();
    sandbox.service.fault({ kind, times: 1, retryAfter: 3 });
    expect(await post(token)).toMatchObject({ status });
    expect(sandbox.service.approval(token).status).toBe('PENDING');
    expect(await post(token)).toMatchObject({ status: 200 });
  });

  it('of kind 429 says how long to wait', async () => {
    sandbox.service.fault({ kind: '429', retryAfter: 3 });
    const { headers } = await fetch(approvalUrl('any'));
    expect(headers.get('retry-after')).toBe('3');
  });

  it('of kind refused answers with its text, and processes nothing', async () => {
    const { token } = sandbox.service.createApproval();
    sandbox.service.fault({ kind: 'refused', words: 'Not today.', times: 1 });
    const answer = await fetch(approvalUrl(token), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"action":"approve"}',
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: 'Not today.' });
    expect(sandbox.service.approval(token).status).toBe('PENDING');
  });

  it('of kind unreadable processes and answers without JSON', async () => {
    const { token } = sandbox.service.createApproval();
    sandbox.service.fault({ kind: 'unreadable', times: 1 });
    const answer = await fetch(approvalUrl(token), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"action":"approve"}',
    });
    expect(answer.status).toBe(200);
    await expect(answer.json()).rejects.toThrow(SyntaxError);
    expect(sandbox.service.approval(token).status).toBe('APPROVED');
  });

  it('can be limited to one token', async () => {
    const one = sandbox.service.createApproval();
    const two = sandbox.service.createApproval();
    sandbox.service.fault({ kind: '500', when: ({ token }) => token === one.token });
    expect(await get(one.token)).toMatchObject({ status: 500 });
    expect(await get(two.token)).toMatchObject({ status: 200 });
    sandbox.service.clearFaults();
    expect(await get(one.token)).toMatchObject({ status: 200 });
  });

  it('of kind latency processes even if the client gave up', async () => {
    const { token } = sandbox.service.createApproval();
    sandbox.service.fault({ kind: 'latency', ms: 300, times: 1 });
    const giveUp = new AbortController();
    const asked = fetch(approvalUrl(token), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"action":"approve"}',
      signal: giveUp.signal,
    });
    await sandbox.until(() => sandbox.service.requests().length === 1);
    giveUp.abort();
    await expect(asked).rejects.toThrow();
    expect(sandbox.service.approval(token).status).toBe('PENDING');
    await sandbox.until(() => sandbox.service.approval(token).status === 'APPROVED');
  });
});
