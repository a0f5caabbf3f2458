import { describe, expect, it } from 'vitest';
import type { SeenCall } from '../../../src/core/lib/seen-call.ts';
import { system } from '../../../src/core/lib/system.ts';
import type { NewTestCase } from '../../../src/core/service/create-test-case.ts';
import { createServiceClient } from '../../../src/core/service/service-client.ts';
import { type Answer, failureOf, json, startTestServer } from './test-server.ts';

const least: NewTestCase = { spaceSlug: 'eng', projectId: 'tp-checkout', title: 'Pay by card' };

/** What came of it, and what was sent. */
async function created(answer: Answer, more: Partial<NewTestCase> = {}) {
  await using server = await startTestServer(answer);
  await using client = createServiceClient({
    baseUrl: `${server.url}/base`,
    scimToken: 'scim',
    apiKey: 'key',
    ...system,
  });
  const outcome = await client.testCases?.create({ ...least, ...more });
  return { outcome, seen: server.seen };
}

const whole = {
  id: 'tc-9',
  title: 'Pay by card',
  priority: 'MEDIUM',
  type: 'MANUAL',
  status: 'DRAFT',
  testProjectId: 'tp-checkout',
};
const unknown = {
  kind: 'created',
  id: null,
  title: null,
  priority: null,
  type: null,
  status: null,
  testProjectId: null,
};

describe('the request to create a test case', () => {
  it('carries the API key and the title, and leaves the defaults to the service', async () => {
    const { seen } = await created((_, r) => json(r, 201, whole));
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: '/base/api/v1/test-management/eng/tp-checkout/cases',
        headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
        body: '{"title":"Pay by card"}',
      },
    ]);
  });

  it('carries whatever was chosen, verbatim, and nothing else', async () => {
    const chosen = {
      description: '1. Open\n2. Pay <now> & “later”',
      priority: 'CRITICAL',
      type: 'EXPLORATORY',
      suiteId: 'su-smoke',
    } as const;
    const extra = { ...chosen, channel: 'C0PLANS' };
    const { seen } = await created((_, r) => json(r, 201, whole), extra);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ title: 'Pay by card', ...chosen });
  });

  it('escapes slugs and ids in the path', async () => {
    const { seen } = await created((_, r) => json(r, 201, whole), {
      spaceSlug: 'a/b',
      projectId: '?c d',
    });
    expect(seen[0]?.url).toBe('/base/api/v1/test-management/a%2Fb/%3Fc%20d/cases');
  });

  it.each([{ spaceSlug: '..' }, { projectId: '' }])('is not sent for %j', async (more) => {
    const call = created((_, r) => json(r, 201, whole), more);
    expect(await failureOf(call)).toMatchObject({ class: 'refused', code: 'bad_id' });
  });

  it('cannot be made without an API key', async () => {
    await using client = createServiceClient({
      baseUrl: 'http://127.0.0.1:9',
      scimToken: 'scim',
      ...system,
    });
    expect(client.testCases).toBeNull();
  });
});

describe('a test case that was created', () => {
  it.each([
    [201, whole, whole],
    [200, { ...whole, steps: [] }, whole],
    [201, { data: whole }, whole],
    [201, { ...whole, data: {} }, whole],
    [201, { id: 'tc-9' }, { id: 'tc-9' }],
    [201, { id: 9, status: 'READY', priority: ' ' }, { status: 'READY' }],
    [201, [whole], {}],
    [201, { error: 'no' }, {}],
  ])('with %i and %j is reported with what the answer contains', async (status, body, known) => {
    const { outcome } = await created((_, r) => json(r, status, body));
    expect(outcome).toEqual({ ...unknown, ...known });
  });
});

describe('a test case that the service refuses', () => {
  it.each([
    [400, 'invalid'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [410, 'not-found'],
    [409, 'invalid'],
    [422, 'invalid'],
  ])(
    "with %i is reported as %s, with the service's message, after one request",
    async (status, kind) => {
      const { outcome, seen } = await created((_, r) =>
        json(r, status, { error: 'title: too long' }),
      );
      expect(outcome).toEqual({ kind, detail: 'title: too long' });
      expect(seen).toHaveLength(1);
    },
  );

  it.each([405, 413, 429])('with %i is an error, not a result', async (status) => {
    const failure = await failureOf(created((_, r) => json(r, status, {})));
    expect(failure).toMatchObject({ class: 'refused', status });
  });
});

it.each([
  [200, 'ok'],
  [201, 'ok'],
  [204, 'unreadable'],
  [422, 'refused'],
] as const)('a call that is answered %s is told of with that status', async (status, result) => {
  await using server = await startTestServer((_, r) =>
    status === 204 ? r.writeHead(status).end() : json(r, status, whole),
  );
  const calls: SeenCall[] = [];
  await using client = createServiceClient({
    baseUrl: server.url,
    scimToken: null,
    apiKey: 'key',
    onCall: (call) => void calls.push(call),
    ...system,
  });
  await client.testCases?.create(least);
  expect(calls).toMatchObject([{ method: 'create test case', result, status }]);
});
