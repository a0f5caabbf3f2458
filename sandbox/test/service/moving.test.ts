import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox.ts';
import type { ShownItem } from '../../service/tasks/tasks-handle.ts';
import { startSandbox } from '../../start-sandbox.ts';
import { askService, type Question } from './ask-service.ts';

const now = Date.UTC(2026, 10, 20, 10);
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ now: () => now });
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

const tasks = () => sandbox.service.tasks;
const project = (slug: string) =>
  tasks()
    .projects()
    .find((each) => each.slug === slug) ?? expect.unreachable();
const move = (id: string, body: unknown, question: Question = {}) =>
  askService(sandbox, `/api/v1/tasks/${id}/move`, { body, ...question });
const ids = (item: ShownItem): string[] => [item.id, ...item.subItems.flatMap(ids)];
const statuses = (item: ShownItem): string[] => [
  item.status.id,
  ...item.subItems.flatMap(statuses),
];

/** The body that moves an item as it is now, and maps every status to the first of the destination. */
function bodyFor(key: string, to = 'platform') {
  const item = tasks().item(key);
  const [first] = project(to).statuses;
  return {
    targetProjectId: project(to).id,
    statusMapping: Object.fromEntries(statuses(item).map((id) => [id, first?.id])),
    baseUpdatedAt: item.updatedAt,
    subtreeTaskIds: ids(item),
  };
}
const moved = async (key: string, to?: string) => {
  const answer = await move(tasks().item(key).id, bodyFor(key, to));
  expect(answer.status).toBe(200);
  return answer.json;
};

describe('a move', () => {
  it('brings an item and all its sub-items to another project', async () => {
    const before = tasks().item('OPS-12');
    const mapping = {
      'ops-in-progress': 'plat-in-progress',
      'ops-open': 'plat-backlog',
      'ops-waiting': 'plat-backlog',
      'ops-done': 'plat-done',
    };
    const body = { ...bodyFor('OPS-12'), statusMapping: mapping };
    expect(await move(before.id, body)).toMatchObject({
      status: 200,
      json: {
        data: {
          moved: { id: before.id, key: 'PLAT-7', spaceSlug: 'eng', projectSlug: 'platform' },
          movedCount: 5,
          droppedFieldCount: 1,
        },
      },
    });
    const after = tasks().item(before.id);
    expect(ids(after)).toEqual(ids(before));
    expect(statuses(after)).toEqual([
      'plat-in-progress',
      'plat-done',
      'plat-backlog',
      'plat-backlog',
      'plat-backlog',
    ]);
    const keys = (item: ShownItem): string[] => [item.key, ...item.subItems.flatMap(keys)];
    expect(keys(after)).toEqual(['PLAT-7', 'PLAT-8', 'PLAT-9', 'PLAT-10', 'PLAT-11']);
    expect(project('platform').items.map(({ key }) => key)).toEqual(['PLAT-4', 'PLAT-6', 'PLAT-7']);
    expect(project('operations').items.map(({ key }) => key)).toEqual(['OPS-18', 'OPS-19']);
  });

  it('returns an object with data as its only member', async () => {
    expect(Object.keys(Object(await moved('OPS-18')))).toEqual(['data']);
  });

  it('keeps values that have a counterpart and archives the others', async () => {
    await moved('OPS-12');
    expect(tasks().item('PLAT-7')).toMatchObject({
      values: { Severity: 'High', Effort: '8' },
      archived: [{ field: 'Customer', value: 'Acme' }],
    });
    expect(await moved('PLAT-7', 'website')).toMatchObject({ data: { droppedFieldCount: 3 } });
    expect(tasks().item('WEB-3').values).toEqual({});
    expect(tasks().item('WEB-3').archived).toHaveLength(3);
  });

  it('lets old keys resolve, and never reuses one', async () => {
    const { id } = tasks().item('OPS-18');
    await moved('OPS-18');
    await moved('PLAT-7', 'operations');
    expect(tasks().item('OPS-18')).toMatchObject({
      id,
      key: 'OPS-20',
      formerKeys: ['OPS-18', 'PLAT-7'],
    });
    expect(tasks().item('PLAT-7').id).toBe(id);
    tasks().remove('OPS-20');
    expect(tasks().add({ project: 'operations' }, { title: 'New' }).key).toBe('OPS-21');
  });

  it('leaves the parent behind when a sub-item moves', async () => {
    await moved('OPS-13');
    expect(tasks().item('PLAT-7').subItems).toHaveLength(2);
    expect(
      tasks()
        .item('OPS-12')
        .subItems.map(({ key }) => key),
    ).toEqual(['OPS-14']);
  });

  it('uses the workflow of the given type, or else of the project', async () => {
    const body = {
      ...bodyFor('OPS-19'),
      statusMapping: { 'ops-incident-mitigated': 'plat-bug-confirmed' },
    };
    const { id } = tasks().item('OPS-19');
    expect(await move(id, body)).toMatchObject({ status: 422 });
    expect(await move(id, { ...body, targetTaskTypeId: 'plat-story' })).toMatchObject({
      status: 422,
    });
    expect(await move(id, { ...body, targetTaskTypeId: 'plat-bug' })).toMatchObject({
      status: 200,
    });
    expect(tasks().item(id)).toMatchObject({ type: 'Bug', status: { name: 'Confirmed' } });
    await moved('PLAT-7', 'website');
    expect(tasks().item(id).type).toBeNull();
  });

  it('accepts a mapping for unused statuses', async () => {
    const body = bodyFor('OPS-18');
    const statusMapping = { ...body.statusMapping, 'ops-done': 'plat-done' };
    expect(await move(tasks().item('OPS-18').id, { ...body, statusMapping })).toMatchObject({
      status: 200,
    });
  });

  it('accepts the sub-items in any order', async () => {
    const body = bodyFor('OPS-12');
    const subtreeTaskIds = [...body.subtreeTaskIds].reverse();
    expect(await move(tasks().item('OPS-12').id, { ...body, subtreeTaskIds })).toMatchObject({
      status: 200,
    });
  });
});

