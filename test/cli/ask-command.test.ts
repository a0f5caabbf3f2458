import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/app/configuration.ts';
import { Interruption } from '../../src/cli/terminal.ts';
import { system } from '../../src/core/lib/system.ts';
import { startTestServer } from '../core/service/test-server.ts';
import { type FakeGate, startFakeGate } from '../support/fake-gate.ts';
import { type RunOptions, runHere } from './run-here.ts';

/** What `ask` does with the command and the files it is given. */

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ask-command-'));
});
afterEach(() => rm(folder, { recursive: true }));

const REPORT = 'POST /v1/approvals/{id}/result';

const run = ({ url }: FakeGate, words: readonly string[], options: RunOptions = {}) =>
  runHere(['ask', '--title', 'Deploy', ...words], {
    env: { PATH: process.env.PATH, GATEPOST_URL: url, GATEPOST_INTAKE_SECRET: 'secret' },
    ...options,
  });

async function script(text: string) {
  const path = join(folder, 'deploy.sh');
  await writeFile(path, text);
  await chmod(path, 0o755);
  return path;
}

describe('a script that cannot be executed', () => {
  test.each([
    ['#!/bin/sh\r\necho x\r\n', 'its first line ends in CR, as on Windows.'],
    ['#!/usr/bin/env bash\r\n', 'its first line ends in CR, as on Windows.'],
    ['#!/bin/sh -e\r\n', 'its first line ends in CR, as on Windows.'],
    ['#!/opt/none/python3\n', 'its interpreter /opt/none/python3 was not found.'],
    ['#! /opt/none -x', 'its interpreter /opt/none was not found.'],
    ['#!/usr/bin/env no-such-interpreter\n', 'its interpreter no-such-interpreter was not found.'],
    ['#!/usr/bin/env -S no-such-interpreter -u\n', 'its interpreter no-such-interpreter was not'],
  ])('is named before anybody is asked: %j', async (text, said) => {
    await using gate = await startFakeGate();
    const path = await script(text);
    const ended = await run(gate, ['--run', '--', path]);
    expect(ended).toMatchObject({ code: 126, out: '' });
    expect(ended.err).toContain(`${path} cannot be executed: ${said}`);
    expect(ended.err).toContain('Nobody was asked.');
    expect(gate.calls).toEqual([]);
  });

  test('is named when it became one while people decided', async () => {
    await using gate = await startFakeGate();
    const path = await script('#!/bin/sh\n');
    gate.before((call) => call === REPORT && script('#!/bin/sh\r\n'));
    const ended = await run(gate, ['--run', '--', path], { columns: 80 });
    expect(ended).toMatchObject({ code: 126 });
    expect(ended.err).toContain(`${path} cannot be executed: its first line ends in CR`);
  });

  test.each([
    '#!/bin/sh\nexit 0\n',
    '#!/usr/bin/env sh',
    '#!/usr/bin/env -S sh -e\n',
    '#!/usr/bin/env -S A=no-such sh\n',
    'exit 0\r\n',
  ])('is none of these: %j', async (text) => {
    await using gate = await startFakeGate();
    const ended = await run(gate, ['--run', '--', await script(text)]);
    expect(ended.err).toContain('Approved by');
  });
});

