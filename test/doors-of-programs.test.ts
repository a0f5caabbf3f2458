import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { doorsStage, of, type Request } from './doors-stage.ts';
import { runProgram } from './e2e/crash/run-program.ts';
import { PROGRAM } from './support/program.ts';

/** The doors of `doors.test.ts` that are programs: the script, the action, and the tools for agents. */

const { url, gatepost, meant, fileWith } = doorsStage();

let agent: Client;
beforeAll(async () => {
  agent = new Client({ name: 'test', version: '1' });
  const env = { PATH: process.env.PATH ?? '', ...gatepost() };
  await agent.connect(
    new StdioClientTransport({ command: process.execPath, args: [PROGRAM, 'mcp'], env }),
  );
});
afterAll(() => agent.close());

async function script(env: Readonly<Record<string, string>>): Promise<Request> {
  const path = new URL('../integrations/curl/ask.sh', import.meta.url).pathname;
  return shell([path], { TITLE: 'Deploy', ...env });
}

async function shell(words: readonly string[], env: Readonly<Record<string, string>>) {
  await using program = runProgram(words, { ...gatepost(), ...env }, '/bin/sh');
  const code = await program.ended;
  const request = meant(program.output.join('\n'));
  expect(code, program.output.join('\n')).toBe('refused' in request ? 2 : 4);
  return request;
}

/** The composite action's step that asks, with its expressions filled in. */
async function action(inputs: Readonly<Record<string, string>>): Promise<Request> {
  const path = new URL('../integrations/github/action.yml', import.meta.url);
  const { inputs: known, runs } = parse(await readFile(path, 'utf8'));
  const step = runs.steps.find(({ run }: { run: string }) => run.includes('ask.sh'));
  const { GATEPOST_INTAKE_SECRET: secret } = gatepost();
  const given: Record<string, string> = { title: 'Deploy', url: url(), secret, ...inputs };
  const inputNamed = (name: string) => given[name] ?? known[name].default;
  const filled = (text: string) =>
    text
      .replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => inputNamed(name))
      .replace(/\$\{\{ github\.server_url \}\}/, 'https://ci.example.com')
      .replace(/\$\{\{ github\.\w+ \}\}/g, '7')
      // The rest is for later steps.
      .replace(/\$\{\{ .* \}\}/, '');
  const env = Object.entries<string>(step.env).map(([name, text]) => [name, filled(text)]);
  const GITHUB_ACTION_PATH = new URL('.', path).pathname;
  return shell(['-c', step.run], { ...Object.fromEntries(env), GITHUB_ACTION_PATH });
}

async function mcp(given: Readonly<Record<string, unknown>>): Promise<Request> {
  const args = { title: 'Deploy', change: 'make deploy', ...given };
  const answer = await agent.callTool({ name: 'request_approval', arguments: args });
  return meant(JSON.stringify(answer.content));
}

describe('an empty message or link is treated as not given', () => {
  test.each(['', '  ', '\r\n'])('%j', async (nothing) => {
    const requests = {
      script: await script({ MESSAGE: nothing, LINK: nothing }),
      action: await action({ message: nothing }),
    };
    for (const [door, request] of Object.entries(requests)) {
      expect(request, door).not.toHaveProperty('refused');
      expect(of('message')(request), door).toBeUndefined();
      if (door !== 'action') expect(of('link')(request), door).toBeUndefined();
    }
    for (const given of [{ message: nothing }, { message: null }]) {
      const asked = await mcp(given);
      expect(asked).toMatchObject({ change: 'make deploy' });
      expect(asked).not.toHaveProperty('message');
    }
  });
});

