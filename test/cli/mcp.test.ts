import process from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { startStage } from '../e2e/crash/stage.ts';
import { openDoor } from '../e2e/door.ts';
import { PROGRAM } from '../support/program.ts';
import { DEPLOYS, messageOf } from '../support/world.ts';
import { runHere } from './run-here.ts';

interface Said {
  readonly text: string;
  readonly isError: boolean;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** An agent, by the official client, with the program as its server. */
async function startAgent(url: string, secret: string) {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp'],
      env: { PATH: process.env.PATH ?? '', GATEPOST_URL: url, GATEPOST_INTAKE_SECRET: secret },
      stderr: 'pipe',
    }),
  );
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name: string, args: Record<string, unknown>): Promise<Said> {
      const answer = await client.callTool({ name, arguments: args }, undefined, {
        timeout: 300_000,
      });
      // as: a tool of ours answers with one text
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
  await using agent = await startAgent(door.url, intakeSecret);
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
  // A slow machine is away for longer than a call waits: an agent calls again, as it is told to.
  while (last.facts.status === 'PENDING') last = await agent.call('wait_for_approval', { id });
  expect(last).toMatchObject({
    isError: false,
    facts: { id, status: 'APPROVED', by: ['U0ANA'] },
    text: 'APPROVED by Ana (U0ANA). Do exactly what was approved, and nothing else.',
  });
  const known = await agent.call('request_approval', { ...DEPLOY, key: 'agents/7' });
  expect(known).toMatchObject({ isError: false, facts: { id, status: 'APPROVED' } });
  expect(known.text).toContain('Status: APPROVED');
});

test('an agent is told of a rejection, takes back what it need not ask, and of a Gatepost that is away', async () => {
  await using stage = await startStage('embedded');
  await using door = await openDoor(() => 'any');
  door.leadTo(stage.bot.url);
  const { intakeSecret } = stage.sandbox.credentials;
  await using agent = await startAgent(door.url, intakeSecret);
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

test('without its settings it says so and ends with 2', async () => {
  expect(await runHere(['mcp'])).toMatchObject({ code: 2, out: '' });
});