describe('the command', () => {
  test.each([
    [[], '[]'],
    [['--keep-secret'], '[secret]'],
  ])('has the secret only if that is said: %j', async (words, expected) => {
    await using gate = await startFakeGate();
    const command = ['sh', '-c', `test "[$GATEPOST_INTAKE_SECRET]" = "${expected}"`];
    expect(await run(gate, [...words, '--run', '--', ...command])).toMatchObject({ code: 0 });
  });

  test.each([
    ['HUP', [], {}, 0],
    ['INT', ['--ignore', 'INT,QUIT'], {}, 0],
    ['QUIT', ['--ignore', 'INT,QUIT'], {}, 0],
    ['HUP', ['--ignore', 'INT'], {}, 0],
    ['INT', ['--ignore', 'INT'], { columns: 80 }, 0],
    ['HUP', [], { columns: 80 }, 129],
    ['INT', [], {}, 130],
  ])('gets %s with %j and %j', async (signal, words, options, code) => {
    await using gate = await startFakeGate();
    const command = ['sh', '-c', `kill -${signal} $$; exit 0`];
    expect(await run(gate, [...words, '--run', '--', ...command], options)).toMatchObject({ code });
  });

  test('keeps variables that a shell could not set', async () => {
    await using gate = await startFakeGate();
    const env = {
      PATH: process.env.PATH,
      'BASH_FUNC_deploy%%': '() {  exit 7\n}',
      GATEPOST_URL: gate.url,
      GATEPOST_INTAKE_SECRET: 'secret',
    };
    const command = ['bash', '-c', 'deploy'];
    expect(await run(gate, ['--run', '--', ...command], { env })).toMatchObject({ code: 7 });
  });

  test.each([
    [['--ignore', 'KILL', '--run', '--', 'true'], 'but for KILL and STOP', 125],
    [['--ignore', 'INT,nothing'], 'Write names such as INT', 2],
    [['--keep-secret'], '--keep-secret needs --run', 2],
  ])('%j is wrong usage', async (words, said, code) => {
    await using gate = await startFakeGate();
    const ended = await run(gate, words);
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toContain(said);
  });

  test('is reported as running while it runs, each time for a few minutes', async () => {
    await using gate = await startFakeGate();
    const { timers } = system;
    // Only what happens every few minutes: a busy machine needs its time for an answer.
    const hasty = {
      ...timers,
      after: (ms: number, act: () => void) => timers.after(ms < 60_000 ? ms : ms / 2_000, act),
    };
    const flag = join(folder, 'flag');
    let reports = 0;
    gate.before(async (call) => {
      if (call !== REPORT) return;
      reports += 1;
      if (reports === 4) await writeFile(flag, '');
    });
    // One that is not received does not matter.
    gate.answer((call) => (call === REPORT && reports === 2 ? { status: 503 } : undefined));
    const command = ['sh', '-c', `while ! test -e ${flag}; do sleep 0.05; done`];
    const ended = await run(gate, ['--run', '--', ...command], {
      system: { ...system, timers: hasty },
    });
    expect(ended.code).toBe(0);
    const sent = gate.requests[0]?.reports ?? [];
    // A sign of life that is under way at the end can arrive after it: Gatepost ignores it then.
    const running = sent.filter(({ state }) => state === 'running');
    const others = sent.filter((each) => !running.includes(each));
    expect(others.map(({ state }) => state)).toEqual(['succeeded']);
    expect(running.length).toBeGreaterThanOrEqual(3);
    expect(running.map(({ claim }) => claim === undefined)).toEqual(running.map((_, at) => at > 0));
    for (const { state, until = '' } of running) {
      expect(state).toBe('running');
      expect(Date.parse(until)).toBeGreaterThan(Date.now());
    }
  });

  test('is reported by the time at Gatepost, whatever the clock here says', async () => {
    await using gate = await startFakeGate();
    const { clock } = system;
    const late = { ...clock, now: () => clock.now() - 3_600_000 };
    await run(gate, ['--run', '--', 'true'], { system: { ...system, clock: late } });
    const [claimed] = gate.requests[0]?.reports ?? [];
    expect(Date.parse(claimed?.until ?? '')).toBeGreaterThan(Date.now());
  });
});

describe('ask --bind', () => {
  test.each([
    ['a pipe', () => join(folder, 'pipe')],
    ['a device', () => '/dev/zero'],
    ['a standard stream', () => '/dev/stdin'],
    ['a stream by its number', () => '/dev/fd/0'],
    ['a stream of this process', () => '/proc/self/fd/0'],
  ])('refuses %s before anybody is asked', async (_, path) => {
    await using gate = await startFakeGate();
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const ended = await run(gate, ['--bind', path(), '--run', '--', 'true']);
    expect(ended).toMatchObject({ code: 125, out: '' });
    expect(ended.err).toContain(`--bind ${path()} is not a file.`);
    expect(gate.calls).toEqual([]);
  });
});

