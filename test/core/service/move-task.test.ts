import { describe, expect, it } from 'vitest';
import { system } from '../../../src/core/lib/system.ts';
import type { TaskMove } from '../../../src/core/service/move-task.ts';
import { createServiceClient } from '../../../src/core/service/service-client.ts';
import { type Answer, failureOf, json, startTestServer } from './test-server.ts';

const move: TaskMove = {
  taskId: '1f0e9d8c-7b6a-4594-8372-615040302010',
  targetProjectId: '0b9f2c1e-5d7a-4c3b-9e21-7a1f3c5d8e90',
  statusMapping: { 'st-open': 'st-todo', 'st-done': 'st-done' },
  baseUpdatedAt: '2026-11-02T09:14:07.123456+02:00',
  subtreeTaskIds: ['1f0e9d8c-7b6a-4594-8372-615040302010', 'ITEM-B'],
  targetTaskTypeId: null,
};

/** What came of the move, and what was sent. */
async function moved(answer: Answer, changes: Partial<TaskMove> = {}, base = '') {
  await using server = await startTestServer(answer);
  await using client = createServiceClient({
    baseUrl: server.url + base,
    scimToken: 'scim',
    apiKey: 'key',
    ...system,
  });
  const outcome = await client.tasks?.move({ ...move, ...changes });
  return { outcome, seen: server.seen };
}

const whole = {
  moved: { id: move.taskId, key: 'PLAT-7', spaceSlug: 'eng', projectSlug: 'platform' },
  movedCount: 2,
  droppedFieldCount: 1,
};
const unknown = {
  kind: 'moved',
  id: null,
  key: null,
  spaceSlug: null,
  projectSlug: null,
  movedCount: null,
  droppedFieldCount: null,
};

describe('the request to move a work item', () => {
  it('carries the API key and the five members of the interface, verbatim', async () => {
    const { seen } = await moved((_, r) => json(r, 200, { data: whole }), {}, '/base/');
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: `/base/api/v1/tasks/${move.taskId}/move`,
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    });
    expect(seen[0]?.body).toBe(
      '{"targetProjectId":"0b9f2c1e-5d7a-4c3b-9e21-7a1f3c5d8e90",' +
        '"statusMapping":{"st-open":"st-todo","st-done":"st-done"},' +
        '"baseUpdatedAt":"2026-11-02T09:14:07.123456+02:00",' +
        '"subtreeTaskIds":["1f0e9d8c-7b6a-4594-8372-615040302010","ITEM-B"]}',
    );
  });

  it('names the type where one is chosen', async () => {
    const { seen } = await moved((_, r) => json(r, 200, {}), { targetTaskTypeId: 'ty-bug' });
    expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ targetTaskTypeId: 'ty-bug' });
  });

  it('carries nothing else that the caller passes', async () => {
    const extra = { ...move, title: 'Secret plan' };
    const { seen } = await moved((_, r) => json(r, 200, {}), extra);
    expect(seen[0]?.body).not.toContain('Secret plan');
  });

  it('escapes ids in the path', async () => {
    const { seen } = await moved((_, r) => json(r, 200, {}), { taskId: 'a/../b?c=#d e' });
    expect(seen[0]?.url).toBe('/api/v1/tasks/a%2F..%2Fb%3Fc%3D%23d%20e/move');
  });

  it('keeps a status id like __proto__', async () => {
    const statusMapping = Object.fromEntries([['__proto__', 'constructor']]);
    const { seen } = await moved((_, r) => json(r, 200, {}), { statusMapping });
    expect(seen[0]?.body).toContain('"statusMapping":{"__proto__":"constructor"}');
  });

  it.each(['', '.', '..', 'half\ud83d'])('is not sent for the id %j', async (taskId) => {
    const call = moved((_, r) => json(r, 200, {}), { taskId });
    expect(await failureOf(call)).toMatchObject({ class: 'refused', code: 'bad_id' });
  });

  it('cannot be made without an API key', async () => {
    await using client = createServiceClient({
      baseUrl: 'http://127.0.0.1:9',
      scimToken: 'scim',
      ...system,
    });
    expect(client.tasks).toBeNull();
  });
});

describe('a work item that was moved', () => {
  it.each([
    [{ data: whole }],
    [whole],
    [{ data: { ...whole, more: 1 }, other: {} }],
    [{ ...whole, data: {} }],
  ])('has its new place read from %j', async (body) => {
    const { outcome } = await moved((_, r) => json(r, 200, body));
    expect(outcome).toEqual({
      kind: 'moved',
      ...whole.moved,
      movedCount: 2,
      droppedFieldCount: 1,
    });
  });

  it.each([
    [
      200,
      { data: { movedCount: 2, droppedFieldCount: 0 } },
      { movedCount: 2, droppedFieldCount: 0 },
    ],
    [201, { data: { moved: { key: 'PLAT-7', id: 5 } } }, { key: 'PLAT-7' }],
    [200, { data: { moved: 'PLAT-7', movedCount: '2', droppedFieldCount: -1 } }, {}],
    [200, { data: { moved: { key: ' ' }, movedCount: 1.5, droppedFieldCount: 1e300 } }, {}],
    [200, { data: null }, {}],
    [200, [], {}],
    [200, 'moved', {}],
    [202, null, {}],
    [200, { error: 'no' }, {}],
  ])('with %i and %j is reported with what the answer contains', async (status, body, known) => {
    const { outcome } = await moved((_, r) => json(r, status, body));
    expect(outcome).toEqual({ ...unknown, ...known });
  });
});

describe('a move that the service refuses', () => {
  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [410, 'not-found'],
    [409, 'changed'],
    [422, 'invalid'],
    [400, 'invalid'],
  ])(
    "with %i is reported as %s, with the service's message, after one request",
    async (status, kind) => {
      const { outcome, seen } = await moved((_, r) => json(r, status, { error: ' No\nway. ' }));
      expect(outcome).toEqual({ kind, detail: 'No way.' });
      expect(seen).toHaveLength(1);
    },
  );

  it('is reported without a message when the service sends none', async () => {
    const { outcome } = await moved((_, r) => r.writeHead(409).end('<html>Conflict</html>'));
    expect(outcome).toEqual({ kind: 'changed', detail: null });
  });

  it.each([405, 413, 415, 429])('with %i is an error, not a result', async (status) => {
    const failure = await failureOf(moved((_, r) => json(r, status, {})));
    expect(failure).toMatchObject({ class: 'refused', status });
  });
});
