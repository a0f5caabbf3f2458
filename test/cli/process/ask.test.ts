import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../e2e/crash/run-program.ts';
import { type FakeGate, startFakeGate } from '../../support/fake-gate.ts';
import { PROGRAM } from '../../support/program.ts';
import { DEPLOYS, startWorld } from '../../support/world.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ask-process-'));
});
afterEach(() => rm(folder, { recursive: true }));

const envOf = (url: string, secret = 'secret') => ({
  PATH: process.env.PATH,
  GATEPOST_URL: url,
  GATEPOST_INTAKE_SECRET: secret,
});

/** The program itself, which shares its streams and signals with its command. */
const program = (gate: FakeGate, words: readonly string[], more: Record<string, string> = {}) =>
  runProgram([PROGRAM, 'ask', '--title', 'Deploy', ...words], { ...envOf(gate.url), ...more });

const REPORT = 'POST /v1/approvals/{id}/result';

const reportsOf = (gate: FakeGate) =>
  gate.requests.flatMap(({ reports }) =>
    reports.map(({ state, text }) => (text === undefined ? state : `${state}: ${text}`)),
  );

/** A command that appends a line to a file each time it runs. */
const marking = () => ['--run', '--', 'sh', '-c', `echo ran >> ${join(folder, 'ran')}`];
const hasRun = () =>
  readFile(join(folder, 'ran')).then(
    () => true,
    () => false,
  );