describe('an empty text', () => {
  const WORDS = /must (?:not be empty|be|have)|is required/;
  const isRefused = { refused: [expect.stringMatching(WORDS)] };
  test.each(['', ' '])('%j is refused as title, key or change', async (nothing) => {
    for (const member of ['title', 'key', 'change'])
      expect(await mcp({ [member]: nothing }), member).toHaveProperty('refused');
    expect(await script({ TITLE: nothing })).toMatchObject(isRefused);
    expect(await action({ title: nothing })).toMatchObject(isRefused);
  });

  test('in a variable counts as not set', async () => {
    const unset = { KEY: '', FIELDS: '', SUPERSEDES: '' };
    const none = { key: '', fields: '', supersedes: '' };
    for (const request of [await script(unset), await action(none)]) {
      expect(Object.keys(request)).not.toContain('refused');
      for (const member of ['route', 'change', 'fields', 'supersedes'] as const)
        expect(of(member)(request), member).toBeUndefined();
      expect(of('key')(request)).toMatch(/^ask-/);
    }
  });

  test.each(['ROUTE', 'CHANGE_FILE'])(
    'in %s is refused: it would change who decides, or what',
    async (name) => {
      const input = name.toLowerCase().replace('_', '-');
      for (const request of [await script({ [name]: '' }), await action({ [input]: '' })])
        expect(request).toEqual({ refused: [expect.stringContaining(name)] });
    },
  );

  test.each(['', ' ', '\r\n', '\ufeff\n'])('%j is refused in a change file', async (nothing) => {
    const file = await fileWith(nothing);
    const refused = [expect.stringMatching(/^The file that CHANGE_FILE names is empty/)];
    expect(await script({ CHANGE_FILE: file })).toEqual({ refused });
    expect(await action({ 'change-file': file })).toEqual({ refused });
  });
});

describe('what narrows a request', () => {
  test.each([
    [{ REVIEWERS: 'U0ANA' }, { reviewers: { users: ['U0ANA'] } }],
    [{ REVIEWERS: 'ana@example.com' }, { reviewers: { emails: ['ana@example.com'] } }],
    [{ REVIEWERS: ' U0ANA, S0OPS\n' }, { reviewers: { users: ['U0ANA'], groups: ['S0OPS'] } }],
    [{ QUORUM: '2' }, { quorum: 2 }],
  ])('is sent: %j', async (env, narrowed) => {
    expect(await script(env)).toMatchObject(narrowed);
  });

  test('is not sent if it is not set', async () => {
    const request = await script({});
    expect(request).not.toHaveProperty('reviewers');
    expect(request).not.toHaveProperty('quorum');
  });

  test.each([
    [{ REVIEWERS: '' }, /^REVIEWERS is empty/],
    [{ REVIEWERS: ' ' }, /must be a user id/],
    [{ REVIEWERS: 'U0ANA,' }, /must be a user id/],
    [{ REVIEWERS: '@ana' }, /must be an e-mail address/],
    [{ QUORUM: '' }, /^QUORUM must be a whole number/],
    [{ QUORUM: ' ' }, /^QUORUM must be a whole number/],
    [{ QUORUM: 'two' }, /^QUORUM must be a whole number/],
    [{ QUORUM: '0' }, /must be at least 1/],
  ])('is refused: %j', async (env, rule) => {
    // as: every row has one variable
    expect(await script(env as Record<string, string>)).toEqual({
      refused: [expect.stringMatching(rule)],
    });
  });

  test.each([
    [{ reviewers: null, timeoutSeconds: null, key: null }, undefined],
    [
      { reviewers: '["U0ANA"]', timeoutSeconds: '600' },
      { users: ['U0ANA'], groups: [] },
    ],
  ])('is read from an agent: %j', async (given, reviewers) => {
    expect(of('reviewers')(await mcp(given))).toEqual(reviewers);
  });

  test.each(['', [], '[]', '@ana', null])('is never dropped: %j', async (nothing) => {
    const given = nothing === null ? { quorum: 2 } : { reviewers: nothing };
    expect(await mcp(given)).toHaveProperty('refused');
  });
});

test('a byte order mark at the start of a change file is ignored', async () => {
  const file = await fileWith('\ufeff+ größer\n');
  const change = '+ größer\n';
  expect(await script({ CHANGE_FILE: file })).toMatchObject({ change });
  expect(await action({ 'change-file': file })).toMatchObject({ change });
});

test('a line end after a URL or a secret is ignored', async () => {
  const env = { GATEPOST_URL: `${url()}\r\n`, GATEPOST_INTAKE_SECRET: 'secret\r\n' };
  const asked = { title: 'Deploy' };
  expect(await script(env)).toMatchObject(asked);
  expect(await action({ url: env.GATEPOST_URL, secret: 'secret\n' })).toMatchObject(asked);
});

test.each(['90s', '-1', ' 60', '1.5'])(
  'a duration in seconds, given as %j, is refused',
  async (time) => {
    expect(await script({ TIMEOUT_S: time })).toHaveProperty('refused');
    expect(await action({ 'timeout-seconds': time })).toHaveProperty('refused');
    expect(await mcp({ timeoutSeconds: time })).toHaveProperty('refused');
  },
);
