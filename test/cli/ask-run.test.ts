import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { agoText } from '../../ask/end.ts';
import { Interruption } from '../../src/cli/terminal.ts';
import { runProgram } from '../e2e/crash/run-program.ts';
import { type FakeGate, startFakeGate } from '../support/fake-gate.ts';
import { PROGRAM } from '../support/program.ts';
import { hurried, impatient } from './hurried.ts';
import { type RunOptions, runHere } from './run-here.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ask-run-'));
});
afterEach(() => rm(folder, { recursive: true }));

const ASK = 'POST /v1/approvals';
const READ = 'GET /v1/approvals/{id}';
const REPORT = 'POST /v1/approvals/{id}/result';

const env = ({ url }: FakeGate) => ({
  PATH: process.env.PATH,
  GATEPOST_URL: url,
  GATEPOST_INTAKE_SECRET: 'secret',
});

const run = (gate: FakeGate, words: readonly string[], options: RunOptions = {}) =>
  runHere(['ask', '--title', 'Deploy', ...words], { env: env(gate), ...options });

/** A command that appends a line to a file each time it runs. */
const marking = () => ['--run', '--', 'sh', '-c', `echo ran >> ${join(folder, 'ran')}`];
const runs = async () =>
  (await readFile(join(folder, 'ran'), 'utf8').catch(() => '')).split('\n').length - 1;

const reportsOf = (gate: FakeGate) =>
  gate.requests.flatMap(({ reports }) =>
    reports.map(({ state, text }) => (text === undefined ? state : `${state}: ${text}`)),
  );

/** Interrupts a command once it waits for a decision: its second read is the first that waits. */
function whenWaiting(
  gate: FakeGate,
  by: Interruption['by'],
  before: (call: string) => unknown = () => {},
): AbortSignal {
  const controller = new AbortController();
  let reads = 0;
  gate.before((call) => {
    if (call === READ) reads += 1;
    if (reads === 2) controller.abort(new Interruption(by));
    return before(call);
  });
  return controller.signal;
}

