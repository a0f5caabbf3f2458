import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Message } from '../../sandbox/wire.ts';
import { type Program, runProgram } from '../e2e/crash/run-program.ts';
import { freePort } from '../support/free-port.ts';
import { DEPLOYS, startWorld, type World } from '../support/world.ts';

/** The hook for agents, under an agent that ends a hook at its limit and then runs the tool. */

const HOOK = new URL('../../integrations/agents/ask-before.sh', import.meta.url).pathname;

let world: World;
let folder: string;
beforeAll(async () => {
  const identityLogins = { 'github:octocat': 'U0ANA' };
  world = await startWorld({ config: (config) => ({ ...config, identityLogins }) });
  folder = await mkdtemp(join(tmpdir(), 'gatepost-hook-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await world[Symbol.asyncDispose]();
});

type Env = Readonly<Record<string, string>>;

interface Ended {
  /** As agents do: the tool runs unless the hook itself ended with 2. */
  readonly isToolRun: boolean;
  readonly isEndedAtLimit: boolean;
  readonly code: number | null;
}

/**
 * The agent's own limit. The hook's is far below it: how much of the time that the hook leaves itself to end is used
 * up on a busy machine cannot be said here, only that it ends by itself.
 */
const LIMIT_MS = 120_000;
/** Longer than any limit. */
const HANGS = 'exec sleep 600';

/** Waits for its hook, and ends the hook and all that it started at its limit. */
async function underLimit(hook: Program): Promise<Ended> {
  let isEndedAtLimit = false;
  const limit = setTimeout(() => {
    isEndedAtLimit = true;
    void hook[Symbol.asyncDispose]();
  }, LIMIT_MS);
  const code = await hook.ended.finally(() => clearTimeout(limit));
  return { isToolRun: isEndedAtLimit || code !== 2, isEndedAtLimit, code };
}

/** The hook's limit where it is waited for: it leaves the rest of the machine twelve seconds until it has asked. */
const TIMEOUT_S = '20';
/** After so many seconds it stops waiting for an answer, and gives up what tells of it. */
const DEADLINES = ['14', '16'] as const;

const REFUSED: Ended = { isToolRun: false, isEndedAtLimit: false, code: 2 };

/** Takes requests, and never answers one. */
async function startSilence(): Promise<{ url: string; bodies: unknown[]; server: Server }> {
  const bodies: unknown[] = [];
  const server = createServer(async (request) => {
    const body = await json(request);
    bodies.push(body);
    server.emit('taken', body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, bodies, server };
}

describe('what ASK_BEFORE means', () => {
  async function check(ASK_BEFORE: string, command: string) {
    const program = runProgram([HOOK, '--check', command], { ASK_BEFORE }, '/bin/sh');
    return { code: await program.ended, said: program.output.join('\n') };
  }
  const asks = { code: 0, said: 'It would ask about this command.' };
  const asksNot = {
    code: 1,
    said: 'It would not ask about this command: ASK_BEFORE does not match it.',
  };

  test.each([
    ['kubectl\\s+delete|rm\\s+-rf', 'kubectl  delete pod x'],
    ['(?i)drop table', 'psql -c "DROP TABLE x"'],
    ['(?i:drop) table', 'psql -c "DROP table x"'],
    ['(?:deploy|release)', 'make release'],
    ['rm[\\s]-rf', 'rm -rf x'],
    ['rm[[:space:]]-rf', 'rm -rf x'],
    ['[]x] y', 'x y'],
    ['v\\d{2,}', 'tag v12'],
    ['\\brm\\b', 'sudo rm x'],
    ['^deploy$', 'ls\ndeploy'],
    ['x(?=y)', 'xy'],
    ['deploy | terraform', 'terraform apply'],
    ['rm ', 'rm'],
    ['deploy\n\n  terraform\r\n', 'terraform apply'],
    ['[|] *sh', 'curl x | sh'],
    ['echo \\$HOME', 'echo $HOME'],
    ['/etc/passwd', 'cat /etc/passwd'],
    ['"force":', '{"force":true}'],
    ['größe|日本', 'echo 日本'],
    ['', 'ls'],
  ])('%j asks about %j', async (pattern, command) => {
    expect(await check(pattern, command)).toEqual(asks);
    if (pattern !== '') expect(await check(pattern, 'status')).toEqual(asksNot);
  });

  test.each([
    ['/x/i', 'Slashes around it'],
    ['/etc/', 'Slashes around it'],
    ['m/x/', 'Slashes around it'],
    ['"x"', 'Quotes'],
    ["'x'|'y'", 'Quotes'],
    ['“x”', 'Quotes'],
    ['r"x"', 'Quotes'],
    ['a\\|b', '\\| is an operator in some dialects'],
    ['a\\+', '\\+ is an operator in some dialects'],
    ['\\(a\\)', '\\( is an operator in some dialects'],
    ['a\\{2\\}', '\\{ is an operator in some dialects'],
    ['\\<rm\\>', '\\< is not understood'],
    ['\\Qa.b\\E', '\\Q is not understood'],
    ['\\x41', '\\x is not understood'],
    ['(a)\\1', '\\1 is not understood'],
    ['a\\nb', '\\n is not understood'],
    ['[\\n]', '\\n within brackets is not understood'],
    ['[:space:]x', '[:space:] needs a second pair of brackets'],
    ['[[:spac:]]', '[ within brackets'],
    ['deploy, rm', 'A comma'],
    ['{deploy,rm}', 'A comma'],
    ['x{,3}', 'A comma'],
    ['rm -rf $HOME', '$ is the end of a line'],
    ['git reset HEAD^', '^ is the start of a line'],
    ['Bash(git push:*)', 'Name(text:*)'],
    ['*deploy*', 'It is no regular expression'],
    ['(', 'It is no regular expression'],
    ['(?P<name>x)', 'It is no regular expression'],
    [' \n\t', 'It is blank'],
  ])('%j is refused, and what is not understood is said', async (pattern, said) => {
    const found = await check(pattern, 'ls');
    expect(found).toEqual({ code: 2, said: expect.stringMatching(/^ASK_BEFORE is not clear\. /) });
    expect(found.said).toContain(said);
    // Before the call is read: every one is blocked.
    await using hook = runProgram([HOOK], { ASK_BEFORE: pattern }, '/bin/sh');
    expect(await hook.ended).toBe(2);
    expect(hook.output).toContain(found.said);
  });

  test.each([[['--chek', 'ls']], [['--check']], [['--check', 'ls', '-l']], [['ls']]])(
    'called with %j it ends with 2',
    async (words) => {
      await using program = runProgram([HOOK, ...words], {}, '/bin/sh');
      expect(await program.ended).toBe(2);
      expect(program.output).toEqual(['Usage: ask-before.sh [--check COMMAND]']);
    },
  );
});

/** What `sh` is differs: dash on some systems, bash on others. */
describe.each([
  ['sh', '/bin/sh'],
  ['bash', '/bin/bash'],
])('where sh is %s', (name, path) => {
  let bin: string;
  beforeAll(async () => {
    bin = join(folder, name);
    await mkdir(bin);
    await symlink(path, join(bin, 'sh'));
  });

  let calls = 0;
  /** Starts the hook with what is in the call, or with a file of that name in the place of it. */
  async function before(call: unknown, env: Env = {}, input?: string): Promise<Program> {
    calls += 1;
    const file = input ?? join(folder, `${name}-${calls}.json`);
    if (input === undefined) {
      await writeFile(file, typeof call === 'string' ? call : JSON.stringify(call));
    }
    const given = {
      GATEPOST_URL: world.app.url,
      GATEPOST_INTAKE_SECRET: world.sandbox.credentials.intakeSecret,
      PATH: `${bin}:${process.env.PATH}`,
      GIT_CONFIG_NOSYSTEM: '1',
    };
    // `<>`: a pipe opened so never ends. In a folder where git has no address, unless a test sets one.
    const words = ['-c', `cd "${folder}" && exec sh "${HOOK}" <> "${file}"`];
    return runProgram(words, { ...given, ...env }, join(bin, 'sh'));
  }

  const shell = (command: unknown) => ({ tool_name: 'Shell', tool_input: { command } });

  /** The message that asks about the command. */
  async function messageAbout(command: string): Promise<string> {
    const { workspace } = world.sandbox;
    const find = () =>
      workspace.messages(DEPLOYS).find(({ blocks }) => JSON.stringify(blocks).includes(command));
    return (await world.sandbox.until(find, { what: command })).ts;
  }

  /** A PATH with a program of that name that does this. */
  async function pathWith(program: string, script: string): Promise<string> {
    const shim = await mkdtemp(join(folder, 'shim-'));
    await writeFile(join(shim, program), `#!/bin/sh\n${script}\n`);
    await chmod(join(shim, program), 0o755);
    return `${shim}:${bin}:${process.env.PATH}`;
  }

  test('leaves seconds between its own limit and each inner deadline', async () => {
    const slept = join(folder, `slept-${name}`);
    const real = `PATH='${process.env.PATH}'; echo "$1" >>"${slept}"; exec sleep "$@"`;
    const silence = await startSilence();
    const PATH = await pathWith('sleep', real);
    await using hook = await before(shell('ls'), { PATH, TIMEOUT_S, GATEPOST_URL: silence.url });
    const [{ expiresAt }] = await once(silence.server, 'taken');
    const deadlines = async () =>
      (await readFile(slept, 'utf8')).split('\n').filter((each) => Number(each) > 9);
    // Each of them is a process, which may begin late.
    await expect.poll(deadlines).toHaveLength(DEADLINES.length);
    expect((await deadlines()).toSorted()).toEqual(DEADLINES);
    hook.kill('SIGTERM');
    expect(await hook.ended).toBe(2);
    expect(Date.parse(expiresAt)).toBeLessThan(Date.now() + 12_000);
    silence.server.closeAllConnections();
    silence.server.close();
  });

  /** A PATH with which deadlines of the hook after so many seconds do not come: what happens before them is seen. */
  function outliving(...seconds: string[]): Promise<string> {
    const script = `case $1 in ${seconds.join('|')}) ${HANGS} ;; esac; exec sleep "$@"`;
    return pathWith('sleep', `PATH='${process.env.PATH}'; ${script}`);
  }

  test.each([
    ['Approve', 0, ''],
    ['Reject', 2, 'People rejected this call.'],
  ])('after %s it ends with %i', async (label, code, said) => {
    const command = `terraform apply -var '${label} ${name}'`;
    await using program = await before(shell(command), { KEY: `one key, ${label} ${name}` });
    await world.click('U0ANA', await messageAbout(command), label);
    expect(await program.ended).toBe(code);
    expect(program.output.join('\n')).toContain(said);
  });

  const git = (email: string): Env => ({
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'user.email',
    GIT_CONFIG_VALUE_0: email,
  });

  test.each([
    [
      'GATEPOST_REQUESTED_BY',
      { ...git('ben@example.com'), GATEPOST_REQUESTED_BY: 'github:octocat' },
      'octocat (GitHub)',
    ],
    ['the address that git has', git('ana@example.com'), 'ana@example.com'],
  ])('%s names whose agent it is, who cannot approve the call', async (what, env, who) => {
    const command = `terraform apply # by Ana, ${what} ${name}`;
    const call = { ...shell(command), session_id: `by Ana, ${what} ${name}` };
    await using hook = await before(call, env);
    const ts = await messageAbout(command);
    const refusals = () =>
      world.told('U0ANA').filter((text) => /You asked for .* somebody else has to/.test(text))
        .length;
    const earlier = refusals();
    await world.click('U0ANA', ts, 'Approve');
    await world.sandbox.until(() => refusals() > earlier);
    expect(world.read(ts)).not.toMatch(/Approved/);
    await world.click('U0BEN', ts, 'Approve');
    expect(await hook.ended).toBe(0);
    expect(hook.output).toEqual([`Asked in the name of ${who}`]);
  });

  test.each([
    ['no address in git', {}, undefined, []],
    ['what is no address', git('me@@here'), undefined, []],
    [
      'none, whatever git has',
      { ...git('ana@example.com'), GATEPOST_REQUESTED_BY: 'none' },
      undefined,
      ["Asked in nobody's name: GATEPOST_REQUESTED_BY is none"],
    ],
  ])('%s: the request names nobody', async (what, env, requestedBy, said) => {
    const silence = await startSilence();
    const call = shell(`ls # ${what}`);
    await using hook = await before(call, { ...env, TIMEOUT_S, GATEPOST_URL: silence.url });
    const [body] = await once(silence.server, 'taken');
    expect(body.requestedBy).toBe(requestedBy);
    expect(await hook.ended).toBe(2);
    expect(hook.output.filter((line) => line.startsWith('Asked in'))).toEqual(said);
    silence.server.closeAllConnections();
    silence.server.close();
  });

  test('blocks the call when GATEPOST_REQUESTED_BY is invalid, and names it', async () => {
    await using hook = await before(shell('ls'), { GATEPOST_REQUESTED_BY: 'ana@@example.com' });
    expect(await hook.ended).toBe(2);
    const said = hook.output.join();
    expect(said).toMatch(/^GATEPOST_REQUESTED_BY must be an e-mail address, a Slack user id/);
    expect(said).not.toContain('ana@@');
  });

  test('asks again about a call that was approved once, even with a fixed KEY in the environment', async () => {
    const command = `make twice # ${name}`;
    await using first = await before(shell(command), { KEY: `twice ${name}` });
    const asked = await messageAbout(command);
    await world.click('U0ANA', asked, 'Approve');
    expect(await first.ended).toBe(0);
    await using second = await before(shell(command), { KEY: `twice ${name}` });
    // The first one's thread has the command too.
    const isOther = ({ ts, thread_ts, blocks }: Message) =>
      ts !== asked && thread_ts !== asked && JSON.stringify(blocks).includes(command);
    const messages = () => world.sandbox.workspace.messages(DEPLOYS);
    await world.sandbox.until(() => messages().some(isOther), { what: 'the second question' });
    second.kill('SIGTERM');
    expect(await second.ended).toBe(2);
  });

  describe('where the call names its session', () => {
    let sessions = 0;
    /** The same call again and again, of a session of its own. */
    function callOf(member = 'session_id') {
      sessions += 1;
      const command = `terraform apply # ${sessions} ${name}`;
      const call = { ...shell(command), [member]: `session ${sessions} ${name}` };
      return { command, hook: (env: Env = {}) => before(call, env) };
    }

    /** The messages that ask, whatever about: the threads of these have the command too. */
    const questions = () =>
      world.sandbox.workspace
        .messages(DEPLOYS)
        .filter(({ thread_ts, ts }) => thread_ts === undefined || thread_ts === ts);

    async function anotherQuestion(command: string, first: string): Promise<string> {
      const isOther = ({ ts, blocks }: Message) =>
        ts !== first && JSON.stringify(blocks).includes(command);
      const find = () => questions().find(isOther);
      return (await world.sandbox.until(find, { what: 'another question' })).ts;
    }

    test.each([
      ['session_id', 'Approve', 0, ''],
      ['conversation_id', 'Reject', 2, 'People rejected this call.'],
    ])('a repeated call resumes the earlier request: %s, %s', async (member, label, code, said) => {
      const { command, hook } = callOf(member);
      await using first = await hook({ TIMEOUT_S });
      const ts = await messageAbout(command);
      expect(await underLimit(first)).toEqual(REFUSED);
      expect(first.output.join('\n')).toMatch(/Not decided yet.*make the same call again/);
      const asked = questions().length;
      // Nobody waits for it just now.
      await world.click('U0ANA', ts, label);
      await using second = await hook();
      expect(await second.ended).toBe(code);
      expect(second.output.join('\n')).toContain(said);
      expect(questions()).toHaveLength(asked);
    });

    test('one approval allows one call, and the next call asks again', async () => {
      const { command, hook } = callOf();
      await using one = await hook();
      await using other = await hook();
      const first = await messageAbout(command);
      await world.click('U0ANA', first, 'Approve');
      const second = await anotherQuestion(command, first);
      await world.click('U0ANA', second, 'Reject');
      expect((await Promise.all([one.ended, other.ended])).toSorted()).toEqual([0, 2]);
      // What was rejected is not asked about again.
      const asked = questions().length;
      await using third = await hook();
      expect(await third.ended).toBe(2);
      expect(questions()).toHaveLength(asked);
    });

    test('asks again after a request was withdrawn', async () => {
      const { command, hook } = callOf();
      await using first = await hook();
      const ts = await messageAbout(command);
      first.kill('SIGTERM');
      expect(await first.ended).toBe(2);
      await world.until(ts, /Withdrawn/);
      await using second = await hook();
      await world.click('U0ANA', await anotherQuestion(command, ts), 'Approve');
      expect(await second.ended).toBe(0);
    });

    test('ends before the limit of the agent, whatever hangs', async () => {
      const silence = await startSilence();
      const hangs = `trap "" TERM; ${HANGS}`;
      const ways: Env[] = [{ GATEPOST_URL: silence.url }];
      for (const program of ['curl', 'sha256sum', 'od']) {
        ways.push({ PATH: await pathWith(program, hangs) });
      }
      await Promise.all(
        ways.map(async (env) => {
          await using hook = await callOf().hook({ TIMEOUT_S, ...env });
          expect(await underLimit(hook), JSON.stringify(env)).toEqual(REFUSED);
        }),
      );
      silence.server.closeAllConnections();
      silence.server.close();
    });

    /** A Gatepost that has decided each request so, and answers a claim with that status. */
    async function startDecided(answers: readonly object[], claimed = 200) {
      const keys: string[] = [];
      const claims: unknown[] = [];
      const server = createServer(async (request, response) => {
        const answer = (status: number, body: object) =>
          response.writeHead(status).end(JSON.stringify(body));
        const [, id, number] = request.url?.match(/approvals\/((\d+)-\w+)/) ?? [];
        if (request.method === 'GET') return void answer(200, { id, ...answers[Number(number)] });
        const body = await json(request);
        if (request.url?.endsWith('/result')) {
          claims.push(body);
          const result =
            claimed === 200 ? { id, status: 'APPROVED', result: {} } : { status: claimed };
          return void answer(claimed, result);
        }
        // as: the hook sends one
        const { key } = body as { key: string };
        if (!keys.includes(key)) keys.push(key);
        return void answer(202, {
          id: `${keys.indexOf(key)}-${'a'.repeat(16)}`,
          status: 'PENDING',
        });
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo; // as: it listens on a port
      return {
        url: `http://127.0.0.1:${port}`,
        keys,
        claims,
        async [Symbol.asyncDispose]() {
          server.closeAllConnections();
          server.close();
        },
      };
    }

    const decided = (status: string, agoS: number, more = {}) => ({
      status,
      outcome: { by: ['U0ANA'], resolvedAt: new Date(Date.now() - agoS * 1_000).toISOString() },
      ...more,
    });

    test('asks again when the earlier decision is old, was used, or is a timeout or withdrawal', async () => {
      await using gate = await startDecided([
        decided('APPROVED', 7_200),
        decided('APPROVED', 60, { result: { state: 'running' } }),
        decided('REJECTED', 7_200),
        decided('TIMED_OUT', 60),
        { status: 'WITHDRAWN', withdrawnAt: new Date(Date.now() - 60_000).toISOString() },
        // By whoever asked.
        decided('APPROVED', 60, { ownApproval: true }),
        decided('REJECTED', 60),
      ]);
      await using hook = await callOf().hook({ GATEPOST_URL: gate.url });
      expect(await hook.ended).toBe(2);
      expect(gate.keys.map((key) => key.split('/').at(-1)).join('')).toBe('1234567');
      expect(gate.claims).toEqual([]);
    });

    test.each([404, 400])(
      'lets nothing through where the claim is answered with %i',
      async (status) => {
        await using gate = await startDecided([decided('APPROVED', 1)], status);
        await using hook = await callOf().hook({ GATEPOST_URL: gate.url });
        expect(await hook.ended).toBe(2);
        expect(gate.claims).toEqual([
          { state: 'running', claim: expect.any(String), text: expect.any(String) },
        ]);
      },
    );

    test('each run has a claim of its own', async () => {
      await using gate = await startDecided([decided('APPROVED', 1)]);
      const { hook } = callOf();
      await using one = await hook({ GATEPOST_URL: gate.url });
      expect(await one.ended).toBe(0);
      await using two = await hook({ GATEPOST_URL: gate.url });
      expect(await two.ended).toBe(0);
      const [first, second] = gate.claims as { claim: string }[]; // as: the hook sends them
      expect(first?.claim).not.toBe(second?.claim);
    });
  });

  test.each([
    ['the command alone', { command: 'status\n--all' }, 'status\n--all'],
    [
      'the rest of the input after it',
      { script: 'rm -rf /prod', command: 'status', dangerouslyDisableSandbox: true },
      'status\n\n{"script":"rm -rf /prod","dangerouslyDisableSandbox":true}',
    ],
    [
      'what is empty or false',
      { command: 'ls', env: {}, wait: false },
      'ls\n\n{"env":{},"wait":false}',
    ],
    ['a command that is a list', { command: ['ls', '-l'] }, '{"command":["ls","-l"]}'],
    ['an empty command', { command: '', script: 'ls' }, '{"command":"","script":"ls"}'],
    ['no command', { path: 'a\nb' }, '{"path":"a\\nb"}'],
  ])('shows the exact call: %s', async (_, input, shown) => {
    const silence = await startSilence();
    await using hook = await before(
      { tool_name: 'Shell', tool_input: input },
      { GATEPOST_URL: silence.url },
    );
    const [body] = await once(silence.server, 'taken');
    expect(body).toMatchObject({ change: `${shown}\n` });
    hook.kill('SIGTERM');
    expect(await hook.ended).toBe(2);
    silence.server.closeAllConnections();
    silence.server.close();
  });

  test('asks only about matching calls, and blocks a call that it cannot read', async () => {
    const listing = shell('ls -l');
    await using free = await before(listing, { ASK_BEFORE: 'deploy|git push' });
    expect(await free.ended).toBe(0);
    await using strange = await before('no JSON');
    expect(await strange.ended).toBe(2);
    for (const nothing of ['', { tool_name: 'Shell' }, { tool_input: null }, '{}{}']) {
      await using unread = await before(nothing, { ASK_BEFORE: 'deploy' });
      expect(await unread.ended, JSON.stringify(nothing)).toBe(2);
      expect(unread.output.join()).toContain('could not be read');
    }
    await using broken = await before(listing, { ASK_BEFORE: '(' });
    expect(await broken.ended).toBe(2);
    await using unset = await before(listing, { GATEPOST_URL: '' });
    expect(await unset.ended).toBe(2);
    expect(unset.output.join('\n')).toMatch(/GATEPOST_URL must be set.\nNobody could be asked/);
  });

  test.each([
    { command: 'git \\\npush' },
    { command: 'cd app\ngit  push' },
    { command: ['git', 'push'] },
    { script: { lines: ['ls', 'git\npush'] } },
    { command: 'status', script: 'git push' },
    { command: 'status', env: { ALIAS: ['git', 'push'] } },
    { command: 'git', args: ['push'], description: 'Push' },
    { command: '', script: 'cd app\n\tgit\r\n push' },
    { command: 'status', 'git push': true },
  ])('asks about a match anywhere in the input: %j', async (input) => {
    const call = { tool_name: 'Shell', tool_input: input };
    await using program = await before(call, { ASK_BEFORE: 'git push', GATEPOST_URL: '' });
    expect(await program.ended).toBe(2);
    expect(program.output.join()).toContain('GATEPOST_URL must be set');
  });

  test.each(['9', '08', '-20', '600s', '1e3', '99999999999999999999'])(
    'refuses with TIMEOUT_S=%s',
    async (TIMEOUT_S) => {
      await using program = await before(shell('ls'), { TIMEOUT_S });
      expect(await program.ended).toBe(2);
      expect(program.output.join()).toContain('TIMEOUT_S must be a whole number');
    },
  );

  test.each([
    ['curl', 'exit 0'],
    ['curl', 'echo 200'],
    ['jq', 'exit 0'],
    ['jq', 'exit 1'],
    ['mktemp', 'exit 0'],
    ['mktemp', 'exit 1'],
    ['date', 'exit 0'],
    ['sleep', 'exit 0'],
    ['sleep', 'kill -TERM $$'],
  ])('blocks the call when %s only does: %s', async (program, script) => {
    const PATH = await pathWith(program, script);
    await using hook = await before(shell('make deploy'), { PATH, TIMEOUT_S: '10' });
    expect(await underLimit(hook)).toEqual(REFUSED);
  });

  test('ends before the limit of the agent, whatever does not answer', async () => {
    const silence = await startSilence();
    const pipe = join(folder, `pipe-${name}`);
    await promisify(execFile)('mkfifo', [pipe]);
    const down = `http://127.0.0.1:${await freePort()}`;
    const hangs = `trap "" TERM; ${HANGS}`;
    const nobodyKnows = /No decision arrived in time, so this call is not approved\./u;
    const ways: readonly [string, Env, RegExp, string?][] = [
      [
        'Gatepost is down',
        { GATEPOST_URL: down, PATH: await outliving('16') },
        // On a busy machine the time is over before its tries are.
        /No connection to Gatepost\.|No decision arrived in time/u,
      ],
      ['Gatepost is silent', { GATEPOST_URL: silence.url }, nobodyKnows],
      [
        'stdin stays open',
        { PATH: await outliving('16') },
        /The call was not read to its end\./u,
        pipe,
      ],
      ['curl hangs', { PATH: await pathWith('curl', hangs) }, nobodyKnows],
      ['jq hangs', { PATH: await pathWith('jq', hangs) }, nobodyKnows],
      ['git hangs', { PATH: await pathWith('git', hangs) }, nobodyKnows],
      ['hostname hangs', { PATH: await pathWith('hostname', hangs) }, nobodyKnows],
      ['ASK_BEFORE hangs', { PATH: await pathWith('tr', hangs), ASK_BEFORE: 'x' }, nobodyKnows],
      ['mktemp hangs', { PATH: await pathWith('mktemp', hangs) }, nobodyKnows],
      ['mktemp waits for what hangs', { PATH: await pathWith('mktemp', HANGS) }, nobodyKnows],
      ['date hangs', { PATH: await pathWith('date', hangs) }, nobodyKnows],
    ];
    await Promise.all(
      ways.map(async ([what, env, said, input]) => {
        await using hook = await before(shell('make deploy'), { TIMEOUT_S, ...env }, input);
        expect(await underLimit(hook), what).toEqual(REFUSED);
        expect(hook.output.join('\n'), what).toMatch(said);
      }),
    );
    // The request that may have arrived can be decided no longer than somebody waited for it.
    const [{ expiresAt }] = silence.bodies as [{ expiresAt: string }]; // as: ask.sh makes it
    expect(Date.parse(expiresAt)).toBeLessThan(Date.now());
    silence.server.closeAllConnections();
    silence.server.close();
  });

  test.each(['rm', 'sed', 'tail', 'grep'])(
    'ends before the limit of the agent after a refusal, though %s hangs',
    async (program) => {
      const PATH = await pathWith(program, `trap "" TERM; ${HANGS}`);
      await using hook = await before(shell('ls'), { PATH, TIMEOUT_S, GATEPOST_URL: '' });
      expect(await underLimit(hook)).toEqual(REFUSED);
      expect(hook.output.join('\n')).toMatch(/GATEPOST_URL must be set.\nNobody could be asked/);
    },
  );

  test.each(['mktemp', 'jq'])(
    'lets nothing through when it is ended while %s hangs',
    async (program) => {
      const started = join(folder, `started-${program}-${name}`);
      await promisify(execFile)('mkfifo', [started]);
      const PATH = await pathWith(program, `trap "" TERM; echo now >"${started}"; ${HANGS}`);
      await using hook = await before(shell('ls'), { PATH });
      expect(await readFile(started, 'utf8')).toBe('now\n');
      hook.kill('SIGTERM');
      expect(await underLimit(hook)).toEqual(REFUSED);
      expect(hook.output.join()).toContain('The hook was ended before there was a decision');
    },
  );

  test('ends before the limit of the agent when nobody decides, and the request has timed out', async () => {
    const command = `make deploy # nobody, ${name}`;
    await using hook = await before(shell(command), {
      TIMEOUT_S,
      PATH: await outliving(...DEADLINES),
    });
    const ts = await messageAbout(command);
    expect(await underLimit(hook)).toEqual(REFUSED);
    expect(hook.output).toEqual([
      expect.stringMatching(/^Timed out after \d+ s: nobody decided in time\. Asked: .+\.$/),
      'This call is not approved. Do not try it in another way; ask what to do instead.',
    ]);
    await world.until(ts, /Timed out/);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'lets nothing through when it is ended by %s, and withdraws the request',
    async (signal) => {
      const command = `make deploy # ${signal} ${name}`;
      await using hook = await before(shell(command));
      const ts = await messageAbout(command);
      hook.kill(signal);
      expect(await hook.ended).toBe(2);
      expect(hook.output.join()).toContain('The hook was ended before there was a decision');
      await world.until(ts, /Withdrawn/);
    },
  );
});
