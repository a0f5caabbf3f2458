import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { promisify } from 'node:util';
import * as mcp from '@ai-sdk/mcp';
import * as ai from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DoorAnswer } from './e2e/door.ts';
import { startFakeGate } from './support/fake-gate.ts';
import { connectAgent } from './support/mcp-clients.ts';
import { PROGRAM } from './support/program.ts';
import { DEPLOYS, startWorld, type World } from './support/world.ts';

/** What integrations/agents/README.md shows, run against a bot. */

const PAGE = new URL('../integrations/agents/README.md', import.meta.url);
const page = await readFile(PAGE, 'utf8');

/** The blocks in this language below this heading, up to the next one. */
function blocksBelow(heading: string, language: string): readonly string[] {
  const [section = ''] = page.split(`\n## ${heading}\n`)[1]?.split('\n## ') ?? [];
  const blocks = section.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'));
  return [...blocks].map(([, text = '']) => text);
}

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

function settings() {
  return {
    GATEPOST_URL: world.app.url,
    GATEPOST_INTAKE_SECRET: world.sandbox.credentials.intakeSecret,
  };
}

/** Presses Approve under the next message that shows this. */
async function approve(shown: string): Promise<void> {
  const { workspace } = world.sandbox;
  const found = () =>
    workspace.messages(DEPLOYS).find((each) => JSON.stringify(each).includes(shown));
  const { ts } = await world.sandbox.until(found);
  await world.click('U0ANA', ts, 'Approve');
}

test('each configuration of a client offers the tools', async () => {
  const blocks = blocksBelow('Add it to an agent', 'json');
  expect(blocks).toHaveLength(3);
  const { GATEPOST_URL: url, GATEPOST_INTAKE_SECRET: secret } = settings();
  for (const block of blocks) {
    const filled = block
      .replace('https://gatepost.example.com', url)
      .replace(/the-secret-of-your-source|\$\{[^}]+\}/, secret);
    const { mcpServers, servers = mcpServers } = JSON.parse(filled);
    const { command, args, env, headers } = servers.gatepost;
    const server =
      command === undefined
        ? { url, headers }
        : { command: process.execPath, args: [PROGRAM, ...args], env };
    await using agent = await connectAgent('former', server);
    expect(await agent.tools(), block).toHaveLength(3);
  }
});

/** A model that asks, waits until it reads APPROVED, and ends. */
function askingModel() {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const call = (toolName: string, input: object) => ({
    content: [
      { type: 'tool-call' as const, toolCallId: toolName, toolName, input: JSON.stringify(input) },
    ],
    finishReason: { unified: 'tool-calls' as const, raw: undefined },
    usage,
    warnings: [],
  });
  return new MockLanguageModelV3({
    async doGenerate({ prompt }) {
      const said = JSON.stringify(prompt);
      const id = /with the id ([\w.-]+\w)\./.exec(said)?.[1];
      if (id === undefined)
        return call('request_approval', { title: 'Apply', change: 'apply plan.out' });
      if (!said.includes('APPROVED by')) return call('wait_for_approval', { id });
      return {
        content: [{ type: 'text', text: 'Applied.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
}

test('the agent in TypeScript asks, and goes on once people have approved', async () => {
  const [snippet = ''] = blocksBelow('In an agent of your own', 'ts');
  expect(snippet.trim().split('\n').length).toBeLessThanOrEqual(12);
  const modules: Readonly<Record<string, object>> = { ai, '@ai-sdk/mcp': mcp };
  const imports = [...snippet.matchAll(/^import \{ (.*) \} from '(.*)';$/gm)];
  const given: Record<string, unknown> = {
    process: { env: settings() },
    model: askingModel(),
    yours: {},
  };
  for (const [, names = '', from = ''] of imports) {
    const module = new Map(Object.entries(modules[from] ?? {}));
    for (const name of names.split(', ')) given[name] = module.get(name);
  }
  const body = `${snippet.replace(/^import .*$/gm, '')}\nreturn text;`;
  // as: the constructor of async functions has no name
  const AsyncFunction = (async () => {}).constructor as typeof Function;
  const run = new AsyncFunction(...Object.keys(given), body)(...Object.values(given));
  await approve('apply plan.out');
  expect(await run).toBe('Applied.');
});

const run = promisify(execFile);
const python = (code: string, env: object) =>
  run('python3', ['-c', code], { env: { ...process.env, ...env } });
const HAS_REQUESTS = await python('import requests', {}).then(
  () => true,
  () => false,
);

test.skipIf(!HAS_REQUESTS)(
  'the function in Python goes on after a 503, and an approval of whoever asks is none',
  async () => {
    const [snippet = ''] = blocksBelow('In an agent of your own', 'python');
    const code = `${snippet}\nprint(approved("k", "Apply", "make"))`;
    await using gate = await startFakeGate();
    const body = { status: 'APPROVED', final: true };
    const answers: DoorAnswer[] = [
      { status: 503, body: { title: 'Away' } },
      { status: 200, body },
    ];
    const env = { ...settings(), GATEPOST_URL: gate.url };
    gate.answer((call) => (call.startsWith('GET') ? answers.shift() : undefined));
    expect((await python(code, env)).stdout.trim()).toBe('True');
    answers.push({ status: 200, body: { ...body, ownApproval: true } });
    expect((await python(code, env)).stdout.trim()).toBe('False');
  },
);

test('the function in Python is true once people have approved', async () => {
  const [snippet = ''] = blocksBelow('In an agent of your own', 'python');
  if (!HAS_REQUESTS) {
    const has = await run('python3', ['--version']).catch(() => undefined);
    if (has) await run('python3', ['-c', 'import ast, sys; ast.parse(sys.argv[1])', snippet]);
    return;
  }
  const code = `${snippet}\nprint(approved("python/1", "Apply from Python", "make"))`;
  const [{ stdout }] = await Promise.all([python(code, settings()), approve('Apply from Python')]);
  expect(stdout.trim()).toBe('True');
});