describe('ask --run', () => {
  test.each([
    [['sh', '-c', 'exit 0'], 0, 'succeeded'],
    [['sh', '-c', 'exit 3'], 3, 'failed: Exit code 3'],
    [['sh', '-c', 'kill -TERM $$'], 143, 'failed: Ended by SIGTERM'],
    [['no-such-command'], 127, 'failed: Could not be started'],
    [['./package.json'], 126, 'failed: Could not be started'],
    [['true', '\0'], 126, 'failed: Could not be started'],
  ])('%j ends with %i, and reports that it %s', async (words, code, reported) => {
    await using gate = await startFakeGate();
    const ended = await run(gate, ['--run', '--', ...words]);
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toContain('Approved by Ana (U0ANA).\n');
    expect(reportsOf(gate)).toEqual(['running', reported]);
  });

  test('says why a command could not be started', async () => {
    await using gate = await startFakeGate();
    const missing = await run(gate, ['--run', '--', 'no-such-command']);
    expect(missing.err).toMatch(/^no-such-command was not found\.$/m);
    const refused = await run(gate, ['--run', '--', './package.json']);
    expect(refused.err).toMatch(/^\.\/package\.json cannot be executed \(EACCES\)\.$/m);
  });

  test('connects the command to its own streams, and passes its arguments unchanged', async () => {
    await using gate = await startFakeGate();
    const command = `echo typed | '${process.execPath}' '${PROGRAM}' ask --title Deploy --run -- sh -c 'cat; echo "$1"; echo wrong >&2' sh '--title $x' 2>/dev/null`;
    await using shell = runProgram(['-c', command], env(gate), '/bin/sh');
    expect(await shell.ended).toBe(0);
    expect(shell.output).toEqual(['typed', '--title $x']);
  });

  test.each([
    ['REJECTED', 'Nothing was run. Rejected by Ana (U0ANA).'],
    ['TIMED_OUT', 'Nothing was run. Timed out: nobody decided in time.'],
    ['WITHDRAWN', 'Nothing was run. Withdrawn: nothing was decided.'],
    ['BLOCKED', 'Nothing was run. Not decided: Slack refuses the message'],
  ])('%s runs nothing, and ends with 125', async (status, said) => {
    await using gate = await startFakeGate(status);
    const ended = await run(gate, marking());
    expect(ended).toMatchObject({ code: 125, out: '' });
    expect(ended.err).toContain(said);
    expect(await runs()).toBe(0);
    expect(gate.calls).not.toContain(REPORT);
  });

  test.each([
    [['--run'], '--run needs a command'],
    [['--run', '--json', '--', 'true'], '--json and --run exclude each other'],
    [['--run', '--no-wait', '--', 'true'], '--no-wait and --run exclude each other'],
    [['--timeout', 'soon', '--run', '--', 'true'], 'duration such as'],
    [['--bind', 'none', '--run', '--', 'true'], '--bind none does not exist.'],
    [['--run', '--unknown', '--', 'true'], 'unknown option'],
    [['Run', 'ls', '--run', '--', './x'], 'put all of the command there, and nothing before it'],
    [['--run', 'ls', '--', 'a', '--', 'b'], 'nothing before it'],
    [['--run', 'ls'], 'nothing before it'],
  ])('%j ends with 125', async (words, said) => {
    await using gate = await startFakeGate();
    const ended = await run(gate, words);
    expect(ended).toMatchObject({ code: 125, out: '' });
    expect(ended.err).toContain(said);
    expect(gate.calls).toEqual([]);
  });

  test('the command can have a -- of its own', async () => {
    await using gate = await startFakeGate();
    const ended = await run(gate, ['--run', '--', 'test', 'a', '=', '--']);
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(reportsOf(gate)).toEqual(['running', 'failed: Exit code 1']);
  });

  test.each([
    [['--', 'sh', '--run'], 'A command needs --run'],
    [['--bind', 'package.json'], '--bind needs --run'],
  ])('without --run, %j ends with 2', async (words, said) => {
    await using gate = await startFakeGate();
    const ended = await run(gate, words);
    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toContain(said);
  });

  test('nothing runs when Gatepost refuses the request or cannot be reached', async () => {
    await using gate = await startFakeGate();
    gate.answer(() => ({ status: 503 }));
    const away = await run(gate, ['--timeout', '1s', ...marking()], { system: hurried() });
    expect(away).toMatchObject({ code: 125, out: '' });
    expect(away.err).toContain('Nothing was run. It is not known whether the request was made.');
    const refusal = { type: 'about:blank', title: 'No', status: 403, detail: 'Not this route.' };
    gate.answer(() => ({ status: 403, body: refusal }));
    const refused = await run(gate, marking());
    expect(refused).toMatchObject({ code: 125, out: '' });
    expect(refused.err).toContain('Nothing was run. Gatepost refused the request (403)');
    expect(await runs()).toBe(0);
  });
});

describe('an approval with --run', () => {
  test('runs nothing when its key was already used, and says what became of that run', async () => {
    await using gate = await startFakeGate();
    const words = ['--key', 'deploy-7', ...marking()];
    expect(await run(gate, words)).toMatchObject({ code: 0 });
    const again = await run(gate, words);
    expect(again).toMatchObject({ code: 125, out: '' });
    expect(again.err).toContain(
      'Nothing was run: this approval was already used (succeeded, 2 h ago). Ask again with another --key.\n',
    );
    expect(await runs()).toBe(1);
    expect(reportsOf(gate)).toEqual(['running', 'succeeded']);
  });

  test('runs only one of two commands started at the same time', async () => {
    await using gate = await startFakeGate();
    // Both have read it before either claims it.
    let isBoth = () => {};
    const both = new Promise<void>((resolve) => {
      isBoth = resolve;
    });
    let claims = 0;
    gate.before((call) => {
      if (call !== REPORT) return undefined;
      claims += 1;
      if (claims === 2) isBoth();
      return both;
    });
    const words = ['--key', 'deploy-7', ...marking()];
    const ended = await Promise.all([run(gate, words), run(gate, words)]);
    expect(ended.map(({ code }) => code).toSorted()).toEqual([0, 125]);
    expect(ended.map(({ err }) => err).join('')).toContain(
      'Nothing was run: Gatepost refused the request (409): Another run has already reported.',
    );
    expect(await runs()).toBe(1);
    expect(reportsOf(gate)).toEqual(['running', 'succeeded']);
  });

  test.each([{ status: 503 }, { status: 200, isCut: true }] as const)(
    'sends a claim again after the answer %j',
    async (lost) => {
      await using gate = await startFakeGate();
      const answers = [lost];
      gate.answer((call) => (call === REPORT ? answers.shift() : undefined));
      expect(await run(gate, marking(), { system: hurried() })).toMatchObject({ code: 0 });
      expect(await runs()).toBe(1);
      expect(reportsOf(gate)).toEqual(['running', 'succeeded']);
    },
  );

  test('runs nothing when its claim is never answered', async () => {
    await using gate = await startFakeGate();
    gate.answer((call) => (call === REPORT ? { status: 503 } : undefined));
    const ended = await run(gate, marking(), { system: hurried() });
    expect(ended).toMatchObject({ code: 125, out: '' });
    expect(ended.err).toContain(
      'Nothing was run: it is not known whether the approval was claimed. Gatepost cannot answer now (503).',
    );
    expect(await runs()).toBe(0);
  });
});

