import { describe, expect, it } from 'vitest';
import { BJENSEN } from '../../../sandbox/test/service/rfc-user.ts';
import type { Clock } from '../../../src/core/lib/clock.ts';
import { systemClock } from '../../../src/core/lib/clock.ts';
import { system } from '../../../src/core/lib/system.ts';
import { createServiceClient } from '../../../src/core/service/service-client.ts';
import type { CallLimits } from '../../../src/core/service/transport.ts';
import { type Answer, failureOf, json, startTestServer } from './test-server.ts';

interface Row {
  readonly id?: unknown;
  readonly userName?: unknown;
  readonly [name: string]: unknown;
}

const ana = { id: 'u-ana', userName: 'ana@example.com', active: true };
const others = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({ id: `u-${n}`, userName: `p${n}@example.com` }));

/** What Ana is found as, and the queries that were asked. */
async function search(
  answer: Answer,
  email = 'ana@example.com',
  limits: CallLimits = {},
  clock: Clock = systemClock,
) {
  await using server = await startTestServer(answer);
  await using client = createServiceClient({
    ...system,
    baseUrl: server.url,
    scimToken: 'scim',
    clock,
  });
  const found = await client.users?.findByEmail(email, limits);
  const queries = server.seen.map(({ url }) => new URL(url ?? '', server.url).searchParams);
  return { found, queries, seen: server.seen };
}

/** A server that pages as RFC 7644 says, over what the filter leaves. */
function pages(rows: readonly Row[], filter: (row: Row) => boolean, pageSize = 100): Answer {
  return ({ url }, response) => {
    const query = new URL(url ?? '', 'http://x').searchParams;
    const kept = query.has('filter') ? rows.filter(filter) : rows;
    const start = Number(query.get('startIndex')) - 1;
    const Resources = kept.slice(start, start + pageSize);
    json(response, 200, { totalResults: kept.length, startIndex: start + 1, Resources });
  };
}

