import { describe, expect, it } from 'vitest';
import { system } from '../../../src/core/lib/system.ts';
import type { TaskDialect } from '../../../src/core/service/dialect.ts';
import { createServiceClient } from '../../../src/core/service/service-client.ts';
import { type Answer, failureOf, json, startTestServer } from './test-server.ts';

const usual: TaskDialect = { path: '/internal/tasks' };

/** What was read, and what was asked. */
async function read(answer: Answer, dialect = usual, reference = 'OPS-12') {
  await using server = await startTestServer(answer);
  await using client = createServiceClient({
    baseUrl: `${server.url}/base`,
    scimToken: null,
    apiKey: 'key',
    dialect: { approval: { auth: 'none' }, task: dialect },
    ...system,
  });
  const found = await client.tasks?.read?.(reference);
  return { found, seen: server.seen };
}
const readBody = async (body: unknown, dialect?: TaskDialect) =>
  (await read((_, response) => json(response, 200, body), dialect)).found;

const leaf = { id: 'c', status: 'st-done' };
const item = {
  id: 'a',
  key: 'OPS-12',
  title: 'Move house',
  updatedAt: '2026-11-02T09:14:07.123456+02:00',
  status: 'st-open',
  projectId: 'p-ops',
  subItems: [
    { id: 'b', key: 'OPS-13', title: 'Pack', status: 'st-open', subItems: [leaf] },
    { id: 'd', key: 'OPS-14', status: 'st-new', subItems: [] },
  ],
};
const task = {
  ...item,
  subItems: [
    { ...item.subItems[0], subItems: [{ ...leaf, key: null, title: null, subItems: [] }] },
    { ...item.subItems[1], title: null },
  ],
};

