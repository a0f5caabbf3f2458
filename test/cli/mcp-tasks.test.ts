import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import {
  type SerializedTaskReference,
  type TaskEnabledSession,
  withTasks,
} from '@modelcontextprotocol/ext-tasks/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PROGRAM } from '../support/program.ts';
import { DEPLOYS, messageOf, startWorld, type World } from '../support/world.ts';

/** Approvals as tasks, which the requester of the extension's own package drives over the program's pipes. */

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

type Answer = { readonly result?: unknown; readonly error?: { code: number; message: string } };

/** One process of the program, with a client that talks to it line by line. */
function startServer() {
  const { url } = world.app;
  const secret = world.sandbox.credentials.intakeSecret;
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], {
    env: { GATEPOST_URL: url, GATEPOST_INTAKE_SECRET: secret },
  });
  const ended = once(child, 'exit');
  const waiting = new Map<number, (answer: Answer) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, ...answer } = JSON.parse(line);
    waiting.get(id)?.(answer);
  });
  return {
    call(method: string, params: object): Promise<Answer> {
      const id = waiting.size + 1;
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return new Promise((resolve) => void waiting.set(id, resolve));
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

function envelope(capabilities: object) {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

/** A client of revision 2026-07-28; without `capabilities` it takes tasks. */
function startAgent(capabilities: object = TASKS) {
  const server = startServer();
  const call = (method: string, params: object) =>
    server.call(method, { ...params, _meta: envelope(capabilities) });
  const session: TaskEnabledSession = withTasks({
    endpointId: 'gatepost',
    taskCapabilities: { generation: 'v2', capabilities: {} },
    invalidated: false,
    async dispatch(request) {
      // as: the package makes requests
      const { method, params } = request as { method: string; params: object };
      const { result, error } = await call(method, params);
      // as: it arrived as JSON
      if (error !== undefined) return { kind: 'error', error };
      return { kind: 'result', result: result as Record<string, string> };
    },
    onServerRequest: () => () => {},
    onNotification: () => () => {},
    onInvalidated: () => () => {},
  });
  return {
    call,
    session,
    kill: () => server.kill(),
    async [Symbol.asyncDispose]() {
      await session.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const DEPLOY = { title: 'Apply the plan', change: 'terraform apply', reviewers: ['U0ANA'] };

async function taskIn({ session }: ReturnType<typeof startAgent>, given = {}) {
  const execution = await session.callTool('request_approval', { ...DEPLOY, ...given });
  if (execution.kind !== 'task') throw new Error('no task');
  return execution;
}

/** The task's id begins with that of the approval. */
async function messageFor(taskId: string): Promise<string> {
  const { workspace } = world.sandbox;
  const [id = ''] = taskId.split('.');
  return (await world.sandbox.until(() => messageOf(workspace.messages(DEPLOYS), id))).ts;
}

test('a request becomes a task that another process can resume, and the decision is its result', async () => {
  let reference: SerializedTaskReference;
  let ts: string;
  {
    const agent = startAgent();
    const execution = await taskIn(agent);
    const { taskId } = execution.handle;
    ts = await messageFor(taskId);
    expect(await agent.session.task(taskId).snapshot()).toMatchObject({
      status: 'working',
      statusMessage: expect.stringMatching(/^Waiting for Ana: http.*\/archives\//),
    });
    reference = execution.serializeReference();
    // The package cancels its tasks when it is closed; nothing does when the process dies.
    await agent.kill();
  }
  await using later = startAgent();
  const resumed = await later.session.resumeTask(reference);
  await world.click('U0ANA', ts, 'Approve');
  const text = 'APPROVED by Ana (U0ANA). Do exactly what was approved, and nothing else.';
  expect(await resumed.result()).toMatchObject({
    status: 'completed',
    result: {
      content: [{ text }],
      structuredContent: { status: 'APPROVED', approved: true, by: ['U0ANA'] },
    },
  });
});

test('a rejection is a result, not an error that an agent would retry', async () => {
  await using agent = startAgent();
  const execution = await taskIn(agent, { key: 'rejected' });
  await world.click('U0ANA', await messageFor(execution.handle.taskId), 'Reject');
  const outcome = await execution.result();
  expect(outcome).toMatchObject({
    status: 'completed',
    result: { structuredContent: { status: 'REJECTED', approved: false } },
  });
  expect(outcome).not.toHaveProperty('result.isError');
  // A decided request needs no task.
  const again = await agent.session.callTool('request_approval', { ...DEPLOY, key: 'rejected' });
  expect(again.kind).toBe('immediate');
  expect(await again.result()).toMatchObject({
    result: { content: [{ text: expect.stringContaining('REJECTED by Ana (U0ANA).') }] },
  });
});

test('cancelling the task withdraws the request', async () => {
  await using agent = startAgent();
  const { handle } = await taskIn(agent);
  const ts = await messageFor(handle.taskId);
  await agent.session.cancelTask(handle.taskId);
  await world.until(ts, /Withdrawn/);
  expect(await agent.session.task(handle.taskId).snapshot()).toMatchObject({
    status: 'cancelled',
    statusMessage: 'WITHDRAWN. It is not approved.',
  });
});

test('a client without support for tasks gets none', async () => {
  await using agent = startAgent({});
  const { result } = await agent.call('tools/call', {
    name: 'request_approval',
    arguments: DEPLOY,
  });
  expect(result).toMatchObject({
    resultType: 'complete',
    structuredContent: { status: 'PENDING', approved: false, reviewers: { users: ['U0ANA'] } },
  });
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const { error } = await agent.call(method, { taskId: '0-unknown' });
    expect(error, method).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: TASKS },
    });
  }
});

test('a task that Gatepost does not know is an error', async () => {
  await using agent = startAgent();
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const { error } = await agent.call(method, { taskId: '0-unknown' });
    expect(error, method).toMatchObject({ code: -32_602 });
  }
});

test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'a client of revision %s gets the tools, and no tasks',
  async (protocolVersion) => {
    await using server = startServer();
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion, capabilities: TASKS, clientInfo };
    const { result } = await server.call('initialize', params);
    expect(result).toMatchObject({ protocolVersion, capabilities: { tools: {} } });
    expect(result).not.toHaveProperty('capabilities.extensions');
    const listed = await server.call('tools/list', {});
    expect(listed).toHaveProperty('result.tools.length', 3);
  },
);