describe('a result that cannot be reported', () => {
  test.each([
    [503, 'It is not known whether the result was reported. Gatepost cannot answer now (503).'],
    [409, 'The result was not reported. Gatepost refused the request (409): No.'],
  ])('after %i leaves the exit code as it is', async (status, said) => {
    await using gate = await startFakeGate();
    const body = { type: 'about:blank', title: 'No.', status };
    gate.answer((call) =>
      call === REPORT && reportsOf(gate).length > 0 ? { status, body } : undefined,
    );
    const words = ['--run', '--', 'sh', '-c', 'exit 4'];
    const ended = await run(gate, words, { system: hurried() });
    expect(ended.code).toBe(4);
    expect(ended.err).toContain(said);
  });

  test('is reported again until a signal interrupts it', async () => {
    await using gate = await startFakeGate();
    let take: (signal: NodeJS.Signals) => void = () => {};
    let reports = 0;
    gate.before((call) => {
      if (call !== REPORT) return;
      reports += 1;
      if (reports === 3) take('SIGTERM');
    });
    gate.answer((call) => (call === REPORT && reports > 1 ? { status: 503 } : undefined));
    const ended = await run(gate, ['--run', '--', 'sh', '-c', 'exit 4'], {
      system: hurried(),
      takeSignals: (taken) => {
        take = taken;
      },
    });
    expect(ended.code).toBe(4);
    expect(reports).toBe(3);
  });
});

