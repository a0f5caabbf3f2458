import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { system } from '../../../src/core/lib/system.ts';
import {
  createServiceClient,
  type ServiceClient,
} from '../../../src/core/service/service-client.ts';
import type { Task, TaskNode } from '../../../src/core/service/task.ts';
import { failureOf } from './test-server.ts';

let sandbox: Sandbox;
let client: ServiceClient;

beforeAll(async () => {
  sandbox = await startSandbox();
  client = clientWith(sandbox.credentials.apiKey);
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
});
beforeEach(() => sandbox.reset());

const clientWith = (apiKey: string) =>
  createServiceClient({
    baseUrl: sandbox.serviceUrl,
    scimToken: null,
    apiKey,
    dialect: { approval: { auth: 'none' }, task: { path: '/sandbox/v1/tasks' } },
    ...system,
  });
const tasks = ({ tasks }: ServiceClient = client) => tasks ?? expect.unreachable();
const read = (reference: string) => tasks().read?.(reference) ?? expect.unreachable();

async function taskNamed(key: string): Promise<Task> {
  const found = await read(key);
  return found.kind === 'found' ? found.task : expect.unreachable();
}

const all = (node: TaskNode): TaskNode[] => [node, ...node.subItems.flatMap(all)];

/** Everything to the first status of Platform. */
function moveOf(task: Task) {
  const platform = sandbox.service.tasks.projects().find(({ slug }) => slug === 'platform');
  const nodes = all(task);
  const first = platform?.statuses[0]?.id ?? '';
  return {
    taskId: task.id,
    targetProjectId: platform?.id ?? '',
    statusMapping: Object.fromEntries(nodes.map(({ status }) => [status, first])),
    baseUpdatedAt: task.updatedAt,
    subtreeTaskIds: nodes.map(({ id }) => id),
    targetTaskTypeId: null,
  };
}

describe('a work item of the sandbox', () => {
  it('is read, moved, and then found under both keys', async () => {
    const task = await taskNamed('OPS-12');
    expect(all(task)).toHaveLength(5);
    expect(await tasks().move(moveOf(task))).toEqual({
      kind: 'moved',
      id: task.id,
      key: 'PLAT-7',
      spaceSlug: 'eng',
      projectSlug: 'platform',
      movedCount: 5,
      droppedFieldCount: 1,
    });
    expect((await taskNamed('OPS-12')).key).toBe('PLAT-7');
    expect((await taskNamed('PLAT-7')).projectId).toBe(moveOf(task).targetProjectId);
  });

  it('is not moved when it was changed after it was read', async () => {
    const task = await taskNamed('OPS-12');
    sandbox.service.tasks.edit('OPS-12', { title: 'Other words' });
    expect(await tasks().move(moveOf(task))).toMatchObject({ kind: 'changed' });
    const again = await taskNamed('OPS-12');
    expect(again.title).toBe('Other words');
    expect(await tasks().move(moveOf(again))).toMatchObject({ kind: 'moved' });
  });

  it.each(['string', 'object', 'detail', 'html'] as const)(
    'is refused with errors in the form %s',
    async (errorShape) => {
      sandbox.service.setVariant({ errorShape });
      const move = moveOf(await taskNamed('OPS-12'));
      const detail = errorShape === 'html' ? null : expect.stringContaining('statusMapping');
      expect(await tasks().move({ ...move, statusMapping: {} })).toEqual({
        kind: 'invalid',
        detail,
      });
      expect(await tasks().move({ ...move, taskId: 'nowhere' })).toMatchObject({
        kind: 'not-found',
      });
      sandbox.service.permit('ops', { moveTasks: false });
      expect(await tasks().move(move)).toMatchObject({ kind: 'forbidden' });
      await using stranger = clientWith('another');
      expect(await tasks(stranger).move(move)).toMatchObject({ kind: 'unauthorized' });
      expect(await tasks(stranger).read?.('OPS-12')).toMatchObject({ kind: 'unauthorized' });
      expect(await read('OPS-99')).toMatchObject({ kind: 'not-found' });
    },
  );

  it('may or may not be moved when the answer is lost, and reading it again tells', async () => {
    const move = moveOf(await taskNamed('OPS-18'));
    sandbox.service.fault({ kind: 'dropBefore', operation: 'moveTask', times: 1 });
    expect(await failureOf(tasks().move(move))).toMatchObject({ class: 'ambiguous' });
    expect((await taskNamed('OPS-18')).key).toBe('OPS-18');
    sandbox.service.fault({ kind: 'dropAfter', operation: 'moveTask', times: 1 });
    expect(await failureOf(tasks().move(move))).toMatchObject({ class: 'ambiguous' });
    expect((await taskNamed('OPS-18')).key).toBe('PLAT-7');
    expect(await tasks().move(move)).toMatchObject({ kind: 'changed' });
  });

  it('counts as moved when the answer is unreadable', async () => {
    const move = moveOf(await taskNamed('OPS-18'));
    sandbox.service.fault({ kind: 'unreadable', operation: 'moveTask', times: 1 });
    expect(await tasks().move(move)).toMatchObject({ kind: 'moved', key: null });
    expect((await taskNamed('OPS-18')).key).toBe('PLAT-7');
  });
});