describe('a move is refused', () => {
  type Body = ReturnType<typeof bodyFor>;
  const other = '00000000-0000-4000-8000-000000000000';

  it.each<[number, string, (body: Body) => object]>([
    [409, 'an older time', (body) => ({ ...body, baseUpdatedAt: '2026-11-01T09:14:07.120100Z' })],
    [
      409,
      'the same time written otherwise',
      (body) => ({ ...body, baseUpdatedAt: new Date(body.baseUpdatedAt).toISOString() }),
    ],
    [
      409,
      'a sub-item missing',
      (body) => ({ ...body, subtreeTaskIds: body.subtreeTaskIds.slice(1) }),
    ],
    [
      409,
      'a sub-item too many',
      (body) => ({ ...body, subtreeTaskIds: [...body.subtreeTaskIds, other] }),
    ],
    [
      422,
      'a status without a destination',
      (body) => ({ ...body, statusMapping: { 'ops-in-progress': 'plat-done' } }),
    ],
    [
      422,
      'a destination of another project',
      (body) => ({ ...body, statusMapping: { ...body.statusMapping, 'ops-open': 'web-done' } }),
    ],
    [
      422,
      'a destination that nothing uses and that is not there',
      (body) => ({ ...body, statusMapping: { ...body.statusMapping, unused: 'nowhere' } }),
    ],
    [422, 'a type of another project', (body) => ({ ...body, targetTaskTypeId: 'ops-task' })],
    [422, 'a member nobody knows', (body) => ({ ...body, notify: true })],
    [422, 'no mapping', ({ statusMapping: _, ...body }) => body],
    [422, 'no time', ({ baseUpdatedAt: _, ...body }) => body],
    [422, 'a time that is none', (body) => ({ ...body, baseUpdatedAt: 'yesterday' })],
    [422, 'no sub-items', ({ subtreeTaskIds: _, ...body }) => body],
    [422, 'a list of statuses', (body) => ({ ...body, statusMapping: ['plat-done'] })],
    [422, 'a destination that is no id', (body) => ({ ...body, targetProjectId: 'platform' })],
    [422, 'the list itself', () => []],
    [404, 'a project that is not there', (body) => ({ ...body, targetProjectId: other })],
    [422, 'the project it is in', () => bodyFor('OPS-12', 'operations')],
  ])('with %i for %s, and nothing moves', async (status, _what, change) => {
    const before = JSON.stringify(tasks().projects());
    const { id } = tasks().item('OPS-12');
    expect(await move(id, change(bodyFor('OPS-12')))).toMatchObject({
      status,
      json: { error: expect.any(String) },
    });
    expect(JSON.stringify(tasks().projects())).toBe(before);
  });

  it('with 401 without the API key', async () => {
    const { id } = tasks().item('OPS-12');
    for (const credential of [null, 'other', sandbox.credentials.scimToken]) {
      expect(await move(id, bodyFor('OPS-12'), { credential })).toMatchObject({ status: 401 });
    }
    expect(tasks().item(id).key).toBe('OPS-12');
  });

  it.each([
    ['ops', 'moveTasks'],
    ['eng', 'createTasks'],
    ['eng', 'viewTasks'],
  ] as const)('with 403 when space %s has no permission %s', async (space, permission) => {
    sandbox.service.permit(space, { [permission]: false });
    const { id } = tasks().item('OPS-18');
    expect(await move(id, bodyFor('OPS-18'))).toMatchObject({ status: 403 });
    sandbox.service.permit(space, { [permission]: true });
    await moved('OPS-18');
  });

  it('with 403 for a destination without write access by default', async () => {
    const body = bodyFor('OPS-18', 'ledger');
    expect(await move(tasks().item('OPS-18').id, body)).toMatchObject({ status: 403 });
  });

  it('with 404 for an unknown item, or a key instead of an id', async () => {
    for (const id of [other, 'OPS-12']) {
      expect(await move(id, bodyFor('OPS-12'))).toMatchObject({ status: 404 });
    }
  });

  it('with 409 when somebody changed the item in the meantime', async () => {
    const { id } = tasks().item('OPS-12');
    const body = bodyFor('OPS-12');
    tasks().edit('OPS-12', { title: 'Other words' });
    expect(await move(id, body)).toMatchObject({ status: 409 });
    expect(await move(id, bodyFor('OPS-12'))).toMatchObject({ status: 200 });
  });

  it('with 409 when somebody added or deleted a sub-item in the meantime', async () => {
    const { id } = tasks().item('OPS-12');
    const before = bodyFor('OPS-12');
    const added = tasks().add({ below: 'OPS-14' }, { title: 'One more' });
    expect(added).toMatchObject({ key: 'OPS-20', status: { id: 'ops-open' } });
    expect(await move(id, before)).toMatchObject({ status: 409 });
    tasks().remove(added.key);
    tasks().remove('OPS-16');
    expect(await move(id, before)).toMatchObject({ status: 409 });
    expect(await move(id, bodyFor('OPS-12'))).toMatchObject({ status: 200 });
  });

  it.each([
    ['changes', 409],
    ['mapping', 422],
  ] as const)('when it is repeated, and %s are checked first: with %i', async (first, status) => {
    sandbox.service.setVariant({ moveChecksFirst: first });
    const { id } = tasks().item('OPS-12');
    const body = bodyFor('OPS-12');
    expect(await move(id, body)).toMatchObject({ status: 200 });
    expect(await move(id, body)).toMatchObject({ status });
    expect(tasks().item(id).key).toBe('PLAT-7');
  });

  it('with other statuses for an invalid request', async () => {
    const path = `/api/v1/tasks/${tasks().item('OPS-12').id}/move`;
    expect(await askService(sandbox, path)).toMatchObject({ status: 405 });
    const text = { body: bodyFor('OPS-12'), contentType: 'text/plain' };
    expect(await askService(sandbox, path, text)).toMatchObject({ status: 415 });
    expect(await askService(sandbox, path, { body: '{"targetP' })).toMatchObject({ status: 422 });
    const query = await askService(sandbox, `${path}?dryRun=1`, { body: bodyFor('OPS-12') });
    expect(query).toMatchObject({ status: 422 });
    expect(await askService(sandbox, '/api/v1/tasks/%zz/move', { body: {} })).toMatchObject({
      status: 404,
    });
    expect(tasks().item('OPS-12').key).toBe('OPS-12');
  });
});