describe('signals during --run', () => {
  /** Runs a shell script with these traps, which then waits, and says how to send a signal once it does. */
  async function trapping(gate: FakeGate, traps: string, options: RunOptions = {}) {
    const ready = join(folder, 'ready');
    const script = `${traps}; echo > ${ready}; while :; do sleep 0.1; done`;
    let send: (signal: NodeJS.Signals) => void = () => {};
    const ended = run(gate, ['--run', '--', 'sh', '-c', script], {
      takeSignals: (take) => {
        send = take;
      },
      ...options,
    });
    await expect.poll(() => readFile(ready).catch(() => undefined)).toBeDefined();
    return { ended, send: (signal: NodeJS.Signals) => send(signal) };
  }

  test.each([
    ['SIGTERM', {}],
    ['SIGINT', {}],
    ['SIGUSR1', {}],
    ['SIGHUP', { columns: 80 }],
  ] as const)('%s goes to the command: %j', async (signal, options) => {
    await using gate = await startFakeGate();
    const { ended, send } = await trapping(gate, `trap 'exit 7' ${signal.slice(3)}`, options);
    send(signal);
    expect(await ended).toMatchObject({ code: 7, err: expect.not.stringContaining('Withdraw') });
    expect(reportsOf(gate)).toEqual(['running', 'failed: Exit code 7']);
  });

  test('a signal that the command survives does not end the run', async () => {
    await using gate = await startFakeGate();
    const again = join(folder, 'again');
    const { ended, send } = await trapping(gate, `trap 'echo > ${again}' TERM; trap 'exit 0' INT`);
    send('SIGTERM');
    await expect.poll(() => readFile(again).catch(() => undefined)).toBeDefined();
    send('SIGINT');
    expect(await ended).toMatchObject({ code: 0 });
  });

  test('Ctrl-C in a terminal is not sent to the command a second time', async () => {
    await using gate = await startFakeGate();
    const traps = `trap 'exit 9' INT; trap 'exit 7' TERM`;
    const { ended, send } = await trapping(gate, traps, { columns: 80 });
    send('SIGINT');
    send('SIGTERM');
    expect(await ended).toMatchObject({ code: 7 });
  });

  test('a signal while people are asked runs nothing', async () => {
    await using gate = await startFakeGate('PENDING');
    const ended = await run(gate, marking(), { signal: whenWaiting(gate, 'SIGTERM') });
    expect(ended).toMatchObject({ code: 125, out: '' });
    expect(ended.err).toContain('Nothing was run. Interrupted. The request was withdrawn.');
    expect(await runs()).toBe(0);
  });

  test('a signal during the claim runs nothing, and is reported to Gatepost', async () => {
    await using gate = await startFakeGate();
    const controller = new AbortController();
    gate.before((call) => call === REPORT && controller.abort(new Interruption('SIGTERM')));
    const ended = await run(gate, marking(), { signal: controller.signal });
    expect(ended).toMatchObject({ code: 125, out: '' });
    expect(ended.err).toContain('Nothing was run: it was interrupted.');
    expect(await runs()).toBe(0);
    expect(reportsOf(gate)).toEqual(['running', 'failed: Not started: it was interrupted.']);
  });
});

