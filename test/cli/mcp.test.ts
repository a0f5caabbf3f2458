import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { startStage } from '../e2e/crash/stage.ts';
import { openDoor } from '../e2e/door.ts';
import { startBotProcess } from '../support/bot-process.ts';
import { connectAgent, type Generation } from '../support/mcp-clients.ts';
import { PROGRAM } from '../support/program.ts';
import { canStartRedis } from '../support/redis.ts';
import { withResolvers } from '../support/with-resolvers.ts';
import { DEPLOYS, messageOf } from '../support/world.ts';
import { runHere } from './run-here.ts';

type Env = Readonly<Record<string, string>>;

/** An agent with the program as its server. */
function startAgent(of: Generation, url: string, secret: string, more: Env = {}) {
  return connectAgent(of, {
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
}

/** The request that a handle waits for. */
function requestOf({ facts }: { readonly facts: Readonly<Record<string, unknown>> }): string {
  return String(facts.id).split('.')[0] ?? '';
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
  // A slow machine may take longer than a call waits, or than Gatepost may be away: an agent calls again, as it is told to.
  const isToGoOn = () =>
    last.facts.status === 'PENDING' || last.text.endsWith('To go on, make the same call again.');
  while (isToGoOn()) last = await agent.call('wait_for_approval', { id });
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
    messageOf(workspace.messages(DEPLOYS), requestOf(first)),
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
  const calls = [
    agent.call('wait_for_approval', { id: first.facts.id }),
    agent.call('request_approval', DEPLOY),
  ];
  for (const { text, isError } of await Promise.all(calls)) {
    expect({ text, isError }).toEqual({
      text: expect.stringMatching(
        /^Gatepost cannot be reached at .*This is no denial, and nothing is approved\./,
      ),
      isError: true,
    });
  }
});

test('a connection that a proxy cuts, and another process of the agent, change nothing', async () => {
  await using stage = await startStage('embedded');
  await using door = await openDoor(() => 'any');
  door.leadTo(stage.bot.url);
  const { intakeSecret } = stage.sandbox.credentials;
  const { workspace } = stage.sandbox;
  let asked: Awaited<ReturnType<Awaited<ReturnType<typeof startAgent>>['call']>>;
  {
    await using agent = await startAgent('former', door.url, intakeSecret);
    asked = await agent.call('request_approval', DEPLOY);
  }
  await using agent = await startAgent('current', door.url, intakeSecret);
  const again = await agent.call('request_approval', DEPLOY);
  expect(requestOf(again)).toBe(requestOf(asked));
  const { promise: isWaiting, resolve } = withResolvers();
  const waiting = agent.call(
    'wait_for_approval',
    { id: again.facts.id },
    { onprogress: () => resolve() },
  );
  await isWaiting;
  door.cut();
  const { ts } = await stage.sandbox.until(() =>
    messageOf(workspace.messages(DEPLOYS), requestOf(asked)),
  );
  await stage.click('U0ANA', ts, 'Approve');
  let last = await waiting;
  while (last.facts.status === 'PENDING')
    last = await agent.call('wait_for_approval', { id: again.facts.id });
  expect(last.facts).toMatchObject({ status: 'APPROVED', approved: true });
  const other = await agent.call('wait_for_approval', { id: asked.facts.id });
  expect(other).toMatchObject({ isError: false, facts: { status: 'USED', approved: false } });
});

test('a cancelled wait ends, and withdraws nothing', async () => {
  await using stage = await startStage('embedded');
  const { intakeSecret } = stage.sandbox.credentials;
  await using agent = await startAgent('former', stage.bot.url, intakeSecret);
  const { facts } = await agent.call('request_approval', DEPLOY);
  const cancelled = new AbortController();
  const { promise: isWaiting, resolve } = withResolvers();
  const waiting = agent.call(
    'wait_for_approval',
    { id: facts.id },
    { signal: cancelled.signal, onprogress: () => resolve() },
  );
  await isWaiting;
  cancelled.abort();
  await expect(waiting).rejects.toThrow();
  const now = await agent.call('wait_for_approval', { id: facts.id, seconds: 1 });
  expect(now.facts).toMatchObject({ status: 'PENDING' });
});

test.skipIf(!(await canStartRedis()))('any of two replicas answers the next call', async () => {
  await using stage = await startStage('redis');
  await using other = await startBotProcess(stage.sandbox, stage.env);
  await using door = await openDoor(() => 'any');
  const { intakeSecret } = stage.sandbox.credentials;
  const { workspace } = stage.sandbox;
  door.leadTo(stage.bot.url);
  await using agent = await startAgent('current', door.url, intakeSecret);
  const asked = await agent.call('request_approval', DEPLOY);
  door.leadTo(other.url);
  const again = await agent.call('request_approval', DEPLOY);
  expect(requestOf(again)).toBe(requestOf(asked));
  const { ts } = await stage.sandbox.until(() =>
    messageOf(workspace.messages(DEPLOYS), requestOf(asked)),
  );
  await stage.click('U0ANA', ts, 'Approve');
  const got: unknown[] = [];
  for (const [replica, { facts }] of [
    [other, asked],
    [stage.bot, again],
    [stage.bot, asked],
  ] as const) {
    door.leadTo(replica.url);
    let last = await agent.call('wait_for_approval', { id: facts.id });
    while (last.facts.status === 'PENDING')
      last = await agent.call('wait_for_approval', { id: facts.id });
    got.push(last.facts.approved);
  }
  expect(got).toEqual([true, false, true]);
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
  const asked = await agent.call('request_approval', { title: 'Apply', change: 'make' });
  const { id } = asked.facts;
  const { ts } = await stage.sandbox.until(() =>
    messageOf(workspace.messages(DEPLOYS), requestOf(asked)),
  );
  await stage.click('U0ANA', ts, 'Approve');
  const refused = () => stage.told('U0ANA').find((text) => text.includes('You asked for'));
  expect(await stage.sandbox.until(refused)).toContain('so somebody else has to decide');
  await stage.click('U0BEN', ts, 'Approve');
  let last = await agent.call('wait_for_approval', { id });
  while (last.facts.status === 'PENDING') last = await agent.call('wait_for_approval', { id });
  expect(last.facts).toMatchObject({ status: 'APPROVED', by: ['U0BEN'] });
});

/** A Gatepost that takes messages, and answers each with an empty result. */
async function startEndpoint() {
  const requests: { headers: IncomingHttpHeaders; message: { id?: number; method: string } }[] = [];
  const server = createServer(async (request, response) => {
    const message = JSON.parse(await text(request));
    requests.push({ headers: request.headers, message });
    const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: SELF };
    if (message.id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const SELF = { name: 'test', version: '1' };

/** The program, and its answers one after another. */
function startProgram(env: Env) {
  const child = spawn(process.execPath, [PROGRAM, 'mcp'], { env });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    next: async () => JSON.parse((await answers.next()).value),
    send: (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`),
  };
}

function message(id: number, method: string, params: unknown) {
  return { jsonrpc: '2.0', id, method, params };
}

const INITIALIZING = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: SELF };

test.each([
  [{ GATEPOST_REQUESTED_BY: 'U0ANA' }, 'U0ANA', 'Asked in the name of U0ANA'],
  [{ GATEPOST_REQUESTED_BY: 'Zoë 100%' }, 'Zo%C3%AB 100%25', 'Asked in the name of Zoë 100%'],
  [
    { GATEPOST_REQUESTED_BY: 'none' },
    undefined,
    "Asked in nobody's name: GATEPOST_REQUESTED_BY is none",
  ],
  [
    { GIT_DIR: '/nowhere', HOME: '/nowhere', GITHUB_TRIGGERING_ACTOR: 'octocat' },
    'github:octocat',
    'Asked in the name of octocat (GitHub)',
  ],
  [{ PATH: '/nowhere' }, undefined, undefined],
])('with %j each message names %j, and the program says so once', async (more, named, said) => {
  await using gate = await startEndpoint();
  const { child, send, next } = startProgram({
    PATH: process.env.PATH ?? '',
    GATEPOST_URL: gate.url,
    GATEPOST_INTAKE_SECRET: 's',
    ...more,
  });
  const heard = text(child.stderr);
  send(message(1, 'initialize', INITIALIZING));
  await next();
  send(message(2, 'tools/call', { name: 'withdraw', arguments: { id: '0-a' } }));
  await next();
  child.stdin.end();
  expect(await heard).toBe(said === undefined ? '' : `${said}\n`);
  expect(gate.requests.map(({ headers }) => headers['gatepost-requested-by'])).toEqual([
    named,
    named,
  ]);
});

test('messages bring the headers of their revision', async () => {
  await using gate = await startEndpoint();
  const { child, send, next } = startProgram({
    PATH: '/nowhere',
    GATEPOST_URL: gate.url,
    GATEPOST_INTAKE_SECRET: 'the-secret',
  });
  send(message(1, 'initialize', INITIALIZING));
  await next();
  send(message(2, 'ping', {}));
  await next();
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
  send(message(3, 'tools/call', { name: 'withdraw', arguments: {}, _meta }));
  await next();
  send(message(4, 'tasks/get', { taskId: 'ä', _meta }));
  await next();
  child.stdin.end();
  const shown = gate.requests.map(({ headers }) => [
    headers['mcp-protocol-version'],
    headers['mcp-method'],
    headers['mcp-name'],
  ]);
  expect(shown).toEqual([
    [undefined, undefined, undefined],
    ['2025-06-18', undefined, undefined],
    ['2026-07-28', 'tools/call', 'withdraw'],
    ['2026-07-28', 'tasks/get', '=?base64?w6Q=?='],
  ]);
  expect(gate.requests[0]?.headers.authorization).toBe('Bearer the-secret');
});

test('a wrong secret is named, and not shown', async () => {
  await using stage = await startStage('embedded');
  const { child, send, next } = startProgram({
    PATH: '/nowhere',
    GATEPOST_URL: stage.bot.url,
    GATEPOST_INTAKE_SECRET: 'a-wrong-secret',
  });
  send(message(1, 'initialize', INITIALIZING));
  const answer = JSON.stringify(await next());
  child.stdin.end();
  expect(answer).toMatch(/GATEPOST_INTAKE_SECRET is not what .* Nothing is approved\./);
  expect(answer).not.toContain('a-wrong-secret');
});

test('an invalid GATEPOST_REQUESTED_BY ends it with 2', async () => {
  const env = { GATEPOST_URL: 'http://127.0.0.1:9', GATEPOST_INTAKE_SECRET: 's' };
  const { code, err } = await runHere(['mcp'], { env: { ...env, GATEPOST_REQUESTED_BY: 'a@@b' } });
  expect(code).toBe(2);
  expect(err).toMatch(/^error: GATEPOST_REQUESTED_BY must be an e-mail address/);
  expect(err).not.toContain('a@@b');
});

test('what clients send for nothing is read, and what cannot be read is answered', async () => {
  await using stage = await startStage('embedded');
  const { child, send, next } = startProgram({
    GATEPOST_URL: stage.bot.url,
    GATEPOST_INTAKE_SECRET: stage.sandbox.credentials.intakeSecret,
    PATH: '/nowhere',
  });
  const ended = once(child, 'exit');
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
  send(message(6, 'tools/call', { name: 'request_approval', arguments: given, _meta: null }));
  expect(await next()).toMatchObject({
    id: 6,
    result: { structuredContent: { status: 'PENDING', reviewers: { users: ['U0ANA'] } } },
  });
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
});

describe('the program ends by itself', () => {
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
  const callTo = (name: string, given: object) => ({
    id: 2,
    method: 'tools/call',
    params: { name, arguments: given },
  });

  async function startServer(env: Readonly<Record<string, string>>) {
    const child = spawn(process.execPath, [PROGRAM, 'mcp'], { env });
    child.stdin.on('error', () => {});
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
    await using gate = await startGate((response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: 1, message: '' } }));
    });
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
