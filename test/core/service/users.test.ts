import { describe, expect, it } from 'vitest';
import { BJENSEN } from '../../../sandbox/test/service/rfc-user.ts';
import { system } from '../../../src/core/lib/system.ts';
import { createServiceClient, type UsersClient } from '../../../src/core/service/service-client.ts';
import type { UserBatch, UserFilter } from '../../../src/core/service/user-pages.ts';
import { type Answer, failureOf, json, startTestServer } from './test-server.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** What a call gave, and what was asked. */
async function asked<Outcome>(answer: Answer, call: (users: UsersClient) => Promise<Outcome>) {
  await using server = await startTestServer(answer);
  await using client = createServiceClient({
    baseUrl: `${server.url}/base`,
    scimToken: 'scim',
    apiKey: 'key',
    ...system,
  });
  const outcome = await call(client.users ?? expect.unreachable());
  const bodies = server.seen.map(({ body }) => body && JSON.parse(body));
  return { outcome, seen: server.seen, bodies };
}

const sent = { accept: 'application/scim+json', authorization: 'Bearer scim' };
const sentBody = { ...sent, 'content-type': 'application/scim+json' };
const profile = {
  id: BJENSEN.id,
  userName: BJENSEN.userName,
  displayName: BJENSEN.displayName,
  department: 'Tour Operations',
};

describe('creating an account', () => {
  const create = (answer: Answer, more: object = {}) =>
    asked(answer, (users) => users.create({ userName: 'Ana@example.com', ...more }));

  it('sends the address, that it is active, and nothing else that was not chosen', async () => {
    const { seen, bodies } = await create((_, r) => json(r, 201, BJENSEN));
    expect(seen).toMatchObject([
      { method: 'POST', url: '/base/api/scim/v2/Users', headers: sentBody },
    ]);
    expect(bodies).toEqual([{ schemas: [CORE], userName: 'Ana@example.com', active: true }]);
  });

  it('sends every attribute where RFC 7643 has it', async () => {
    const { bodies } = await create((_, r) => json(r, 201, BJENSEN), {
      active: true,
      displayName: 'Babs Jensen',
      formattedName: 'Ms. Barbara J Jensen, III',
      givenName: 'Barbara',
      familyName: 'Jensen',
      title: 'Tour Guide',
      externalId: '701984',
      department: 'Tour Operations',
    });
    expect(bodies).toEqual([
      {
        schemas: [CORE, ENTERPRISE],
        userName: 'Ana@example.com',
        active: true,
        displayName: 'Babs Jensen',
        name: {
          formatted: 'Ms. Barbara J Jensen, III',
          givenName: 'Barbara',
          familyName: 'Jensen',
        },
        title: 'Tour Guide',
        externalId: '701984',
        [ENTERPRISE]: { department: 'Tour Operations' },
      },
    ]);
  });

  it.each([
    [200, BJENSEN],
    [201, BJENSEN],
    [201, { data: BJENSEN }],
  ])('returns the account in a %i answer', async (status, body) => {
    const { outcome } = await create((_, r) => json(r, status, body));
    expect(outcome).toMatchObject({ kind: 'provisioned', user: profile });
  });

  it.each([
    [401, {}, 'unauthorized'],
    [403, {}, 'forbidden'],
    [404, {}, 'absent'],
    [410, {}, 'absent'],
    [409, {}, 'taken'],
    [409, { scimType: 'uniqueness', status: '409' }, 'taken'],
    [400, { scimType: 'Uniqueness', status: 400 }, 'taken'],
    [403, { scimType: 'uniqueness' }, 'taken'],
    [400, { scimType: 'invalidValue' }, 'invalid'],
    [422, { scimType: ['uniqueness'] }, 'invalid'],
  ])('answered with %i and %j is reported as %s', async (status, body, kind) => {
    const { outcome, seen } = await create((_, r) => json(r, status, { ...body, detail: 'No.' }));
    expect(outcome).toEqual({ kind, detail: 'No.' });
    expect(seen).toHaveLength(1);
  });

  it('has an unknown result after a 500, whatever its message', async () => {
    const call = create((_, r) => json(r, 500, { scimType: 'uniqueness' }));
    expect(await failureOf(call)).toMatchObject({ class: 'ambiguous', reason: 'uniqueness' });
  });
});