describe('ask --bind', () => {
  /** A script, and its name as the request has it. */
  async function script(name = 'deploy.sh') {
    const path = join(folder, name);
    await writeFile(path, 'echo deployed');
    return { path, name: relative('', path), change: () => writeFile(path, 'rm -rf /') };
  }
  const SHA256 = createHash('sha256').update('echo deployed').digest('hex');

  test('lists the digests of the files and the command in the request', async () => {
    await using gate = await startFakeGate();
    const [one, other] = [await script(), await script('other.sh')];
    const bind = [one, other].flatMap(({ path }) => [
      '--bind',
      `${folder}/./${path.slice(folder.length)}`,
    ]);
    expect(await run(gate, ['--field', 'Version=4', ...bind, ...marking()])).toMatchObject({
      code: 0,
    });
    expect(gate.requests[0]?.body.fields).toEqual({
      Version: '4',
      [`SHA-256 of ${one.path}`]: SHA256,
      [`SHA-256 of ${other.path}`]: SHA256,
      Command: expect.stringMatching(/^sh -c '.*'$/),
    });
    expect(await runs()).toBe(1);
  });

  test('names each file letter by letter, and two files never the same', async () => {
    await using gate = await startFakeGate();
    const signs = Array.from({ length: 127 }, (_, at) => String.fromCharCode(at + 1));
    const paths = signs
      .filter((sign) => sign !== '/')
      .flatMap((sign) => [`a${sign}b`, `a${sign}${sign}b`, `${sign}`])
      .filter((name) => name !== '.')
      .map((name) => join(folder, name));
    await Promise.all(paths.map((path) => writeFile(path, path)));
    await run(gate, [...paths.flatMap((path) => ['--bind', path]), ...marking()]);
    const fields = new Map(Object.entries(gate.requests[0]?.body.fields ?? {}));
    expect(fields.size).toBe(paths.length + 1);
    for (const path of paths) {
      const isPlain = /^[!-~]+(?: [!-~]+)*$/u.test(path);
      const escaped = path.replace(
        /[^!-~]|['\\]/gu,
        (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
      const sha256 = createHash('sha256').update(path).digest('hex');
      expect(fields.get(`SHA-256 of ${isPlain ? path : `$'${escaped}'`}`)).toBe(sha256);
    }
  });

  test('quotes the command in the request, so that different commands never look the same', async () => {
    await using gate = await startFakeGate();
    await run(gate, ['--run', '--', 'echo', "it's", 'a b', '']);
    await run(gate, ['--run', '--', 'echo', "it's", 'a', 'b', '']);
    expect(gate.requests.map(({ body }) => body.fields)).toEqual([
      { Command: "echo 'it'\\''s' 'a b' ''" },
      { Command: "echo 'it'\\''s' a b ''" },
    ]);
  });

  test('sends every character of the command', async () => {
    await using gate = await startFakeGate();
    const signs = Array.from({ length: 127 }, (_, at) => String.fromCharCode(at + 1)).join('');
    await run(gate, ['--run', '--', 'true', signs]);
    expect(gate.requests[0]?.body.fields).toEqual({
      Command: `true '${signs.replace("'", "'\\''")}'`,
    });
  });

  test('a file that changes while people decide runs nothing, and leaves the approval unused', async () => {
    await using gate = await startFakeGate();
    const { path, change } = await script();
    gate.before((call) => call === READ && change());
    const ended = await run(gate, ['--bind', path, ...marking()]);
    expect(ended).toMatchObject({ code: 125, out: '' });
    expect(ended.err).toContain(`Nothing was run: ${path} has changed since people were asked.`);
    expect(await runs()).toBe(0);
    expect(gate.calls).not.toContain(REPORT);
  });

  test.each([
    [
      'changes',
      (path: string) => writeFile(path, 'rm -rf /'),
      'has changed since people were asked.',
    ],
    ['is gone', (path: string) => rm(path, { force: true }), 'does not exist.'],
  ])('runs nothing when a file %s during the claim, and reports that', async (_, act, why) => {
    await using gate = await startFakeGate();
    const { path } = await script();
    gate.before((call) => call === REPORT && act(path));
    const ended = await run(gate, ['--bind', path, ...marking()]);
    expect(ended).toMatchObject({ code: 125, out: '' });
    expect(ended.err).toContain(`Nothing was run: ${path} ${why}`);
    expect(await runs()).toBe(0);
    expect(reportsOf(gate)).toEqual(['running', `failed: Not started: ${path} ${why}`]);
  });
});

describe('ask --wait, interrupted', () => {
  describe.each(['SIGTERM', 'SIGHUP'] as const)('by %s', (by) => {
    test.each<[string, string[], string, string]>([
      [
        'a request of its own is withdrawn',
        [],
        'WITHDRAWN',
        'Interrupted. The request was withdrawn.',
      ],
      [
        'one with a key stays',
        ['--key', 'k'],
        'PENDING',
        'Interrupted. The request was not withdrawn. Run this again with --key k to resume it.',
      ],
      [
        'one with a key goes where that is wanted',
        ['--key', 'k', '--withdraw-on-cancel'],
        'WITHDRAWN',
        'Interrupted. The request was withdrawn.',
      ],
    ])('%s', async (_, words, status, said) => {
      await using gate = await startFakeGate('PENDING');
      const ended = await run(gate, ['--wait', ...words], { signal: whenWaiting(gate, by) });
      expect(ended).toMatchObject({ code: 130, out: `${said}\n` });
      expect(gate.requests.map((each) => each.status)).toEqual([status]);
    });
  });

  test('with --json prints the final status of the request', async () => {
    await using gate = await startFakeGate('PENDING');
    const signal = whenWaiting(gate, 'SIGTERM');
    const { code, out } = await run(gate, ['--wait', '--json'], { signal });
    expect(code).toBe(130);
    expect(JSON.parse(out)).toMatchObject({ status: 'WITHDRAWN', final: true, exitCode: 130 });
  });

  test('during the first request withdraws what may have arrived', async () => {
    await using gate = await startFakeGate('PENDING');
    const controller = new AbortController();
    const rules = [() => controller.abort(new Interruption('SIGTERM'))];
    gate.before((call) => (call === ASK ? rules.shift()?.() : undefined));
    const ended = await run(gate, ['--wait'], { signal: controller.signal });
    expect(ended).toMatchObject({ code: 130, out: 'Interrupted. The request was withdrawn.\n' });
    expect(gate.requests.map(({ status }) => status)).toEqual(['WITHDRAWN']);
  });

  test.each([
    ['y', 'The request was withdrawn.'],
    ['', 'The request was withdrawn.'],
    ['n', 'The request was not withdrawn.'],
  ])(
    'by Ctrl-C in a terminal asks whether to withdraw a request without a key: %j',
    async (types, said) => {
      await using gate = await startFakeGate('PENDING');
      const controller = new AbortController();
      const ended = run(gate, ['--wait'], { types, signal: controller.signal });
      await expect.poll(() => gate.calls.filter((call) => call === READ).length).toBe(2);
      controller.abort(new Interruption('SIGINT'));
      const { code, out, err } = await ended;
      expect(code).toBe(130);
      expect(out).toContain(`Interrupted. ${said}`);
      expect(err).toContain('Withdraw the request? [Y/n]');
    },
  );

  test('does not wait for a withdrawal that is not answered', async () => {
    await using gate = await startFakeGate('PENDING');
    const signal = whenWaiting(gate, 'SIGTERM', (call) =>
      call.endsWith('/withdraw') ? new Promise(() => {}) : undefined,
    );
    const { code, out } = await run(gate, ['--wait'], { signal, system: impatient });
    expect(code).toBe(130);
    expect(out).toContain(
      `It is not known whether the request was withdrawn. Gatepost cannot be reached at ${gate.url} (timeout).`,
    );
  });
});

describe('ask, repeated', () => {
  test.each([
    ['APPROVED', 0, 'Approved by Ana (U0ANA) 2 h ago.\n'],
    ['REJECTED', 1, 'Rejected by Ana (U0ANA) 2 h ago. Ask again with another --key.\n'],
    ['TIMED_OUT', 3, 'Timed out earlier: nobody decided in time. Ask again with another --key.\n'],
    ['WITHDRAWN', 4, 'Withdrawn 2 h ago: nothing was decided. Ask again with another --key.\n'],
  ])('with the key of a request that was %s says how long ago', async (status, code, out) => {
    await using gate = await startFakeGate(status);
    const words = ['--wait', '--key', 'k'];
    const first = await run(gate, words);
    expect(first.code).toBe(code);
    expect(first.out).not.toMatch(/ago|earlier|anew/);
    expect(await run(gate, words)).toMatchObject({ code, out });
  });

  test('with a newer request of the same name withdraws the older one', async () => {
    await using gate = await startFakeGate('PENDING');
    const words = (key: string) => ['--no-wait', '--key', key, '--supersedes', 'checkout/main'];
    expect(await run(gate, words('1'))).toMatchObject({ code: 0 });
    expect(await run(gate, words('2'))).toMatchObject({ code: 0 });
    expect(gate.requests.map(({ status }) => status)).toEqual(['WITHDRAWN', 'PENDING']);
    expect(await run(gate, words('1'))).toMatchObject({
      code: 4,
      out: 'Withdrawn 2 h ago: replaced by a newer request. Ask again with another --key.\n',
    });
  });

  test('ends with 5 without --wait while undecided, and with 0 with --no-wait', async () => {
    await using gate = await startFakeGate('PENDING');
    const link = 'https://acme.slack.com/archives/C0DEPLOYS/p1\n';
    const waited = 'and not waited for: there was no --wait (--no-wait ends with 0)';
    expect(await run(gate, [])).toMatchObject({
      code: 5,
      out: `Asked. Not decided yet, ${waited}. ${link}`,
    });
    expect(await run(gate, ['--wait', '--no-wait'])).toMatchObject({ code: 2, out: '' });
    expect(await run(gate, ['--no-wait'])).toMatchObject({
      code: 0,
      out: `Asked. Not decided yet. ${link}`,
    });
  });
});

test.each([
  [-5_000, 'less than a minute ago'],
  [59_999, 'less than a minute ago'],
  [60_000, '1 min ago'],
  [3_599_999, '59 min ago'],
  [3_600_000, '1 h ago'],
  [48 * 3_600_000 - 1, '47 h ago'],
  [48 * 3_600_000, '2 days ago'],
])('%i ms ago is shown as %s', (ms, text) => {
  expect(agoText(ms)).toBe(text);
});