describe('a fault of a move', () => {
  it.each([
    ['dropBefore', 'OPS-18'],
    ['dropAfter', 'PLAT-7'],
  ] as const)('of kind %s gives no answer and leaves %s', async (kind, key) => {
    sandbox.service.fault({ kind, operation: 'moveTask', times: 1 });
    const { id } = tasks().item('OPS-18');
    await expect(move(id, bodyFor('OPS-18'))).rejects.toThrow('fetch failed');
    expect(tasks().item(id).key).toBe(key);
    expect(sandbox.service.requests('moveTask')).toMatchObject([
      { token: null, ids: [id], answered: 0, hasAuthorization: true },
    ]);
  });
});

describe('reading work items', () => {
  const read = (reference: string, question?: Question) =>
    askService(sandbox, `/sandbox/v1/tasks/${encodeURIComponent(reference)}`, question);

  it.each(['OPS-13', 'https://service.example/ops/operations/OPS-13?view=board'])(
    'returns the tree of %s',
    async (reference) => {
      const leaf = { updatedAt: expect.any(String), typeId: null, subItems: [] };
      expect(await read(reference)).toMatchObject({
        status: 200,
        json: {
          id: tasks().item('OPS-13').id,
          key: 'OPS-13',
          title: 'Copy the data',
          updatedAt: tasks().item('OPS-13').updatedAt,
          status: 'ops-done',
          projectId: project('operations').id,
          typeId: null,
          subItems: [
            { ...leaf, key: 'OPS-15', status: 'ops-open' },
            { ...leaf, key: 'OPS-16', status: 'ops-waiting' },
          ],
        },
      });
    },
  );

  it('finds a moved item by its id, its key and its old key', async () => {
    await moved('OPS-18');
    const { id } = tasks().item('OPS-18');
    for (const reference of [id, 'PLAT-7', 'OPS-18']) {
      expect(await read(reference)).toMatchObject({ json: { id, key: 'PLAT-7' } });
    }
  });

  it('finds nothing else, and needs the API key', async () => {
    for (const reference of ['OPS-99', 'ops-12', 'https://service.example/', 'https://']) {
      expect(await read(reference)).toMatchObject({ status: 404 });
    }
    expect(await read('OPS-12', { credential: null })).toMatchObject({ status: 401 });
    expect(await askService(sandbox, '/api/v1/tasks/OPS-12')).toMatchObject({ status: 404 });
  });

  it('returns the projects with their types and workflows', async () => {
    const { json } = await askService(sandbox, '/sandbox/v1/projects');
    expect(json).toMatchObject({
      projects: [
        { slug: 'operations', space: 'ops', types: [{ name: 'Task', statuses: null }, {}] },
        { slug: 'platform', name: 'Platform', space: 'eng', statuses: expect.any(Array) },
        { slug: 'website', types: [] },
        { slug: 'ledger' },
      ],
    });
  });
});

it('edits by people accept only statuses of the workflow', () => {
  expect(() => tasks().edit('OPS-12', { status: 'plat-done' })).toThrow('is none of ops-open');
  expect(() => tasks().add({ project: 'nowhere' }, { title: 'x' })).toThrow('no such project');
  expect(() => tasks().item('OPS-99')).toThrow('no work item OPS-99');
});