describe('changing an account', () => {
  it('names single attributes by path', async () => {
    const { seen, bodies } = await asked(
      (_, r) => json(r, 200, BJENSEN),
      (users) =>
        users.patch('a/b', [
          { op: 'replace', attribute: 'active', value: false },
          { op: 'add', attribute: 'displayName', value: 'Babs' },
          { op: 'replace', attribute: 'formattedName', value: 'B J' },
          { op: 'replace', attribute: 'givenName', value: 'B' },
          { op: 'replace', attribute: 'familyName', value: 'J' },
          { op: 'add', attribute: 'title', value: 'Guide' },
          { op: 'replace', attribute: 'externalId', value: '7' },
          { op: 'add', attribute: 'department', value: 'Tours' },
        ]),
    );
    expect(seen).toMatchObject([
      { method: 'PATCH', url: '/base/api/scim/v2/Users/a%2Fb', headers: sentBody },
    ]);
    expect(bodies).toEqual([
      {
        schemas: [PATCH],
        Operations: [
          { op: 'replace', path: 'active', value: false },
          { op: 'add', path: 'displayName', value: 'Babs' },
          { op: 'replace', path: 'name.formatted', value: 'B J' },
          { op: 'replace', path: 'name.givenName', value: 'B' },
          { op: 'replace', path: 'name.familyName', value: 'J' },
          { op: 'add', path: 'title', value: 'Guide' },
          { op: 'replace', path: 'externalId', value: '7' },
          { op: 'add', path: `${ENTERPRISE}:department`, value: 'Tours' },
        ],
      },
    ]);
  });

  it('replaces several attributes in one object without a path', async () => {
    const values = { active: true, givenName: 'B', familyName: 'J', department: 'Tours' };
    const { bodies } = await asked(
      (_, r) => r.writeHead(204).end(),
      (users) => users.patch('u', [{ op: 'replace', values }]),
    );
    expect(bodies).toEqual([
      {
        schemas: [PATCH],
        Operations: [
          {
            op: 'replace',
            value: {
              active: true,
              name: { givenName: 'B', familyName: 'J' },
              [ENTERPRISE]: { department: 'Tours' },
            },
          },
        ],
      },
    ]);
  });

  const deactivate = (answer: Answer, id = 'u') =>
    asked(answer, (users) =>
      users.patch(id, [{ op: 'replace', attribute: 'active', value: false }]),
    );

  it('returns the account in the answer, and none after a 204', async () => {
    const shown = await deactivate((_, r) => json(r, 200, BJENSEN));
    expect(shown.outcome).toMatchObject({ kind: 'changed', user: profile });
    const silent = await deactivate((_, r) => r.writeHead(204).end());
    expect(silent.outcome).toEqual({ kind: 'changed', user: null });
  });

  it.each([
    [400, { scimType: 'mutability' }, 'invalid'],
    [401, {}, 'unauthorized'],
    [403, {}, 'forbidden'],
    [404, {}, 'gone'],
    [410, {}, 'gone'],
    [409, {}, 'conflict'],
    [409, { scimType: 'uniqueness' }, 'taken'],
    [422, {}, 'invalid'],
  ])('answered with %i and %j is reported as %s', async (status, body, kind) => {
    const { outcome, seen } = await deactivate((_, r) =>
      json(r, status, { ...body, detail: 'No.' }),
    );
    expect(outcome).toEqual({ kind, detail: 'No.' });
    expect(seen).toHaveLength(1);
  });

  it.each(['', '..'])('is not sent for the id %j', async (id) => {
    const call = deactivate((_, r) => json(r, 200, BJENSEN), id);
    expect(await failureOf(call)).toMatchObject({ class: 'refused', code: 'bad_id' });
  });
});

describe('deleting an account', () => {
  const remove = (answer: Answer, id = 'u') => asked(answer, (users) => users.delete(id));

  it.each([200, 202, 204])('is a DELETE without a body, and succeeds with a %i', async (status) => {
    const { outcome, seen } = await remove((_, r) => r.writeHead(status).end());
    expect(outcome).toEqual({ kind: 'deactivated' });
    expect(seen).toMatchObject([
      { method: 'DELETE', url: '/base/api/scim/v2/Users/u', headers: sent, body: '' },
    ]);
    expect(seen[0]?.headers).not.toHaveProperty('content-type');
  });

  it.each([
    [400, 'invalid'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'gone'],
    [410, 'gone'],
    [409, 'conflict'],
    [422, 'invalid'],
  ])('answered with %i is reported as %s', async (status, kind) => {
    const { outcome } = await remove((_, r) => json(r, status, { detail: 'No.' }));
    expect(outcome).toEqual({ kind, detail: 'No.' });
  });

  it.each(['', '.'])('is not sent for the id %j', async (id) => {
    const call = remove((_, r) => r.writeHead(204).end(), id);
    expect(await failureOf(call)).toMatchObject({ class: 'refused', code: 'bad_id' });
  });
});