describe('a person looked up by e-mail address', () => {
  it('is asked for with one filtered request and the SCIM token', async () => {
    const { found, seen } = await search(
      pages(
        [...others(5), { ...ana, externalId: 'x-1', displayName: 'Ana' }],
        (row) => row.id === 'u-ana',
      ),
      ' ana+"q"@example.com ',
    );
    expect(found).toEqual({ kind: 'none' });
    expect(seen[0]?.url).toBe(
      '/api/scim/v2/Users?filter=userName%20eq%20%22ana%2B%5C%22q%5C%22%40example.com%22&startIndex=1&count=100',
    );
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer scim',
      accept: 'application/scim+json',
    });
  });

  it('is found among the rows, in one request where the filter works', async () => {
    const rows = [...others(5), { ...ana, externalId: 'x-1', displayName: 'Ana' }];
    const { found, queries } = await search(pages(rows, (row) => row.id === 'u-ana'));
    expect(found).toEqual({
      kind: 'found',
      user: {
        id: 'u-ana',
        externalId: 'x-1',
        userName: 'ana@example.com',
        active: true,
        displayName: 'Ana',
        formattedName: null,
        givenName: null,
        familyName: null,
        title: null,
        department: null,
      },
    });
    expect(queries).toHaveLength(1);
  });

  it.each([
    ['ANA@Example.com', 'ana@example.COM'],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
    [' ana@example.com', 'ana@example.com '],
  ])('is found by %j as %j', async (email, userName) => {
    const { found } = await search(
      pages([{ ...ana, userName }], () => true),
      email,
    );
    expect(found).toMatchObject({ kind: 'found', user: { id: 'u-ana', userName } });
  });

  it.each(['ana@example.org', 'an.a@example.com', 'ana+x@example.com', 'xana@example.com'])(
    'is not taken for %s when the filter is ignored',
    async (userName) => {
      const { found } = await search(pages([{ ...ana, userName }], () => true));
      expect(found).toEqual({ kind: 'none' });
    },
  );

  it('is not found when the filter matches nothing', async () => {
    const { found, queries } = await search(pages(others(500), () => false));
    expect(found).toEqual({ kind: 'none' });
    expect(queries).toHaveLength(1);
  });

  it('may have one that is not shown if a row cannot be read', async () => {
    const { found } = await search((_, response) =>
      json(response, 200, { totalResults: 2, Resources: [{ id: 'u-9' }, ...others(1)] }),
    );
    expect(found).toEqual({ kind: 'none', isPartial: true });
  });

  it('is found on the last page of a server that ignores the filter', async () => {
    const { found, queries } = await search(pages([...others(250), ana], () => true));
    expect(found).toMatchObject({ kind: 'found', user: { id: 'u-ana' } });
    expect(queries.map((query) => query.get('startIndex'))).toEqual(['1', '101', '201']);
  });

  it('is found once where paging is ignored too', async () => {
    const { found, queries } = await search((_, response) =>
      json(response, 200, { totalResults: 9000, Resources: [...others(30), ana] }),
    );
    expect(found).toMatchObject({ kind: 'found', user: { id: 'u-ana' } });
    expect(queries).toHaveLength(2);
  });

  it.each([
    ['on one page', [ana, { ...ana, id: 'u-2', userName: 'ANA@example.com' }], 100],
    ['far apart', [ana, ...others(250), { ...ana, id: 'u-ana-2' }], 100],
    ['on filtered pages of one', [ana, { ...ana, id: 'u-2' }], 1],
  ])('is ambiguous when two accounts match %s', async (_where, rows, pageSize) => {
    const { found } = await search(pages(rows, () => true, pageSize));
    expect(found).toEqual({ kind: 'several' });
  });

  it('is not ambiguous when the same account is listed twice', async () => {
    const { found } = await search(pages([ana, ana], () => true));
    expect(found).toMatchObject({ kind: 'found' });
  });

  it('is looked up on at most 50 pages', async () => {
    let next = 0;
    const { found, queries } = await search((_, response) => {
      next += 1;
      json(response, 200, { Resources: [{ id: `u-${next}`, userName: 'x@example.com' }] });
    });
    expect(found).toEqual({ kind: 'none', isPartial: true });
    expect(queries).toHaveLength(50);
  });

  it.each([400, 404, 422, 501])('is looked for without a filter after a %i', async (status) => {
    const unfiltered = pages([...others(150), ana], () => true);
    const { found, queries } = await search((request, response) => {
      if (request.url?.includes('filter=')) json(response, status, { detail: 'invalidFilter' });
      else unfiltered(request, response);
    });
    expect(found).toMatchObject({ kind: 'found' });
    expect(queries.map((query) => [query.has('filter'), query.get('startIndex')])).toEqual([
      [true, '1'],
      [false, '1'],
      [false, '101'],
    ]);
  });

  it('is ambiguous when two unfiltered pages have the address', async () => {
    const { found } = await search(({ url }, response) => {
      if (url?.includes('filter=')) json(response, 400, {});
      else json(response, 200, [url?.includes('startIndex=1&') ? ana : { ...ana, id: 'u-2' }]);
    });
    expect(found).toEqual({ kind: 'several' });
  });

  it.each([
    [{ Resources: [ana] }],
    [[ana]],
    [{ data: [ana] }],
    [{ data: { Resources: [ana], totalResults: 1 } }],
    [{ Resources: [null, 5, { id: 'no-name' }, ana] }],
  ])('is found in %j', async (body) => {
    const { found } = await search((_, response) => json(response, 200, body));
    expect(found).toMatchObject({ kind: 'found', user: { id: 'u-ana' } });
  });

  it.each([[{ totalResults: 0 }], [{ Resources: [] }], [[]], [{ data: [] }]])(
    'is not found in %j',
    async (body) => {
      const { found } = await search((_, response) => json(response, 200, body));
      expect(found).toEqual({ kind: 'none' });
    },
  );

  it.each([
    [{}],
    [{ totalResults: 1 }],
    [{ Resources: 'x' }],
    [{ Resources: [{ name: 'Ana' }] }],
    ['x'],
  ])('is an error in the unreadable answer %j', async (body) => {
    const failure = await failureOf(search((_, response) => json(response, 200, body)));
    expect(failure).toMatchObject({ class: 'unreadable' });
  });

  it('is an error, not missing, when the list cannot be read either', async () => {
    const failure = await failureOf(search((_, response) => json(response, 501, {})));
    expect(failure).toMatchObject({ status: 501 });
  });

  it.each([
    ['all', 7, 8],
    ['some', 7, 'u-2'],
    ['one, beside a text that looks like it', 7, '8'],
  ])('is found where %s of the ids are numbers', async (_, id, other) => {
    const rows = [
      { ...ana, id, externalId: 70 },
      { ...ana, id: other, userName: 'b@x.example' },
    ];
    const { found } = await search(pages(rows, () => true));
    expect(found).toMatchObject({ kind: 'found', user: { id: '7', externalId: '70' } });
    const { found: second } = await search(
      pages(rows, () => true),
      'b@x.example',
    );
    expect(second).toMatchObject({ kind: 'found', user: { id: String(other) } });
  });

  it.each([2 ** 53 + 2, 1.5, true])(
    'is ignored with the id %j, which JSON numbers cannot hold or which is no id',
    async (id) => {
      const { found } = await search(pages([{ ...ana, id }, ...others(1)], () => true));
      expect(found).toEqual({ kind: 'none', isPartial: true });
    },
  );

  it.each([
    [{ totalResults: '1', startIndex: '1', resources: [ana] }],
    [{ totalresults: 1, RESOURCES: [{ ID: 'u-ana', username: 'ana@example.com', Active: true }] }],
    [{ data: { resources: [ana], totalResults: '1' } }],
    [{ TotalResults: '2', resources: [{ Id: 3, UserName: 'x@example.com' }, ana] }],
  ])('is found in %j, with one request', async (body) => {
    const { found, queries } = await search((_, response) => json(response, 200, body));
    expect(found).toMatchObject({ kind: 'found', user: { id: 'u-ana', active: true } });
    expect(queries).toHaveLength(1);
  });

  it('is found after a full page whose total counts only that page', async () => {
    const rows = [...others(150), ana];
    const { found } = await search(({ url }, response) => {
      const start = Number(new URL(url ?? '', 'http://x').searchParams.get('startIndex')) - 1;
      const Resources = rows.slice(start, start + 100);
      json(response, 200, { totalResults: Resources.length, Resources });
    });
    expect(found).toMatchObject({ kind: 'found', user: { id: 'u-ana' } });
  });

  it.each([
    [true, true],
    [false, false],
    ['true', true],
    ['False', false],
    [undefined, null],
    [null, null],
    [1, null],
    ['yes', null],
    [['true'], null],
  ])('with active: %j is read as active: %j', async (active, expected) => {
    const { found } = await search(pages([{ ...ana, active }], () => true));
    expect(found).toMatchObject({ user: { active: expected } });
  });

  it('is named by name.formatted where there is no displayName', async () => {
    const { found } = await search(pages([{ ...ana, name: { formatted: 'Ana B.' } }], () => true));
    expect(found).toMatchObject({ user: { displayName: 'Ana B.', externalId: null } });
  });

  it('has every attribute of the enterprise user in RFC 7643', async () => {
    const { found } = await search(
      pages([BJENSEN], () => true),
      'BJensen@example.com',
    );
    expect(found).toEqual({
      kind: 'found',
      user: {
        id: '2819c223-7f76-453a-919d-413861904646',
        externalId: '701984',
        userName: 'bjensen@example.com',
        active: true,
        displayName: 'Babs Jensen',
        formattedName: 'Ms. Barbara J Jensen, III',
        givenName: 'Barbara',
        familyName: 'Jensen',
        title: 'Tour Guide',
        department: 'Tour Operations',
      },
    });
  });

  it('is asked for as plain JSON after a 415, and from then on', async () => {
    await using server = await startTestServer(({ headers }, response) => {
      if (headers.accept === 'application/json') json(response, 200, [ana]);
      else json(response, 415, {});
    });
    await using client = createServiceClient({
      baseUrl: server.url,
      scimToken: 'scim',
      ...system,
    });
    await client.users?.findByEmail('ana@example.com');
    await client.users?.findByEmail('ana@example.com');
    expect(server.seen.map(({ headers }) => headers.accept)).toEqual([
      'application/scim+json',
      'application/json',
      'application/json',
    ]);
  });

  it('is an error after a second 415, and requested once from then on', async () => {
    await using server = await startTestServer((_, response) => json(response, 415, {}));
    await using client = createServiceClient({
      baseUrl: server.url,
      scimToken: 'scim',
      ...system,
    });
    for (const requests of [2, 3]) {
      const failure = await failureOf(client.users?.findByEmail('a@b') ?? expect.unreachable());
      expect(failure).toMatchObject({ class: 'refused', status: 415 });
      expect(server.seen).toHaveLength(requests);
    }
  });

  it.each([401, 403, 404, 429])('is an error after a %i', async (status) => {
    const failure = await failureOf(search((_, response) => json(response, status, {})));
    expect(failure).toMatchObject({ class: 'refused', status });
  });

  it('is looked for within one deadline for all pages together', async () => {
    // Each page takes a second on this clock, so that the fourth is asked with nothing left.
    let elapsedMs = 0;
    const clock = { now: systemClock.now, monotonic: () => elapsedMs };
    let pagesAsked = 0;
    const many = pages(others(5000), () => true);
    const answer: Answer = (request, response) => {
      pagesAsked += 1;
      elapsedMs += 1000;
      many(request, response);
    };
    const call = search(answer, 'ana@example.com', { deadlineMs: 3000 }, clock);
    expect(await failureOf(call)).toMatchObject({ class: 'not-sent', code: 'timeout' });
    expect(pagesAsked).toBe(3);
  });

  it('is asked for as plain JSON within the same deadline', async () => {
    let elapsedMs = 0;
    const clock = { now: systemClock.now, monotonic: () => elapsedMs };
    const media: (string | undefined)[] = [];
    const answer: Answer = ({ headers }, response) => {
      media.push(headers.accept);
      elapsedMs += 3000;
      json(response, 415, {});
    };
    const call = search(answer, 'ana@example.com', { deadlineMs: 3000 }, clock);
    expect(await failureOf(call)).toMatchObject({ class: 'not-sent', code: 'timeout' });
    expect(media).toEqual(['application/scim+json']);
  });

  it.each([
    ['id', 'u-ana', 'id%20eq%20%22u-ana%22'],
    ['externalId', 'X"1', 'externalId%20eq%20%22X%5C%221%22'],
  ] as const)('is found by an exact match of %s', async (key, value, filter) => {
    const rows = [
      { ...ana, id: 'U-ANA', externalId: 'x"1' },
      { ...ana, externalId: 'X"1' },
      others(1),
    ];
    await using server = await startTestServer((_, response) => json(response, 200, rows));
    await using client = createServiceClient({
      baseUrl: server.url,
      scimToken: 'scim',
      ...system,
    });
    expect(await client.users?.find(key, value)).toMatchObject({
      kind: 'found',
      user: { id: 'u-ana', externalId: 'X"1' },
    });
    expect(server.seen[0]?.url).toContain(`?filter=${filter}&`);
  });

  it('is not found by an empty external id', async () => {
    await using server = await startTestServer((_, response) => json(response, 200, [ana]));
    await using client = createServiceClient({
      baseUrl: server.url,
      scimToken: 'scim',
      ...system,
    });
    expect(await client.users?.find('externalId', '')).toMatchObject({ kind: 'none' });
  });

  it('cannot be looked for without a SCIM token', async () => {
    await using client = createServiceClient({
      baseUrl: 'http://127.0.0.1:9',
      scimToken: null,
      ...system,
    });
    expect(client.users).toBeNull();
  });
});
