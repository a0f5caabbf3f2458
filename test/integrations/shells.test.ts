import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Program, runProgram } from '../e2e/crash/run-program.ts';
import { type FakeGate, startFakeGate } from '../support/fake-gate.ts';
import { folderWithSh, missingShells, shells } from '../support/shells.ts';

/** Every exit code of every script, in every shell. */

const ROOT = new URL('../../integrations/', import.meta.url);
const pathOf = (name: string) => new URL(name, ROOT).pathname;
const ASK = pathOf('curl/ask.sh');
const HOOK = pathOf('agents/ask-before.sh');

const STATUSES = ['APPROVED', 'REJECTED', 'TIMED_OUT', 'WITHDRAWN', 'PENDING'] as const;
type Status = (typeof STATUSES)[number];
type Env = Readonly<Record<string, string>>;

let gates: Readonly<Record<Status, FakeGate>>;
beforeAll(async () => {
  const started = STATUSES.map(async (status) => [status, await startFakeGate(status)]);
  gates = Object.fromEntries(await Promise.all(started));
});
afterAll(async () => {
  await Promise.all(Object.values(gates).map((gate) => gate[Symbol.asyncDispose]()));
});

/** Sent again: bash ignores a SIGINT that arrives during a foreground command. */
async function endedBy(program: Program, signal: NodeJS.Signals): Promise<number | null> {
  program.kill(signal);
  const again = setInterval(() => program.kill(signal), 1_000);
  return program.ended.finally(() => clearInterval(again));
}

describe.each(missingShells)('%s', (name) => {
  test.skip(`is not on this machine: the scripts are not tried in it. Install it, as .ci/run does`, () => {
    throw new Error(`no ${name}`);
  });
});