describe('the media type', () => {
  it('is plain JSON for every call after the server refused application/scim+json', async () => {
    const { seen } = await asked(
      ({ headers }, r) => {
        const isPlain = headers['content-type'] === 'application/json';
        if (isPlain || headers.accept === 'application/json') json(r, 201, BJENSEN);
        else json(r, 415, {});
      },
      async (users) => {
        await users.create({ userName: 'a@example.com' });
        await users.patch('u', []);
        await users.delete('u');
      },
    );
    expect(
      seen.map(({ method, headers }) => [method, headers.accept, headers['content-type']]),
    ).toEqual([
      ['POST', 'application/scim+json', 'application/scim+json'],
      ['POST', 'application/json', 'application/json'],
      ['PATCH', 'application/json', 'application/json'],
      ['DELETE', 'application/json', undefined],
    ]);
  });
});

describe('the media type of calls at the same time', () => {
  it('is changed for each of them that was refused', async () => {
    const refusals: (() => void)[] = [];
    const answer: Answer = ({ headers }, r) => {
      if (headers.accept === 'application/json') return json(r, 201, BJENSEN);
      refusals.push(() => json(r, 415, {}));
      if (refusals.length === 2) for (const refuse of refusals) refuse();
    };
    const { outcome, seen } = await asked(answer, (users) =>
      Promise.all(['a@x.example', 'b@x.example'].map((userName) => users.create({ userName }))),
    );
    expect(outcome).toMatchObject([{ kind: 'provisioned' }, { kind: 'provisioned' }]);
    expect(seen).toHaveLength(4);
  });
});