describe('a work item', () => {
  it.each([[item], [{ data: item }], [{ ...item, assignee: 'x' }]])(
    'is read with its sub-items from %j',
    async (body) => {
      expect(await readBody(body)).toEqual({ kind: 'found', task });
    },
  );

  it.each([
    ['OPS-12', 'OPS-12'],
    [
      'https://app.example/eng/ops/OPS-12?tab=1#c',
      'https%3A%2F%2Fapp.example%2Feng%2Fops%2FOPS-12%3Ftab%3D1%23c',
    ],
  ])('is requested as %s below the path in the dialect', async (reference, segment) => {
    const { seen } = await read((_, r) => json(r, 200, item), usual, reference);
    expect(seen).toMatchObject([
      {
        method: 'GET',
        url: `/base/internal/tasks/${segment}`,
        headers: { authorization: 'Bearer key' },
      },
    ]);
  });

  it('is read by the member names in the dialect, in sub-items too', async () => {
    const node = (id: string, children: unknown) => ({
      uid: id,
      label: id.toUpperCase(),
      fields: { 'state/id': 's1', text: `About ${id}` },
      children,
    });
    const body = {
      result: {
        ...node('a', [node('b', null)]),
        changed: '20300101T1000+0100',
        project: { id: 'p' },
      },
    };
    const found = await readBody(body, {
      path: '/t',
      item: '/result',
      id: 'uid',
      key: 'label',
      title: '/fields/text',
      updatedAt: 'changed',
      status: '/fields/state~1id',
      projectId: '/project/id',
      subItems: 'children',
    });
    const read = (id: string) => ({
      id,
      key: id.toUpperCase(),
      title: `About ${id}`,
      status: 's1',
    });
    expect(found).toEqual({
      kind: 'found',
      task: {
        ...read('a'),
        updatedAt: '20300101T1000+0100',
        projectId: 'p',
        subItems: [{ ...read('b'), subItems: [] }],
      },
    });
  });

  it('is incomplete, not without sub-items, when the member for them is missing', async () => {
    const { subItems, ...alone } = item;
    expect(await readBody(alone)).toEqual({ kind: 'incomplete', noMember: 'subItems' });
    const dialect = { ...usual, subItems: '/relations/children' };
    expect(await readBody({ data: item }, dialect)).toEqual({
      kind: 'incomplete',
      noMember: '/relations/children',
    });
    expect(await readBody({ ...item, subItems: null })).toMatchObject({ task: { subItems: [] } });
  });

  const nested = (levels: number): object => ({
    ...item,
    id: `n${levels}`,
    subItems: levels === 1 ? [] : [nested(levels - 1)],
  });

  it('may have fifty levels', async () => {
    expect(await readBody(nested(50))).toMatchObject({ kind: 'found' });
  });

  it.each<[string, unknown, string]>([
    ['nothing', {}, 'id'],
    ['a word', 'OPS-12', 'id'],
    ['no id', { ...item, id: undefined }, 'id'],
    ['an id that is null', { ...item, id: null }, 'id'],
    ['an id that has lost digits', { ...item, id: 2 ** 53 }, 'id'],
    ['an id that is a fraction', { ...item, id: 1.5 }, 'id'],
    ['no time', { ...item, updatedAt: null }, 'updatedAt'],
    ['a time that is none', { ...item, updatedAt: 'yesterday' }, 'updatedAt'],
    ['a time that is a number', { ...item, updatedAt: 1_893_456_000 }, 'updatedAt'],
    ['no status', { ...item, status: '' }, 'status'],
    ['a status that is an object', { ...item, status: { id: 3 } }, 'status'],
    [
      'a sub-item without a status',
      { ...item, subItems: [leaf, { id: 'b' }] },
      'subItems/1/status',
    ],
    ['a sub-item that is none', { ...item, subItems: ['b'] }, 'subItems/0/id'],
    ['sub-items that are no list', { ...item, subItems: { b: leaf } }, 'subItems'],
    ['a sub-item twice', { ...item, subItems: [leaf, leaf] }, 'subItems/1/id'],
    ['itself below itself', { ...item, subItems: [{ id: 'a', status: 's' }] }, 'subItems/0/id'],
    [
      'an id that it has as a number and as a text',
      { ...item, id: 7, subItems: [{ id: '7', status: 's' }] },
      'subItems/0/id',
    ],
  ])(
    'is incomplete, and the member is named, when the answer has %s',
    async (_what, body, name) => {
      expect(await readBody(body)).toEqual({ kind: 'incomplete', noMember: name });
    },
  );

  it('names a member by its place in the dialect', async () => {
    const dialect = { ...usual, subItems: '/relations/children', status: '/state/id' };
    const below = { id: 'b', state: {}, relations: null };
    const body = { ...item, state: { id: 3 }, relations: { children: [below] } };
    const noMember = '/relations/children/0/state/id';
    expect(await readBody(body, dialect)).toEqual({ kind: 'incomplete', noMember });
  });

  it('has ids, keys and statuses as text, even if they are numbers', async () => {
    const below = { id: 8, status: 0, key: 13 };
    const body = { ...item, id: 7, key: 12, status: 3, projectId: 1, subItems: [below] };
    const read = { id: '8', status: '0', key: '13', title: null, subItems: [] };
    expect(await readBody(body)).toEqual({
      kind: 'found',
      task: { ...item, id: '7', key: '12', status: '3', projectId: '1', subItems: [read] },
    });
  });

  it('is an error when it has fifty-one levels', async () => {
    expect(await failureOf(readBody(nested(51)))).toMatchObject({ class: 'unreadable' });
  });

  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not-found'],
  ])('answered with %i is reported as %s', async (status, kind) => {
    const { found } = await read((_, r) => json(r, status, { error: 'No.' }));
    expect(found).toEqual({ kind, detail: 'No.' });
  });

  it.each([400, 429, 500])('is an error after a %i', async (status) => {
    expect(await failureOf(read((_, r) => json(r, status, {})))).toMatchObject({ status });
  });

  it.each(['', '..'])('is not requested as %j', async (reference) => {
    const call = read((_, r) => json(r, 200, item), usual, reference);
    expect(await failureOf(call)).toMatchObject({ class: 'refused', code: 'bad_id' });
  });

  it('cannot be read where the dialect gives no path', async () => {
    await using client = createServiceClient({
      baseUrl: 'http://127.0.0.1:9',
      scimToken: null,
      apiKey: 'key',
      ...system,
    });
    expect(client.tasks?.read).toBeNull();
  });
});