describe('an interruption before anybody is asked', () => {
  test.each([
    [['--bind', 'package.json', '--run', '--', 'true'], 125],
    [['--change', '-', '--wait'], 130],
    [['--change', '-', '--run', '--', 'true'], 125],
  ])('%j ends with %i', async (words, code) => {
    await using gate = await startFakeGate();
    const signal = AbortSignal.abort(new Interruption('SIGTERM'));
    const ended = await run(gate, words, { signal });
    expect(ended).toMatchObject({ code, err: 'Interrupted. Nobody was asked.\n' });
    expect(gate.calls).toEqual([]);
  });
});

describe('a secret that is meant to be something else', () => {
  const values = [
    '"abc"',
    "'abc'",
    '"abc","def"',
    'Bearer abc',
    'bearer',
    `\${GATEPOST_INTAKE_SECRET}`,
    `\${{ secrets.GATE }}`,
    '$GATEPOST_INTAKE_SECRET',
    '$(cat secret)',
    '{{gate.secret}}',
    '%GATE%',
    '<secret>',
    'a b',
    'geheimnis-ü',
  ];

  test.each(values)('%j is named before anything is sent', async (value) => {
    await using gate = await startFakeGate();
    const env = { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: value };
    for (const words of [['ask', '--title', 'x'], ['mcp']]) {
      const ended = await runHere(words, { env, input: '' });
      expect(ended).toMatchObject({ code: 2, out: '' });
      expect(ended.err).toMatch(/^error: GATEPOST_INTAKE_SECRET (?:must|is a placeholder)/);
      expect(ended.err).not.toContain(value);
    }
    expect(gate.calls).toEqual([]);
    const problems = readConfig({ GATEPOST_INTAKE_SECRET: value }, { command: 'start' });
    expect(problems).toMatchObject({ ok: false });
    expect(JSON.stringify(problems)).toMatch(/"GATEPOST_INTAKE_SECRET","message":"(?!is required)/);
  });

  test.each(['abc', 'a$b', 'whsec_MfKQ9r8GKYqrTwjU', 'p%40ss', 'a,b'])(
    '%j is none',
    async (value) => {
      await using gate = await startFakeGate();
      const env = { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: value };
      expect(await runHere(['ask', '--title', 'x'], { env })).toMatchObject({ code: 0 });
    },
  );
});

describe('a redirect', () => {
  test.each([
    ['https://gate.example.com/v1/approvals', 'Set GATEPOST_URL to https://gate.example.com.'],
    [
      'https://gate.example.com/gp/v1/approvals?x=secret',
      'Set GATEPOST_URL to https://gate.example.com/gp.',
    ],
    ['/gp/v1/approvals', 'Set GATEPOST_URL to http://127.0.0.1:'],
    [
      'https://u:secret@login.example.com/in?to=secret',
      'It redirects to https://login.example.com/in,',
    ],
    ['mailto:secret', 'It redirects to another kind of address,'],
  ])('to %j is named, without what could be secret', async (location, said) => {
    await using server = await startTestServer((_, response) => {
      response.writeHead(302, { location }).end();
    });
    const env = { GATEPOST_URL: server.url, GATEPOST_INTAKE_SECRET: 'abc' };
    const ended = await runHere(['ask', '--title', 'x'], { env });
    expect(ended).toMatchObject({ code: 2, out: '' });
    expect(ended.err).toContain('did not answer like Gatepost (302).');
    expect(ended.err).toContain(said);
    expect(ended.err).not.toContain('=secret');
    expect(ended.err).not.toContain('u:secret');
  });
});