describe('the list of accounts', () => {
  const row = (n: number, more: object = {}) => ({
    id: `u-${n}`,
    userName: `p${n}@x.example`,
    ...more,
  });
  const rows = (count: number) => Array.from({ length: count }, (_, n) => row(n));

  async function read(
    answer: Answer,
    filter: UserFilter | null = null,
    more: { readonly startIndex?: number; readonly count?: number; readonly most?: number } = {},
  ) {
    const { most = 100, ...place } = more;
    return await asked(answer, async (users) => {
      const batches: UserBatch[] = [];
      for await (const batch of users.pages({ filter, ...place })) {
        batches.push(batch);
        if (batches.length === most) break;
      }
      return batches;
    });
  }
  const idsOf = (batches: readonly UserBatch[]) =>
    batches.flatMap(({ users }) => users.map(({ id }) => id));
  const queriesOf = (seen: readonly { readonly url: string | undefined }[]) =>
    seen.map(({ url }) => Object.fromEntries(new URL(url ?? '', 'http://x').searchParams));

  /** Pages as RFC 7644 says; `most` rows each. */
  const paged =
    (all: readonly object[], most = 100): Answer =>
    ({ url }, r) => {
      const query = new URL(url ?? '', 'http://x').searchParams;
      const start = Number(query.get('startIndex')) - 1;
      const count = Math.min(most, Number(query.get('count')));
      const Resources = all.slice(start, start + count);
      json(r, 200, { totalResults: all.length, startIndex: start + 1, Resources });
    };

  it('is read page by page, each account once, up to the total', async () => {
    const { outcome, seen } = await read(paged(rows(230)));
    expect(idsOf(outcome)).toEqual(rows(230).map(({ id }) => id));
    expect(queriesOf(seen)).toEqual([
      { startIndex: '1', count: '100' },
      { startIndex: '101', count: '100' },
      { startIndex: '201', count: '100' },
    ]);
    expect(outcome.at(-1)).toMatchObject({
      nextIndex: 231,
      totalResults: 230,
      ignoresFilter: false,
      ignoresPaging: false,
    });
  });

  it.each([
    ['there is no total', null],
    ['the total is more than there is', 9],
    ['the total is less than came', 2],
  ])('is read until a page has no new account when %s', async (_what, totalResults) => {
    const pages = [rows(3), rows(7).slice(3), []];
    const { outcome, seen } = await read((_, r) => {
      json(r, 200, { Resources: pages.shift(), ...(totalResults !== null && { totalResults }) });
    });
    expect(idsOf(outcome)).toHaveLength(7);
    expect(seen).toHaveLength(3);
  });

  it("is read in pages of the server's size", async () => {
    const { outcome, seen } = await read(paged(rows(7), 3));
    expect(idsOf(outcome)).toHaveLength(7);
    expect(queriesOf(seen).map(({ startIndex }) => startIndex)).toEqual(['1', '4', '7']);
  });

  it('is read no further than its reader goes', async () => {
    const { seen } = await read(paged(rows(500)), null, { most: 2 });
    expect(seen).toHaveLength(2);
  });

  it('is read from a given index, in pages of a given size', async () => {
    const { outcome, seen } = await read(paged(rows(30)), null, { startIndex: 21, count: 7 });
    expect(idsOf(outcome)).toEqual(
      rows(30)
        .slice(20)
        .map(({ id }) => id),
    );
    expect(queriesOf(seen)).toEqual([
      { startIndex: '21', count: '7' },
      { startIndex: '28', count: '7' },
    ]);
    expect(outcome.map(({ nextIndex }) => nextIndex)).toEqual([28, 31]);
    expect(outcome.at(-1)).toMatchObject({ ignoresPaging: false });
  });

  it('counts as not paged when the server ignores the start index', async () => {
    const beginning: Answer = (_, r) =>
      json(r, 200, { totalResults: 90, startIndex: 1, Resources: rows(5) });
    const { outcome } = await read(beginning, null, { startIndex: 21, count: 5, most: 1 });
    expect(outcome).toMatchObject([{ ignoresPaging: true }]);
  });

  it.each([
    ['the same hundred again and again', 100, 2],
    ['more than it was asked for', 140, 2],
  ])('counts as not paged when the server sends %s', async (_what, count, requests) => {
    const { outcome, seen } = await read((_, r) =>
      json(r, 200, { totalResults: 900, Resources: rows(count) }),
    );
    expect(idsOf(outcome)).toHaveLength(count);
    expect(seen).toHaveLength(requests);
    expect(outcome.at(-1)).toMatchObject({ ignoresPaging: true, totalResults: 900 });
  });

  it('has an account once even if it moved to the next page during the read', async () => {
    const pages = [rows(100), [row(99), row(100)], []];
    const { outcome } = await read((_, r) => json(r, 200, pages.shift()));
    expect(idsOf(outcome)).toEqual(rows(101).map(({ id }) => id));
    expect(outcome.at(-1)).toMatchObject({ ignoresPaging: false, totalResults: null });
  });

  const named: UserFilter = { attribute: 'displayName', operator: 'co', value: 'ann' };
  const annas = [
    row(1, { displayName: 'Joanna' }),
    row(2, { displayName: 'ANN' }),
    row(3, { displayName: 'Bob' }),
    row(4),
  ];

  it('is filtered here when the server ignores the filter, which is reported', async () => {
    const { outcome, seen } = await read(paged(annas), named);
    expect(idsOf(outcome)).toEqual(['u-1', 'u-2']);
    expect(outcome[0]).toMatchObject({ ignoresFilter: true });
    expect(queriesOf(seen)[0]?.filter).toBe('displayName co "ann"');
  });

  it('is not filtered here when the server does it', async () => {
    const { outcome } = await read(paged(annas.slice(0, 2)), named);
    expect(idsOf(outcome)).toEqual(['u-1', 'u-2']);
    expect(outcome.map(({ ignoresFilter }) => ignoresFilter)).toEqual([false]);
  });

  it.each([400, 404, 422, 501])(
    'is read and filtered here when a %i refuses the filter',
    async (status) => {
      const all = paged(annas);
      const { outcome, seen } = await read((request, r) => {
        if (request.url?.includes('filter=')) json(r, status, { scimType: 'invalidFilter' });
        else all(request, r);
      }, named);
      expect(idsOf(outcome)).toEqual(['u-1', 'u-2']);
      expect(outcome[0]).toMatchObject({ ignoresFilter: true });
      expect(queriesOf(seen).map(({ filter }) => filter)).toEqual([
        'displayName co "ann"',
        undefined,
      ]);
    },
  );

  it.each([
    ['sw', 'P1@', true],
    ['sw', '1@', false],
    ['co', '1@X', true],
    ['eq', 'p1@x.example ', true],
    ['eq', 'p1@x.exampl', false],
  ] as const)('matches userName %s %j: %s', async (operator, value, isThere) => {
    const { outcome } = await read(paged([row(1)]), { attribute: 'userName', operator, value });
    expect(idsOf(outcome)).toEqual(isThere ? ['u-1'] : []);
  });

  it.each([401, 403, 404, 500])('is not read after a %i', async (status) => {
    expect(await failureOf(read((_, r) => json(r, status, {})))).toMatchObject({ status });
  });

  it('is not read further after a failed page, even if that names the filter', async () => {
    let pages = 0;
    const all = paged(rows(150));
    const call = read(
      (request, r) => {
        pages += 1;
        if (pages === 2) json(r, 400, { scimType: 'invalidFilter' });
        else all(request, r);
      },
      { attribute: 'userName', operator: 'co', value: 'x.example' },
    );
    expect(await failureOf(call)).toMatchObject({ class: 'refused', reason: 'invalidFilter' });
    expect(pages).toBe(2);
  });
});
