import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import {
  StdioClientTransport,
  type StdioServerParameters,
} from '@modelcontextprotocol/client/stdio';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, test } from 'vitest';
import { startStage } from '../e2e/crash/stage.ts';
import { openDoor } from '../e2e/door.ts';
import { startFakeGate } from '../support/fake-gate.ts';
import { PROGRAM } from '../support/program.ts';
import { DEPLOYS, messageOf } from '../support/world.ts';
import { runHere } from './run-here.ts';

interface Said {
  readonly text: string;
  readonly isError: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

const SELF = { name: 'test', version: '1' };
const PATIENCE = { timeout: 300_000 };

/** The official clients: of revision 2026-07-28, and of those before it. */
const CLIENTS = {
  async current(server: StdioServerParameters) {
    const client = new Client(SELF, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StdioClientTransport(server));
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    return {
      list: () => client.listTools(),
      call: (tool: Call) => client.callTool(tool, PATIENCE),
      close: () => client.close(),
    };
  },
  async former(server: StdioServerParameters) {
    const client = new FormerClient(SELF);
    await client.connect(new FormerTransport(server));
    return {
      list: () => client.listTools(),
      call: (tool: Call) => client.callTool(tool, undefined, PATIENCE),
      close: () => client.close(),
    };
  },
};

interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

type Env = Readonly<Record<string, string>>;

/** An agent with the program as its server. */
async function startAgent(of: keyof typeof CLIENTS, url: string, secret: string, more: Env = {}) {
  const client = await CLIENTS[of]({
    command: process.execPath,
    args: [PROGRAM, 'mcp'],
    env: {
      PATH: process.env.PATH ?? '',
      GATEPOST_URL: url,
      GATEPOST_INTAKE_SECRET: secret,
      ...more,
    },
    stderr: 'pipe',
  });
  return {
    tools: async () => (await client.list()).tools.map(({ name }) => name),
    async call(name: string, args: Record<string, unknown>): Promise<Said> {
      const answer = await client.call({ name, arguments: args });
      // as: our tools answer with one text
      const [content] = answer.content as [{ text: string }];
      const facts = (answer.structuredContent ?? {}) as Record<string, unknown>;
      return { text: content.text, isError: answer.isError === true, facts };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const DEPLOY = {
  title: 'Apply the plan',
  change: 'terraform apply -auto-approve plan.out',
  reviewers: ['U0ANA'],
};

test('an agent asks, waits, and goes on across a restart of Gatepost', async () => {
  await using stage = await startStage('embedded');
  await using door = await openDoor(() => 'any');
  door.leadTo(stage.bot.url);
  const { intakeSecret } = stage.sandbox.credentials;
  await using agent = await startAgent('former', door.url, intakeSecret);
  expect(await agent.tools()).toEqual(['request_approval', 'wait_for_approval', 'withdraw']);

  const asked = await agent.call('request_approval', { ...DEPLOY, key: 'agents/7' });
  expect(asked).toMatchObject({ isError: false, facts: { status: 'PENDING' } });
  expect(asked.text).toContain('Nobody has decided yet');
  const id = String(asked.facts.id);
  const again = await agent.call('request_approval', { ...DEPLOY, key: 'agents/7' });
  expect(again.facts.id).toBe(id);
  const other = await agent.call('request_approval', {
    ...DEPLOY,
    key: 'agents/7',
    change: 'rm -rf /',
  });
  expect(other).toMatchObject({ isError: true });
  expect(other.text).toContain('Nothing is approved.');

  const long = { ...DEPLOY, change: '漢'.repeat(40_001) };
  const tooLong = await agent.call('request_approval', long);
  expect(tooLong).toMatchObject({ isError: true });
  expect(tooLong.text).toContain('has 40,001 characters; 40,000 are possible');
  const longest = { ...DEPLOY, change: '𐐀'.repeat(40_000), key: 'agents/8' };
  expect(await agent.call('request_approval', longest)).toMatchObject({ isError: false });

  const { workspace } = stage.sandbox;
  const message = await stage.sandbox.until(() => messageOf(workspace.messages(DEPLOYS), id));
  expect(stage.read(message.ts)).toContain(DEPLOY.change);
  const pending = await agent.call('wait_for_approval', { id, seconds: 1 });
  expect(pending).toMatchObject({ isError: false, facts: { status: 'PENDING' } });
  expect(pending.text).toMatch(/no denial.*call wait_for_approval again/);

  const waiting = agent.call('wait_for_approval', { id });
  await stage.restart();
  door.leadTo(stage.bot.url);
  await stage.click('U0ANA', message.ts, 'Approve');
  let last = await waiting;
  // A slow machine may take longer than a call waits: an agent calls again, as it is told to.
  while (last.facts.status === 'PENDING') last = await agent.call('wait_for_approval', { id });
  expect(last).toMatchObject({
    isError: false,
    facts: { id, status: 'APPROVED', by: ['U0ANA'] },
    text: 'APPROVED by Ana (U0ANA). Do exactly what was approved, and nothing else.',
  });
  const known = await agent.call('request_approval', { ...DEPLOY, key: 'agents/7' });
  expect(known).toMatchObject({ isError: false, facts: { id, status: 'APPROVED' } });
  expect(known.text).toContain('APPROVED by Ana (U0ANA).');
});

test('an agent is told about a rejection, can withdraw a request, and is told when Gatepost is away', async () => {
  await using stage = await startStage('embedded');
  await using door = await openDoor(() => 'any');
  door.leadTo(stage.bot.url);
  const { intakeSecret } = stage.sandbox.credentials;
  await using agent = await startAgent('current', door.url, intakeSecret);
  const { workspace } = stage.sandbox;

  const first = await agent.call('request_approval', DEPLOY);
  const message = await stage.sandbox.until(() =>
    messageOf(workspace.messages(DEPLOYS), String(first.facts.id)),
  );
  await stage.click('U0ANA', message.ts, 'Reject');
  const rejected = await agent.call('wait_for_approval', { id: first.facts.id });
  expect(rejected).toMatchObject({ isError: false, facts: { status: 'REJECTED' } });

  const second = await agent.call('request_approval', DEPLOY);
  expect(second.facts.id).not.toBe(first.facts.id);
  const withdrawn = await agent.call('withdraw', { id: second.facts.id });
  expect(withdrawn.facts).toMatchObject({ status: 'WITHDRAWN' });
  const over = await agent.call('wait_for_approval', { id: second.facts.id });
  expect(over.text).toBe('WITHDRAWN. It is not approved.');

  const unknown = await agent.call('wait_for_approval', { id: '0-unknown' });
  expect(unknown).toMatchObject({ isError: true });
  await door.shut();
  const away = await agent.call('wait_for_approval', { id: first.facts.id });
  expect(away).toMatchObject({ isError: false, facts: { status: 'PENDING' } });
  expect(away.text).toContain('no denial and no approval');
  const unasked = await agent.call('request_approval', DEPLOY);
  expect(unasked).toMatchObject({ isError: true });
});

test('whose agent it is cannot approve what it asks for', async () => {
  await using stage = await startStage('embedded');
  const { intakeSecret } = stage.sandbox.credentials;
  const { workspace } = stage.sandbox;
  const git = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'user.email',
    GIT_CONFIG_VALUE_0: 'ana@example.com',
  };
  await using agent = await startAgent('current', stage.bot.url, intakeSecret, git);
  const { facts } = await agent.call('request_approval', { title: 'Apply', change: 'make' });
  const id = String(facts.id);
  const { ts } = await stage.sandbox.until(() => messageOf(workspace.messages(DEPLOYS), id));
  await stage.click('U0ANA', ts, 'Approve');
  const refused = () => stage.told('U0ANA').find((text) => text.includes('You asked for'));
  expect(await stage.sandbox.until(refused)).toContain('so somebody else has to decide');
  await stage.click('U0BEN', ts, 'Approve');
  let last = await agent.call('wait_for_approval', { id });
  while (last.facts.status === 'PENDING') last = await agent.call('wait_for_approval', { id });
  expect(last.facts).toMatchObject({ status: 'APPROVED', by: ['U0BEN'] });
});

test.each([
  [{ GATEPOST_REQUESTED_BY: 'U0ANA' }, { slackUser: 'U0ANA' }, 'Asked in the name of U0ANA'],
  [
    { GATEPOST_REQUESTED_BY: 'none' },
    undefined,
    "Asked in nobody's name: GATEPOST_REQUESTED_BY is none",
  ],
  [
    { GIT_DIR: '/nowhere', HOME: '/nowhere', GITHUB_TRIGGERING_ACTOR: 'octocat' },
    { login: 'octocat', at: 'github' },
    'Asked in the name of octocat (GitHub)',
  ],
  [{ PATH: '/nowhere' }, undefined, undefined],
])('with %j a request names %j, and the server says so once', async (more, requestedBy, said) => {
  await using gate = await startFakeGate();
  const parameters = {
    command: process.execPath,
    args: [PROGRAM, 'mcp'],
    env: {
      PATH: process.env.PATH ?? '',
      GATEPOST_URL: gate.url,
      GATEPOST_INTAKE_SECRET: 's',
      ...more,
    },
    stderr: 'pipe' as const,
  };
  const transport = new StdioClientTransport(parameters);
  let heard = '';
  transport.stderr?.on('data', (chunk) => {
    heard += chunk;
  });
  const client = new Client(SELF, { versionNegotiation: { mode: 'auto' } });
  await client.connect(transport);
  for (const title of ['One', 'Two']) {
    await client.callTool(
      { name: 'request_approval', arguments: { title, change: 'x' } },
      PATIENCE,
    );
  }
  await client.close();
  expect(gate.requests.map(({ body }) => body.requestedBy)).toEqual([requestedBy, requestedBy]);
  expect(heard).toBe(said === undefined ? '' : `${said}\n`);
});

test('an invalid GATEPOST_REQUESTED_BY ends it with 2', async () => {
  const env = { GATEPOST_URL: 'http://127.0.0.1:9', GATEPOST_INTAKE_SECRET: 's' };
  const { code, err } = await runHere(['mcp'], { env: { ...env, GATEPOST_REQUESTED_BY: 'a@@b' } });
  expect(code).toBe(2);
  expect(err).toMatch(/^error: GATEPOST_REQUESTED_BY must be an e-mail address/);
  expect(err).not.toContain('a@@b');
});

test('what clients send for nothing is read, and what cannot be read is answered', async () => {
  await using gate = await startFakeGate();
  const env = { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 's', PATH: '/nowhere' };
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], { env });
  const ended = once(child, 'exit');
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await answers.next()).value);
  const send = (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const message = (id: number, method: string, params: unknown) => {
    return { jsonrpc: '2.0', id, method, params };
  };
  child.stdin.write('\ufeff');
  const clientInfo = { name: 'test', version: '1' };
  send(message(1, 'initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo }));
  expect(await next()).toMatchObject({ id: 1, result: { protocolVersion: '2025-03-26' } });
  send({ jsonrpc: '2.0', method: 'notifications/initialized', params: null });
  send([message(2, 'tools/list', null), message(3, 'ping', null)]);
  const both = [await next(), await next()].toSorted((one, other) => one.id - other.id);
  expect(both).toMatchObject([
    { id: 2, result: { tools: { length: 3 } } },
    { id: 3, result: {} },
  ]);
  send(message(4, 'ping', 'x'));
  expect(await next()).toMatchObject({ id: 4, error: { code: -32_600 } });
  send(message(5, 'tools/call', { name: 'withdraw', arguments: null }));
  expect(await next()).toMatchObject({ id: 5, result: { isError: true } });
  const nothing = { key: null, message: '', reviewers: '["U0ANA"]', timeoutSeconds: '600' };
  const given = { title: 'Apply', change: 'make', ...nothing };
  const before = Date.now();
  send(message(6, 'tools/call', { name: 'request_approval', arguments: given, _meta: null }));
  expect(await next()).toMatchObject({
    id: 6,
    result: { structuredContent: { status: 'APPROVED' } },
  });
  child.stdin.end();
  await ended;
  const [body = {}] = gate.requests.map((request) => request.body);
  expect(body).toEqual({
    key: expect.stringMatching(/^agent-/),
    title: 'Apply',
    change: 'make',
    reviewers: { users: ['U0ANA'], groups: [] },
    expiresAt: expect.any(String),
  });
  const leftMs = Date.parse(String(body.expiresAt)) - before;
  expect(leftMs).toBeGreaterThanOrEqual(600_000 - 1_000);
  expect(leftMs).toBeLessThan(86_400_000);
});

describe('the server ends by itself', () => {
  /** A Gatepost that answers as `answer` does, or never. */
  async function startGate(answer: (response: ServerResponse) => void = () => {}) {
    const server = createServer((_request, response) => answer(response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // as: it listens on a port
    return {
      env: { GATEPOST_URL: `http://127.0.0.1:${port}`, GATEPOST_INTAKE_SECRET: 'secret' },
      called: once(server, 'request'),
      async [Symbol.asyncDispose]() {
        server.closeAllConnections();
        server.close();
      },
    };
  }

  const write = ({ stdin }: ChildProcessWithoutNullStreams, message: object) =>
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const INITIALIZE = {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  };
  const callTo = (name: string, given: object) => ({
    id: 2,
    method: 'tools/call',
    params: { name, arguments: given },
  });

  async function startServer(env: Readonly<Record<string, string>>) {
    const child = spawn(process.execPath, [PROGRAM, 'mcp'], { env });
    child.stdin.on('error', () => {});
    write(child, INITIALIZE);
    await once(child.stdout, 'data');
    write(child, { method: 'notifications/initialized' });
    return child;
  }

  const LEAVING = {
    'closes its end': ({ stdin }: ChildProcessWithoutNullStreams) => void stdin.end(),
    'is gone': ({ stdin, stdout }: ChildProcessWithoutNullStreams) => {
      stdout.destroy();
      stdin.destroy();
    },
  };
  const later = (response: ServerResponse) => {
    response.writeHead(503, { 'retry-after': '300' }).end();
  };
  const ASKS = callTo('request_approval', DEPLOY);
  const WAITS = callTo('wait_for_approval', { id: '0-a' });

  describe.each(Object.entries(LEAVING))('when its client %s', (_how, leave) => {
    test.each([
      ['nothing goes on', undefined, undefined],
      ['it asks', ASKS, undefined],
      ['it waits for a decision', WAITS, undefined],
      ['it waits to ask again', ASKS, later],
      ['it takes a request back', callTo('withdraw', { id: '0-a' }), undefined],
    ])('while %s', async (_what, call, answer) => {
      await using gate = await startGate(answer);
      const child = await startServer(gate.env);
      const ended = once(child, 'exit');
      if (call !== undefined) {
        write(child, call);
        await gate.called;
      }
      leave(child);
      expect(await ended).toEqual([0, null]);
    });

    test('while it starts', async () => {
      await using gate = await startGate();
      const child = spawn(process.execPath, [PROGRAM, 'mcp'], { env: gate.env });
      const ended = once(child, 'exit');
      leave(child);
      expect(await ended).toEqual([0, null]);
    });
  });

  test('when a message is longer than it reads', async () => {
    await using gate = await startGate();
    const child = await startServer(gate.env);
    const ended = once(child, 'exit');
    child.stdin.write('x'.repeat(11_000_000));
    expect(await ended).toEqual([0, null]);
  });

  test('when its output is closed, even if its input stays open', async () => {
    await using gate = await startGate();
    const child = await startServer(gate.env);
    const ended = once(child, 'exit');
    child.stdout.destroy();
    await once(child.stdout, 'close');
    write(child, WAITS);
    await gate.called;
    write(child, { id: 3, method: 'ping' });
    expect(await ended).toEqual([141, null]);
  });
});

test('without settings it ends with 2', async () => {
  expect(await runHere(['mcp'])).toMatchObject({ code: 2, out: '' });
});