describe('ask --run as a process', () => {
  test('an unexpected error ends with 125 and runs nothing', async () => {
    await using gate = await startFakeGate();
    const broken =
      'process.stderr.write=()=>{delete process.stderr.write;throw new Error("broken")}';
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(broken)}`;
    await using ask = program(gate, marking(), { NODE_OPTIONS });
    expect(await ask.ended).toBe(125);
    expect(ask.output.join('\n')).toContain('Error: broken');
    expect(await hasRun()).toBe(false);
  });

  test.each([
    'SIGTERM',
    'SIGINT',
    'SIGQUIT',
    'SIGUSR1',
    'SIGUSR2',
    'SIGALRM',
    'SIGVTALRM',
  ] as const)('%s goes to the command', async (signal) => {
    await using gate = await startFakeGate();
    const command = `trap 'exit 7' ${signal.slice(3)}; echo ready; while :; do sleep 0.1; done`;
    await using ask = program(gate, ['--run', '--', 'sh', '-c', command]);
    await ask.line(/^ready$/);
    ask.kill(signal);
    expect(await ask.ended).toBe(7);
    expect(ask.output.join()).not.toMatch(/Withdraw|Debugger/);
    expect(reportsOf(gate)).toEqual(['running', 'failed: Exit code 7']);
  });

  test.each([
    ['SIGHUP', []],
    ['SIGINT', ['--ignore', 'INT']],
  ] as const)(
    '%s without a terminal ends neither ask nor the command: %j',
    async (signal, words) => {
      await using gate = await startFakeGate();
      const flag = join(folder, 'flag');
      const command = `echo ready $$; until test -e ${flag}; do sleep 0.1; done; exit 9`;
      await using ask = program(gate, [...words, '--run', '--', 'sh', '-c', command]);
      const ready = await ask.line(/^ready \d+$/);
      // As when a login ends: it goes to both.
      ask.kill(signal);
      process.kill(Number(ready.split(' ')[1]), signal);
      await writeFile(flag, '');
      expect(await ask.ended).toBe(9);
      expect(reportsOf(gate)).toEqual(['running', 'failed: Exit code 9']);
    },
  );

  test.each([
    [['--wait'], 5],
    [['--run', '--', 'true'], 125],
  ])('in a folder that was removed says so: %j', async (words, code) => {
    await using gate = await startFakeGate();
    const gone = join(folder, 'gone');
    await mkdir(gone);
    const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
    const ask = [process.execPath, resolve(PROGRAM), 'ask', '--title', 'Deploy', ...words];
    await using shell = runProgram(['-c', script, 'sh', gone, ...ask], envOf(gate.url), '/bin/sh');
    expect(await shell.ended).toBe(code);
    expect(shell.output).toEqual([
      'The current folder does not exist any more. Change to another one.',
    ]);
    expect(gate.calls).toEqual([]);
  });

  test('a signal ends the reports of a result that cannot be reported', async () => {
    await using gate = await startFakeGate();
    const isEnd = (call: string) => call === REPORT && reportsOf(gate).length > 0;
    gate.answer((call) => (isEnd(call) ? { status: 503 } : undefined));
    await using ask = program(gate, ['--run', '--', 'sh', '-c', 'exit 4']);
    await expect.poll(() => gate.calls.filter((call) => call === REPORT).length).toBe(3);
    ask.kill('SIGTERM');
    expect(await ask.ended).toBe(4);
  });

  test('a second signal while people are asked ends with 125 and runs nothing', async () => {
    await using gate = await startFakeGate('PENDING');
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    gate.before((call) => (call.endsWith('/withdraw') ? isAsked() : undefined));
    gate.answer((call) => (call.endsWith('/withdraw') ? { status: 503 } : undefined));
    await using ask = program(gate, ['--key', 'twice', '--withdraw-on-cancel', ...marking()]);
    await ask.line(/Waiting for/);
    ask.kill('SIGTERM');
    await asked;
    ask.kill('SIGTERM');
    expect(await ask.ended).toBe(125);
    expect(await hasRun()).toBe(false);
  });
});

describe('ask --wait as a process', () => {
  test.each(['SIGTERM', 'SIGQUIT', 'SIGUSR1', 'SIGINT'] as const)(
    '%s withdraws a request that nobody will resume',
    async (signal) => {
      await using gate = await startFakeGate('PENDING');
      await using ask = program(gate, ['--wait']);
      await ask.line(/Waiting for/);
      ask.kill(signal);
      expect(await ask.ended).toBe(130);
      expect(ask.output).toContain('Interrupted. The request was withdrawn.');
      expect(gate.requests.map(({ status }) => status)).toEqual(['WITHDRAWN']);
    },
  );

  test('SIGHUP without a terminal does not end it', async () => {
    await using gate = await startFakeGate('PENDING');
    await using ask = program(gate, ['--wait', '--timeout', '5s']);
    await ask.line(/Waiting for/);
    ask.kill('SIGHUP');
    await ask.line(/Timed out/);
    expect(await ask.ended).toBe(3);
  });

  test('an interruption waits two seconds for the withdrawal', async () => {
    await using gate = await startFakeGate('PENDING');
    await using ask = program(gate, ['--wait']);
    await ask.line(/Waiting for/);
    gate.before((call) => (call.endsWith('/withdraw') ? new Promise(() => {}) : undefined));
    ask.kill('SIGTERM');
    expect(await ask.ended).toBe(130);
    expect(ask.output.join('\n')).toContain('Gatepost cannot be reached');
  });
});

describe('ask as a process, of a running bot', () => {
  /** A bot, and the message with a title once it is there. */
  async function bot() {
    const world = await startWorld();
    const { sandbox } = world;
    const env = envOf(world.app.url, sandbox.credentials.intakeSecret);
    const messageWith = async (text: string) => {
      const find = () =>
        sandbox.workspace.messages(DEPLOYS).find((each) => each.text.includes(text));
      return (await sandbox.until(find, { what: text })).ts;
    };
    return { ...world, env, messageWith };
  }

  test('resumes with the same key after it was killed', async () => {
    await using world = await bot();
    const words = [PROGRAM, 'ask', '--title', 'Killed', '--key', 'killed', '--wait'];
    const first = runProgram(words, world.env);
    await first.line(/Waiting for/);
    const ts = await world.messageWith('Killed');
    await first[Symbol.asyncDispose]();
    await world.click('U0ANA', ts, 'Approve');
    await using second = runProgram(words, world.env);
    expect(await second.ended).toBe(0);
    expect(second.output.join()).toMatch(/Approved by Ana \(U0ANA\) .* ago\./);
    const texts = world.sandbox.workspace.calls('chat.postMessage').map(({ args }) => args.text);
    expect(texts.filter((text) => String(text).startsWith('Decision needed: Killed'))).toHaveLength(
      1,
    );
  });

  test.each([
    ['Approve', 0],
    ['Reject', 1],
  ])('keeps waiting and ends as decided when its output is closed: %s', async (label, code) => {
    await using world = await bot();
    const ask = `"${process.execPath}" "${PROGRAM}" ask --title Unread --wait`;
    // Nothing reads either output from the beginning.
    const script = `{ ${ask} 2>&1; echo "ended with $?" >&3; } 3>&2 | true`;
    await using program = runProgram(['-c', script], world.env, '/bin/sh');
    await world.click('U0ANA', await world.messageWith('Unread'), label);
    expect(await program.line(/ended/)).toBe(`ended with ${code}`);
    expect(program.output).toHaveLength(1);
  });

  test('accepts a token of the service on stdin', async () => {
    await using world = await bot();
    const { service } = world.sandbox;
    const { token } = service.createApproval();
    const script = `printf '%s\\n' "$TOKEN" | "${process.execPath}" "${PROGRAM}" ask --token-stdin --message 'With a token' --wait`;
    await using program = runProgram(['-c', script], { ...world.env, TOKEN: token }, '/bin/sh');
    await world.click('U0ANA', await world.messageWith('With a token'), 'Approve');
    expect(await program.ended).toBe(0);
    expect(service.approval(token).status).toBe('APPROVED');
    expect(program.output.join()).not.toContain(token);
  });
});