describe.each(shells.map((shell) => [shell.name, shell] as const))('in %s', (_, shell) => {
  const { program, words } = shell;
  let bin: Awaited<ReturnType<typeof folderWithSh>>;
  beforeAll(async () => {
    bin = await folderWithSh(program);
  });
  afterAll(() => bin[Symbol.asyncDispose]());

  function run(script: readonly string[], gate: FakeGate, env: Env = {}): Program {
    const settings = { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 'secret', TITLE: 'Deploy' };
    return runProgram([...words, ...script], { ...settings, PATH: bin.PATH, ...env }, program);
  }

  async function codeOf(script: readonly string[], gate: FakeGate, env: Env = {}) {
    await using started = run(script, gate, env);
    return await started.ended;
  }

  async function fileWith(name: string, text: string): Promise<string> {
    const path = join(bin.folder, name);
    await writeFile(path, text);
    return path;
  }

  /** The hook, with this call; the words are those before it. */
  async function hook(command: string, gate: FakeGate, env: Env = {}): Promise<Program> {
    calls += 1;
    const call = { tool_name: 'Shell', tool_input: { command } };
    const file = await fileWith(`call-${calls}.json`, JSON.stringify(call));
    const inShell = [...words, HOOK].join(' ');
    return run(['-c', `exec '${program}' ${inShell} <'${file}'`], gate, env);
  }
  let calls = 0;

  /** A PATH with a program of that name that does this. */
  async function pathWith(name: string, script: string): Promise<string> {
    const folder = await mkdtemp(join(bin.folder, 'shim-'));
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return `${folder}:${bin.PATH}`;
  }

  test('ask.sh ends with the code of the decision', async () => {
    const { APPROVED, REJECTED, TIMED_OUT, WITHDRAWN } = gates;
    await using blocked = await startFakeGate();
    const id = '0-0000000000000000';
    const body = { id, status: 'BLOCKED', blocked: 'only-requester', posting: { state: 'posted' } };
    blocked.answer(() => ({ status: 200, body }));
    const ends = [APPROVED, REJECTED, TIMED_OUT, WITHDRAWN, blocked].map((gate) =>
      codeOf([ASK], gate),
    );
    const empty = [{ TITLE: '' }, { GATEPOST_URL: '' }, { ROUTE: '' }, { CHANGE_FILE: '' }];
    const usage = [...empty, { FIELDS: '[' }, { TIMEOUT_S: '08' }];
    const refused = usage.map((env) => codeOf([ASK], APPROVED, env));
    expect(await Promise.all([...ends, ...refused])).toEqual([
      0,
      1,
      3,
      4,
      5,
      ...usage.map(() => 2),
    ]);
  });

  test.each([
    ['WITHDRAWN', 3, 'Timed out'],
    ['APPROVED', 0, 'Approved by'],
    ['REJECTED', 1, 'Rejected by'],
    ['PENDING', 5, 'Time ran out. It is not known whether the request was withdrawn.'],
  ])(
    'ask.sh withdraws when its time is over, and %s then ends with %i',
    async (status, code, said) => {
      await using gate = await startFakeGate();
      const id = '0-0000000000000000';
      const withdraw = 'POST /v1/approvals/{id}/withdraw';
      const body = { id, createdAt: '2026-01-01T00:00:00.000Z', outcome: { by: ['U0ANA'] } };
      gate.answer((call) =>
        call.startsWith('GET')
          ? {
              status: 200,
              body: { ...body, status: gate.calls.includes(withdraw) ? status : 'PENDING' },
            }
          : undefined,
      );
      // Each look at the clock takes 50 s.
      const looks = await fileWith('looks', '');
      const PATH = await pathWith(
        'date',
        `PATH='${bin.PATH}'; echo >>'${looks}'; echo $(($(date +%s) + $(wc -l <'${looks}') * 50))`,
      );
      await using ended = run([ASK], gate, { KEY: 'k', TIMEOUT_S: '30', PATH });
      expect(await ended.ended).toBe(code);
      expect(ended.output.join('\n')).toContain(said);
      expect(gate.requests[0]?.status).toBe('WITHDRAWN');
    },
  );

  test('ask.sh asks nobody, or withdraws, if RESULT_FILE cannot be written', async () => {
    await using gate = await startFakeGate('PENDING');
    expect(await codeOf([ASK], gate, { RESULT_FILE: '/nowhere/at/all' })).toBe(2);
    expect(gate.calls).toEqual([]);
    const env = { RESULT_FILE: join(bin.folder, 'full'), PATH: await pathWith('cp', 'exit 1') };
    expect(await codeOf([ASK], gate, env)).toBe(2);
    expect(await codeOf([ASK], gate, { ...env, KEY: 'a', WITHDRAW: 'always' })).toBe(2);
    expect(await codeOf([ASK], gate, { ...env, KEY: 'b' })).toBe(2);
    expect(gate.requests.map((each) => each.status)).toEqual(['WITHDRAWN', 'WITHDRAWN', 'PENDING']);
  });

  test('ask.sh pauses before it reads again what was answered early', async () => {
    await using gate = await startFakeGate();
    const id = '0-0000000000000000';
    const body = { id, status: 'PENDING', permalink: 'https://acme.slack.com/p17' };
    gate.answer((call) => {
      const reads = gate.calls.filter((each) => each.startsWith('GET')).length;
      return call.startsWith('GET') && reads < 6 ? { status: 200, body } : undefined;
    });
    const naps = await fileWith('naps', '');
    // The clock stands still: each read takes less than a second.
    const PATH = await pathWith('sleep', `echo "$1" >>'${naps}'`);
    const date = await pathWith('date', 'echo 1780000000');
    expect(await codeOf([ASK], gate, { PATH: `${date.split(':')[0]}:${PATH}` })).toBe(0);
    // Not after the first.
    expect((await readFile(naps, 'utf8')).trim().split('\n')).toEqual(Array(4).fill('1'));
  });

  test('ask.sh keeps nothing in RESULT_FILE of an earlier run', async () => {
    const { APPROVED } = gates;
    const old = { id: '0-earlier', status: 'APPROVED', ownApproval: true };
    const RESULT_FILE = await fileWith('earlier', JSON.stringify(old));
    expect(await codeOf([ASK], APPROVED, { RESULT_FILE })).toBe(0);
    const seen = JSON.parse(await readFile(RESULT_FILE, 'utf8'));
    expect(seen).toMatchObject({ status: 'APPROVED', digest: '0'.repeat(64) });
    expect(seen).not.toHaveProperty('ownApproval');
    await using refusing = await startFakeGate();
    refusing.answer(() => ({ status: 403, body: { title: 'Forbidden', status: 403 } }));
    expect(await codeOf([ASK], refusing, { RESULT_FILE })).toBe(2);
    expect(await readFile(RESULT_FILE, 'utf8')).toBe('');
  });

  test('ask.sh keeps nothing in RESULT_FILE of a request that Gatepost no longer knows', async () => {
    await using gate = await startFakeGate('PENDING');
    const RESULT_FILE = join(bin.folder, 'renewed');
    const first = {
      id: '0-first',
      status: 'PENDING',
      url: '/',
      serviceStatus: 'odd',
      final: false,
    };
    const unknown = { title: 'Unknown', status: 404 };
    const answers = [
      { status: 202, body: first },
      { status: 200, body: first },
      { status: 404, body: unknown },
    ];
    gate.answer(() => answers.shift());
    await using program = run([ASK], gate, { RESULT_FILE });
    await program.line(/^Asked: "/);
    expect(await endedBy(program, 'SIGTERM')).toBe(130);
    const seen = JSON.parse(await readFile(RESULT_FILE, 'utf8'));
    expect(seen).toMatchObject({ status: 'WITHDRAWN', digest: '0'.repeat(64) });
    expect(seen).not.toHaveProperty('serviceStatus');
  });

  test('ask.sh ends with its code although one of its processes ends while it cleans up', async () => {
    const script = await readFile(ASK, 'utf8');
    const late = script.replace(/^(secret_header\(\) \{ .*;) \}$/m, '$1 exec >&-; sleep 0.5; }');
    expect(late).not.toBe(script);
    const PATH = await pathWith('rm', `PATH='${bin.PATH}'; sleep 1; exec rm "$@"`);
    const path = await fileWith('late.sh', late);
    expect(await codeOf([path], gates.APPROVED, { PATH })).toBe(0);
  });

  test('a report ends with 0, and with 2 when it is refused', async () => {
    const { APPROVED } = gates;
    const KEY = `reported in ${program} ${words.join(' ')}`;
    expect(await codeOf([ASK], APPROVED, { KEY })).toBe(0);
    const ID = APPROVED.requests.find(({ body }) => body.key === KEY)?.id ?? '';
    const report = (state: string, env: Env) => codeOf([ASK, 'report', state], APPROVED, env);
    expect(await report('running', { ID, CLAIM: 'one' })).toBe(0);
    expect(await report('running', { ID, CLAIM: 'other' })).toBe(2);
    expect(await report('failed', { ID: 'none' })).toBe(2);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1'] as const)(
    'ask.sh ends after %s with 130',
    async (signal) => {
      await using waiting = run([ASK], gates.PENDING);
      await waiting.line(/^Asked: "/);
      expect(await endedBy(waiting, signal)).toBe(130);
    },
  );

  test('ask.sh goes on after a signal that was ignored when it started', async () => {
    const id = '0-0000000000000000';
    await using gate = await startFakeGate();
    const answers = (status: string) =>
      gate.answer(() => ({ status: 200, body: { id, status, outcome: { by: [] } } }));
    answers('PENDING');
    const script = `trap '' HUP; exec '${program}' ${[...words, ASK].join(' ')}`;
    await using waiting = runProgram(
      ['-c', script],
      { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 'secret', TITLE: 'Deploy', PATH: bin.PATH },
      '/bin/sh',
    );
    await gate.called('GET /v1/approvals/{id}');
    waiting.kill('SIGHUP');
    answers('REJECTED');
    expect(await waiting.ended).toBe(1);
  });

  test('an unexpected end of ask.sh is neither 0 nor 1', async () => {
    const script = await readFile(ASK, 'utf8');
    const half = script.slice(0, script.indexOf('# Saves Gatepost'));
    const broken = `${half}\nif (\n`;
    const ends = [
      codeOf([await fileWith('half.sh', half)], gates.APPROVED),
      codeOf([await fileWith('broken.sh', broken)], gates.APPROVED),
      codeOf([ASK], gates.APPROVED, { PATH: await pathWith('date', 'echo 1 a') }),
    ];
    expect(await Promise.all(ends)).toEqual([5, 5, 5]);
  });

  test('no program is started with the secret in its arguments', async () => {
    const GATEPOST_INTAKE_SECRET = 'not-for-others';
    const seen = join(bin.folder, 'seen');
    const programs = ['printf', 'jq', 'curl', 'tr', 'cat', 'sed', 'echo'];
    const shim = (name: string) =>
      pathWith(name, `PATH='${bin.PATH}'; echo "$0 $*" >>'${seen}'; exec ${name} "$@"`);
    let PATH = bin.PATH;
    for (const name of programs) PATH = `${(await shim(name)).split(':')[0]}:${PATH}`;
    expect(await codeOf([ASK], gates.APPROVED, { GATEPOST_INTAKE_SECRET, PATH })).toBe(0);
    const all = await readFile(seen, 'utf8');
    expect(all).toMatch(/curl -q .*\/v1\/approvals/);
    expect(all).not.toContain(GATEPOST_INTAKE_SECRET);
  });

  test('the hook ends with 0 for an approval and for a call that ASK_BEFORE does not match, otherwise with 2', async () => {
    const { APPROVED, REJECTED, PENDING } = gates;
    const ends = [
      hook('make deploy', APPROVED),
      hook('ls', REJECTED, { ASK_BEFORE: 'make\\s+deploy' }),
      hook('make deploy', REJECTED, { ASK_BEFORE: 'make\\s+deploy' }),
      hook('ls', APPROVED, { ASK_BEFORE: 'a\\|b' }),
      hook('make deploy', PENDING, { TIMEOUT_S: '10' }),
      hook('make deploy', APPROVED, { GATEPOST_URL: '' }),
    ].map(async (started) => {
      await using program = await started;
      return await program.ended;
    });
    expect(await Promise.all(ends)).toEqual([0, 0, 2, 2, 2, 2]);
  });

  test.each([
    ['git  push', 'git push origin', 1],
    ['git +push', 'git push origin', 0],
    ['a\\|b', 'a', 2],
  ])('--check with %s about %s ends with %i', async (ASK_BEFORE, command, code) => {
    expect(await codeOf([HOOK, '--check', command], gates.APPROVED, { ASK_BEFORE })).toBe(code);
  });

  test('the hook takes a call that is longer than an argument can be', async () => {
    const long = `${'#'.repeat(300_000)}\nmake deploy`;
    await using asked = await hook(long, gates.REJECTED, { ASK_BEFORE: 'make deploy$' });
    expect(await asked.ended).toBe(2);
    expect(asked.output.join()).toContain('People rejected this call');
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const)(
    'the hook ends after %s with 2',
    async (signal) => {
      const earlier = gates.PENDING.requests.length;
      await using waiting = await hook('make deploy', gates.PENDING);
      await expect.poll(() => gates.PENDING.requests.length).toBeGreaterThan(earlier);
      waiting.kill(signal);
      expect(await waiting.ended).toBe(2);
      expect(waiting.output.join()).toContain('The hook was ended before there was a decision');
    },
  );

  test('result.sh sets the outputs of the action, and ends with 0', async () => {
    const outputs = {
      GITHUB_OUTPUT: join(bin.folder, 'output'),
      GITHUB_STEP_SUMMARY: join(bin.folder, 'summary'),
    };
    const RESULT_FILE = await fileWith('result.json', '{"id":"0-a","status":"APPROVED"}');
    const script = [pathOf('github/result.sh')];
    expect(await codeOf(script, gates.APPROVED, { RESULT_FILE, ...outputs })).toBe(0);
    expect(await readFile(outputs.GITHUB_OUTPUT, 'utf8')).toContain('status=APPROVED\n');
    expect(await codeOf(script, gates.APPROVED, { RESULT_FILE: '/nowhere', ...outputs })).toBe(0);
  });
});
