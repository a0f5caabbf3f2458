import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GateClient, GateDetails } from '../../ask/gate-client.ts';
import { createScreen, textOf } from '../../ask/screen.ts';
import { settle } from '../../ask/settle.ts';
import { Interruption, type Terminal } from '../../src/cli/terminal.ts';
import type { Config } from '../../src/core/config/config.ts';
import { system } from '../../src/core/lib/system.ts';
import { openDoor } from '../e2e/door.ts';
import { fake } from '../support/fake.ts';
import { startFakeGate } from '../support/fake-gate.ts';
import { startTlsServer } from '../support/tls-server.ts';
import { CALLBACK_SECRET } from '../support/webhook-receiver.ts';
import { DEPLOYS, startWorld, type World } from '../support/world.ts';
import { hurried, impatient } from './hurried.ts';
import { type RunOptions, runHere } from './run-here.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

function env(url = world.app.url) {
  const { intakeSecret } = world.sandbox.credentials;
  // During a rotation the environment has two secrets.
  return { GATEPOST_URL: url, GATEPOST_INTAKE_SECRET: `${intakeSecret},the-one-before` };
}

const run = (words: readonly string[], options: RunOptions = {}) =>
  runHere(['ask', ...words], { env: env(), ...options });

/** Waits for the message with this title. */
async function messageTitled(title: string): Promise<string> {
  const { workspace } = world.sandbox;
  const find = () =>
    workspace
      .messages(DEPLOYS)
      .find(({ text }) => text.split(' ·')[0] === `Decision needed: ${title}`);
  return (await world.sandbox.until(find, { what: title })).ts;
}

describe('texts and files passed by a pipeline', () => {
  const fileWith = async (content: Uint8Array) => {
    const folder = await mkdtemp(join(tmpdir(), 'ask-'));
    const file = join(folder, 'change.txt');
    await writeFile(file, content);
    return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
  };

  test('empty optional texts are as if they were not given', async () => {
    const asked = await run(['--title', 'With empty texts', '--message', '', '--link', '']);
    expect(asked).toMatchObject({ code: 5 });
    expect(world.read(await messageTitled('With empty texts'))).not.toContain('Open run');
  });

  test('an empty file is no change: nothing is asked or run', async () => {
    await using empty = await fileWith(Buffer.from('\n'));
    const words = ['--title', 'Without a plan', '--change', empty.file];
    expect(await run(words)).toMatchObject({ code: 2, out: '' });
    expect(await run([...words, '--run', '--', 'true'])).toMatchObject({ code: 125, out: '' });
    expect(await run([...words, '--reviewers', '', '--run', '--', 'true'])).toMatchObject({
      code: 125,
    });
  });

  test.each([
    ['UTF-16LE', Buffer.from('\ufeff+ größer', 'utf16le')],
    ['UTF-16BE', Buffer.from('\ufeff+ größer', 'utf16le').swap16()],
    ['UTF-8 with its mark', Buffer.from('\ufeff+ größer')],
  ])('a change in %s is read', async (encoding, content) => {
    await using change = await fileWith(content);
    const title = `Change in ${encoding}`;
    await run(['--title', title, '--change', change.file]);
    expect(world.read(await messageTitled(title))).toContain('+ größer');
  });

  test.each([
    ['Latin-1', Buffer.from('+ größer', 'latin1')],
    ['a binary', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1])],
    ['UTF-16 without its mark', Buffer.from('+ plan', 'utf16le')],
    ['half of UTF-16', Buffer.from([0xff, 0xfe, 0x41])],
  ])('a change in %s is refused before anything is asked', async (_, content) => {
    await using change = await fileWith(content);
    const door = { env: { GATEPOST_URL: 'http://127.0.0.1:1', GATEPOST_INTAKE_SECRET: 'x' } };
    const refused = await run(['--title', 'No text', '--change', change.file], door);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('not text in UTF-8');
  });

  const PLAN = Buffer.from(`${'+'.repeat(99)}\r\n`.repeat(750));

  test('a change that is too long is refused, unless --cut is given', async () => {
    await using change = await fileWith(PLAN);
    const words = ['--title', 'A long plan', '--change', change.file];
    const refused = await run(words);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toMatch(
      /^error: --change has 75,750 characters; 40,000 are possible\. Add --cut to ask about its first lines\.\n/,
    );
    const asked = await run([...words, '--cut', '--json']);
    const sha256 = createHash('sha256').update(PLAN).digest('hex');
    expect(JSON.parse(asked.out)).toMatchObject({
      exitCode: 5,
      cutFrom: { shown: 396, lines: 750, sha256 },
    });
    expect(asked.err).toContain(`Lines sent: 396 of 750. SHA-256 of the whole file: ${sha256}\n`);
    const ts = await messageTitled('A long plan');
    expect(world.read(ts)).toContain(
      `*Lines 1 to 396 of 750 are what you approve* · SHA-256 of the whole file: \`${sha256}\``,
    );
  });

  test('a change within the limit is not cut, even with --cut', async () => {
    await using change = await fileWith(Buffer.from('𐐀'.repeat(40_000)));
    const asked = await run([
      '--title',
      'A short plan',
      '--change',
      change.file,
      '--cut',
      '--json',
    ]);
    expect(JSON.parse(asked.out)).not.toHaveProperty('cutFrom');
    expect(world.read(await messageTitled('A short plan'))).not.toContain('what you approve');
  });

  test.each([
    [
      'a line',
      Buffer.from(`${'漢'.repeat(40_000)}\nb\n`),
      /^error: The first line of --change has 40,001 char/,
    ],
    [
      'lines of CR',
      Buffer.from('a\r'.repeat(30_000)),
      /^error: The first line of --change has 60,000 char/,
    ],
  ])('%s that is too long cannot be cut', async (_, content, said) => {
    await using change = await fileWith(content);
    const refused = await run(['--title', 'One line', '--change', change.file, '--cut']);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toMatch(said);
  });

  test('--cut needs --change', async () => {
    const refused = await run(['--title', 'Nothing', '--cut']);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toMatch(/^error: --cut needs --change\.\n/);
  });
});

/** Without how long it took. */
function untimed<Ended extends { readonly out: string }>(ended: Ended) {
  return { ...ended, out: ended.out.replace(/( after \d+ s)?\.\n$/, '…\n') };
}

describe('ask --wait', () => {
  test.each([
    ['Approve', 0, 'Approved by Ana (U0ANA)…\n'],
    ['Reject', 1, 'Rejected by Ana (U0ANA)…\n'],
  ])('after %s ends with %i', async (label, code, out) => {
    const title = `Deploy, to be answered with ${label}`;
    const ended = run([
      '--title',
      title,
      '--wait',
      '--field',
      'Version=4=2',
      '--reviewers',
      'ana@example.com',
    ]);
    const ts = await messageTitled(title);
    expect(world.read(ts)).toContain('4=2');
    await world.click('U0ANA', ts, label);
    const { err, ...rest } = await ended;
    expect(untimed(rest)).toEqual({ code, out });
    expect(err).toMatch(
      /^Asked: "Deploy, to be answered with \w+" · [0-9A-Z]{4}-[0-9A-Z]{4} · until (tomorrow )?\d\d:\d\d( UTC)? · https?:\S+\nTo resume: --key ask-[0-9a-f-]{36}\n/,
    );
  });

  test.each([
    [{ users: ['U0ANA', 'U0BEN'] }, 'Ana, Ben'],
    [{ users: ['U0ANA', 'U0EVE'] }, 'Ana and 1 more'],
    [{ users: ['U0EVE'] }, '1 reviewer'],
    [{ users: ['U0EVE', 'U0ZOE'], groups: ['S0OLD'] }, '2 reviewers, 1 group'],
    [{ users: ['U0ANA'], groups: ['S0SRE', 'S0OLD'] }, 'Ana, @sre, 1 group'],
    [{ users: ['U0ANA'], channel: true }, 'Ana or anyone in the channel'],
    [{ channel: true }, 'anyone in the channel'],
    [{}, 'nobody: the route has no reviewers'],
  ])('names whom Gatepost knows by name, and counts the others: %j', (more, asked) => {
    const reviewers = { users: [], groups: [], channel: false, ...more };
    const news = { status: 'PENDING' as const, approvals: 0, needs: [], permalink: 'x' };
    const names = { U0ANA: 'Ana', U0BEN: 'Ben', S0SRE: '@sre' };
    expect(
      textOf(
        fake<GateDetails>({ ...news, reviewers, names, blocked: undefined, closed: undefined }),
      ),
    ).toBe(`Waiting for ${asked}`);
  });

  test('says how many approvals there are, and which are still needed', () => {
    const needs = [
      { name: 'Lead', count: 1, have: 0 },
      { name: 'SRE', count: 3, have: 1 },
      { name: 'QA', count: 1, have: 1 },
    ];
    const news = { status: 'PENDING' as const, approvals: 2, needs, permalink: 'x' };
    const details = fake<GateDetails>({
      ...news,
      names: {},
      reviewers: undefined,
      blocked: undefined,
      closed: undefined,
    });
    expect(textOf(details)).toBe(
      'Waiting for a decision · 2 approved · still needed: 1 of Lead, 2 of SRE',
    );
  });

  test('asks the people named by --need', async () => {
    const title = 'Deploy, with needs';
    const needs = ['--need', 'Lead=U0ANA', '--need', 'Release:1=S0REL,U0BEN'];
    const ended = run(['--title', title, '--wait', ...needs]);
    const ts = await messageTitled(title);
    expect(world.read(ts)).toContain(
      '*Waiting for* 1 of Lead (<@U0ANA>), 1 of Release (<@U0BEN>, <!subteam^S0REL>)',
    );
    await world.click('U0ANA', ts, 'Approve');
    await world.until(ts, /Waiting for\* 1 of Lead or Release/);
    await world.click('U0BEN', ts, 'Approve');
    const { err: _, ...rest } = await ended;
    expect(untimed(rest)).toEqual({ code: 0, out: 'Approved by Ana (U0ANA), Ben (U0BEN)…\n' });
  });

  test('whoever started the pipeline is refused, and somebody else approves', async () => {
    const title = 'Started by Ana';
    const starter = { GITLAB_USER_EMAIL: 'ana@example.com', CI_PIPELINE_SOURCE: 'web' };
    const ended = run(['--title', title, '--wait', '--requested-by', ''], {
      env: { ...env(), ...starter },
    });
    const ts = await messageTitled(title);
    await world.click('U0ANA', ts, 'Approve');
    const refusal = () => world.told('U0ANA').find((text) => text.includes(`asked for *${title}*`));
    expect(await world.sandbox.until(refusal)).toContain('so somebody else has to decide');
    await world.click('U0BEN', ts, 'Approve');
    const { code, out, err } = await ended;
    expect(untimed({ code, out })).toEqual({ code: 0, out: 'Approved by Ben (U0BEN)…\n' });
    expect(err.match(/^Asked in the name of ana@example\.com$/gm)).toHaveLength(1);
  });

  test('--requested-by none names nobody, and says so', async () => {
    const title = 'In nobody’s name';
    const { err } = await run(['--title', title, '--requested-by', 'none'], {
      env: { ...env(), BUILD_USER_ID: 'ana' },
    });
    expect(err).toContain("Asked in nobody's name: --requested-by is none\n");
    expect(err).not.toContain('Asked in the name of');
    await messageTitled(title);
  });

  test('says that only its requester can decide it, and ends with 5', async () => {
    await using gate = await startFakeGate();
    const id = '0-0000000000000000';
    const blocked = { id, status: 'BLOCKED', url: `/v1/approvals/${id}` };
    const details = {
      ...blocked,
      blocked: 'only-requester',
      final: false,
      shortId: '7H2N-K4QM',
      digest: '0'.repeat(64),
      createdAt: new Date().toISOString(),
      posting: { state: 'posted' },
      approvals: 0,
      needs: [],
      ballots: [],
    };
    gate.answer((call) => ({ status: 200, body: call.startsWith('GET') ? details : blocked }));
    const { code, out } = await run(['--title', 'Alone', '--key', 'alone', '--wait'], {
      env: { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 'secret' },
    });
    expect({ code, out }).toEqual({
      code: 5,
      out: 'Not decided. Only its requester can decide it: nobody else is asked. Run this again with --key alone to resume it.\n',
    });
  });

  test.each([
    ['withdraws', ['--wait'], 'The request was withdrawn.', true],
    ['keeps a key of', ['--wait', '--key', 'k'], 'Run this again with --key k', false],
    ['keeps, where it does not wait, what it asked for', ['--no-wait'], 'Run this again', false],
  ])('%s a request about which nobody can be asked', async (_, words, said, isWithdrawn) => {
    await using gate = await startFakeGate('BLOCKED');
    const { code, out } = await run(['--title', 'Alone', ...words], {
      env: { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 'secret' },
    });
    expect(code).toBe(5);
    expect(out).toContain(said);
    expect(gate.calls.some((call) => call.endsWith('/withdraw'))).toBe(isWithdrawn);
  });

  test('after the time ends with 3, and after a withdrawal with 4', async () => {
    const late = await run(['--title', 'In a hurry', '--wait', '--timeout', '2s']);
    expect(late).toMatchObject({
      code: 3,
      out: 'Timed out after 2 s: nobody decided in time. Asked: Ana, Ben.\n',
    });
    const { body } = await world.sandbox.automation.ask({ key: 'taken-back', title: 'Never mind' });
    await world.sandbox.automation.withdraw((body as { id: string }).id);
    const withdrawn = await run(['--title', 'Never mind', '--key', 'taken-back', '--wait']);
    const { out, ...rest } = withdrawn;
    expect(rest).toEqual({ code: 4, err: '' });
    expect(out).toMatch(/^Withdrawn .*: nothing was decided\. Ask again with another --key\.\n$/);
  });

  test.each([
    ['APPROVED', true, { kind: 'known' }],
    ['WITHDRAWN', true, { kind: 'out-of-time' }],
    ['UNKNOWN', false, { kind: 'known' }],
    [
      'PENDING',
      false,
      { kind: 'unreached', reason: 'A decision was being sent when time ran out.' },
    ],
  ] as const)(
    'waits for a decision that is being sent when time runs out, and then reports %s',
    async (status, final, end) => {
      const waits: number[] = [];
      const details = (rest: object) =>
        fake<GateDetails>({
          id: '0-a',
          status: 'PENDING',
          final: false,
          posting: { state: 'posted' },
          ...rest,
        });
      const client = fake<GateClient>({
        ask: async () => ({ id: '0-a', status: 'PENDING', url: '/' }),
        withdraw: async () => ({ id: '0-a', status: 'PENDING', url: '/' }),
        read: async (_id, waitS) => {
          waits.push(waitS);
          return waits.length === 1 ? details({}) : details({ status, final });
        },
      });
      const { signal } = new AbortController();
      const needs = { client, ...system, signal };
      const over = { deadlineAt: Date.now() - 60_000, isPatient: true, onNews: () => {} };
      const settled = await settle({ key: 'k', title: 'Deploy' }, { ...needs, ...over });
      expect(settled).toMatchObject({ ...end, details: { status } });
      expect(waits).toEqual([0, 10]);
    },
  );

  test('ends with 5 when Slack refuses the message, and resumes with the same key', async () => {
    const { workspace } = world.sandbox;
    workspace.fault({
      method: 'chat.postMessage',
      kind: 'refused',
      error: 'not_in_channel',
      when: (args) => JSON.stringify(args).includes('Blocked'),
    });
    const words = ['--title', 'Blocked', '--key', 'blocked', '--wait'];
    const blocked = await run(words);
    expect(blocked).toMatchObject({ code: 5 });
    expect(blocked.out).toContain('not_in_channel');
    const still = await run(words, { system: hurried() });
    expect(still.code).toBe(5);
    expect(still.err).toContain('Gatepost is trying to post it again.');
    workspace.clearFaults();
    const again = run(words);
    await world.click('U0ANA', await messageTitled('Blocked'), 'Approve');
    expect(untimed(await again)).toMatchObject({ code: 0, out: 'Approved by Ana (U0ANA)…\n' });
  });

  test('prints one JSON object with --json', async () => {
    const { code, out } = await run(['--title', 'For programs', '--json', '--key', 'json']);
    expect(code).toBe(5);
    expect(JSON.parse(out)).toMatchObject({ key: 'json', status: 'PENDING', exitCode: 5 });
  });

  test('shows a moving line with the names of reviewers in a terminal, and clears it at the end', async () => {
    const ended = run(['--title', 'Moving', '--wait', '--key', 'moving'], { columns: 200 });
    const ts = await messageTitled('Moving');
    await world.click('U0BEN', ts, 'Approve');
    const { code, err } = await ended;
    expect(code).toBe(0);
    expect(err).toMatch(/[⠋⠙⠹⠸] Waiting for Ana, Ben.* · \d+ s/);
    // Nothing of it stays.
    const [, ...after] = err.slice(err.lastIndexOf('Waiting for')).split('\r\u001b[K');
    expect(after.join('')).toMatch(/^(Asked: .*\n)?$/);
  });

  test.each([true, false])(
    'shows the link to the message once, unbroken and on its own line (terminal: %s)',
    (isTTY) => {
      const permalink = `https://acme.slack.com/archives/C0DEPLOYS/${'p'.repeat(80)}`;
      const stderr = Object.assign(new PassThrough(), { isTTY, columns: 80 });
      const screen = createScreen(fake<Terminal>({ stderr }), system, {
        ...{ title: 'Deploy', deadlineAt: Date.now(), ownKey: 'ask-1' },
      });
      const waiting = fake<GateDetails>({
        status: 'PENDING',
        approvals: 0,
        needs: [],
        permalink: undefined,
        shortId: '7H2N-K4QM',
        reviewers: undefined,
      });
      for (const news of [{}, { permalink }, { permalink, approvals: 1 }])
        screen.show({ ...waiting, ...news });
      screen.close();
      // Of what waits, newer Node gives a piece at a time.
      const pieces = Array.from({ length: stderr.readableLength }, () => stderr.read() ?? '');
      const lines = pieces.join('').replaceAll('\r\u001b[K', '\n').split('\n');
      expect(lines.filter((line) => line.includes('acme'))).toEqual([
        expect.stringMatching(
          new RegExp(`^Asked: "Deploy" · 7H2N-K4QM · until .* · ${permalink}$`),
        ),
      ]);
      expect(lines.some((line) => line.includes('Waiting for a decision'))).toBe(true);
    },
  );
});

describe('ask --wait, interrupted', () => {
  /** Interrupts it once its message is there, and it knows that. */
  async function interrupt(key: string, options: RunOptions, by: Interruption['by'] = 'SIGINT') {
    const controller = new AbortController();
    const words = ['--title', `Stop ${key}`, '--key', key];
    const ended = run([...words, '--wait'], { ...options, signal: controller.signal });
    await messageTitled(`Stop ${key}`);
    // Its first answer is there.
    await run(words);
    controller.abort(new Interruption(by));
    return { ended };
  }

  const NOT_WITHDRAWN = (key: string) =>
    `Interrupted. The request was not withdrawn. Run this again with --key ${key} to resume it.\n`;

  test.each([
    ['y', 'Interrupted. The request was withdrawn.\n'],
    ['n', NOT_WITHDRAWN('stop-n')],
  ])('by Ctrl-C asks whether to withdraw: %s', async (types, out) => {
    const { ended } = await interrupt(`stop-${types}`, { types });
    expect(await ended).toMatchObject({ code: 130, out });
  });

  test('by SIGTERM ends at once and asks nothing', async () => {
    const { ended } = await interrupt('stop-term', { types: 'y' }, 'SIGTERM');
    const { err, ...rest } = await ended;
    expect(rest).toEqual({ code: 130, out: NOT_WITHDRAWN('stop-term') });
    expect(err).not.toContain('[y/N]');
  });

  test('does not end with 0, even if it was approved while the question was open', async () => {
    const title = 'Stop too-late';
    const meanwhile = async () => {
      const ts = await messageTitled(title);
      await world.click('U0ANA', ts, 'Approve');
      await world.until(ts, /Approved by/);
    };
    const { ended } = await interrupt('too-late', { types: 'y', meanwhile });
    expect(await ended).toMatchObject({
      code: 130,
      out: 'Interrupted. The request was not withdrawn: it was already approved.\n',
    });
  });

  test.each([
    [
      { status: 202, body: { id: 'x', status: 'PENDING', url: '/' } },
      /^Interrupted\. The request will be withdrawn unless a decision is being sent\. Run this again/,
    ],
    [
      { status: 503 },
      /^Interrupted\. It is not known whether the request was withdrawn\. Gatepost cannot answer now \(503\)\. Run/,
    ],
  ])('claims no more than is known of a withdrawal: %j', async (answer, said) => {
    await using door = await openDoor(({ path }) => path);
    door.leadTo(world.app.url);
    door.answer((path) => (path.endsWith('/withdraw') ? answer : undefined));
    const key = `door-${answer.status}`;
    const { ended } = await interrupt(key, { types: 'y', env: env(door.url) });
    const { code, out } = await ended;
    expect(code).toBe(130);
    expect(out).toMatch(said);
  });

  test('says once that Gatepost did not answer the withdrawal in time', async () => {
    await using door = await openDoor(({ path }) => path);
    door.leadTo(world.app.url);
    let expire = () => {};
    door.answer((path) => {
      if (path.endsWith('/withdraw')) expire();
      return undefined;
    });
    const late = () => {
      const limit = new AbortController();
      expire = () => limit.abort();
      return limit.signal;
    };
    const key = 'withdrawn-late';
    const isLate = { ...system, timers: { ...system.timers, deadline: late } };
    const { ended } = await interrupt(key, { types: 'y', env: env(door.url), system: isLate });
    expect(await ended).toMatchObject({
      code: 130,
      out: `Interrupted. It is not known whether the request was withdrawn. Gatepost did not answer in time. Run this again with --key ${key} to resume it.\n`,
    });
  });

  test('before anything is sent says that nothing was asked', async () => {
    const signal = AbortSignal.abort(new Interruption('SIGINT'));
    const out = 'Interrupted. Nothing was asked.\n';
    const keyed = await run(['--title', 'Early', '--key', 'early', '--wait'], {
      signal,
      types: 'y',
    });
    expect(keyed).toMatchObject({ code: 130, out });
    const words = ['--token-stdin', '--message', 'With the token again', '--wait'];
    const { token } = world.sandbox.service.createApproval();
    const first = await run(words, { signal, input: token });
    expect(first).toMatchObject({ code: 130, out });
    await run(words.slice(0, -1), { input: token });
    const again = run(words, { input: token });
    const { workspace } = world.sandbox;
    const asked = () =>
      workspace.messages(DEPLOYS).filter(({ text }) => text.includes('With the token again'));
    const message = await world.sandbox.until(() => asked().at(-1), { what: 'the message' });
    await world.click('U0ANA', message.ts, 'Approve');
    expect(await again).toMatchObject({ code: 0 });
    expect(asked()).toHaveLength(1);
  });

  test('while an answer is arriving ends with 130', async () => {
    const controller = new AbortController();
    let isBegun = () => {};
    const begun = new Promise<void>((resolve) => {
      isBegun = resolve;
    });
    const server = createServer((request, response) => {
      if (request.url === '/else') return response.end();
      return response.writeHead(200, { 'content-length': 100 }).write('{', () => isBegun());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    // as: it listens on a port
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { signal } = controller;
    const ended = run(['--title', 'In the middle', '--wait'], {
      env: env(url),
      signal,
      system: impatient,
    });
    await begun;
    // What was sent before another complete answer has arrived.
    await fetch(`${url}/else`);
    controller.abort(new Interruption('SIGINT'));
    expect(await ended).toMatchObject({ code: 130 });
    server.closeAllConnections();
    server.close();
  });
});

describe('ask', () => {
  test.each([
    ['an answer that is cut off', 2, { status: 200, isCut: true }],
    ['the page of a proxy', 2, { status: 200, body: '<h1>Back soon</h1>' }],
    ['the 404 of a proxy', 2, { status: 404, body: { error: 'no such host' } }],
    ['a 404', 1, { status: 404, body: { type: 'about:blank', title: 'Not found', status: 404 } }],
  ] as const)('keeps trying after %s, %i times', async (what, times, answer) => {
    await using door = await openDoor(() => 'any');
    door.leadTo(world.app.url);
    let calls = 0;
    door.answer(() => {
      calls += 1;
      // It has asked, and read once.
      return calls > 2 && calls <= 2 + times ? answer : undefined;
    });
    const ended = run(['--title', `After ${what}`, '--wait'], {
      env: env(door.url),
      system: hurried(),
    });
    await world.click('U0ANA', await messageTitled(`After ${what}`), 'Approve');
    const { code, err } = await ended;
    expect(code).toBe(0);
    expect(err).toContain('Trying again.');
    expect(calls).toBeGreaterThan(2 + times);
  });

  test.each([200, 404])(
    'ends with 2 at once when the answer (%i) is not from Gatepost',
    async (status) => {
      await using door = await openDoor(() => 'any');
      door.answer(() => ({ status, body: '<h1>Welcome</h1>' }));
      const { code, err } = await run(['--title', 'Elsewhere', '--wait'], { env: env(door.url) });
      expect(code).toBe(2);
      expect(err).toContain(`did not answer like Gatepost (${status}). Check GATEPOST_URL.`);
    },
  );

  test('without --wait says why it tries again, and gives up after a minute', async () => {
    const system = hurried();
    const url = 'http://127.0.0.1:9';
    const { code, out, err } = await run(['--title', 'Away', '--key', 'away'], {
      env: env(url),
      system,
    });
    expect(code).toBe(5);
    expect(err).toBe(`Gatepost cannot be reached at ${url} (connection_refused). Trying again.\n`);
    expect(out).toBe(
      `Nothing was asked. Gatepost cannot be reached at ${url} (connection_refused).\n`,
    );
    expect(system.waitedMs()).toBeLessThan(70_000);
  });

  test('asks about a TLS port that is spoken to without TLS', async () => {
    await using server = await startTlsServer('valid');
    const url = server.origin.replace('https:', 'http:');
    const given = { env: env(url), system: hurried() };
    const question = 'Is this a TLS port? Then its address starts with https://.';
    const { code, err } = await run(['--title', 'Plain', '--key', 'plain'], given);
    expect(code).toBe(5);
    expect(err).toBe(
      `Gatepost cannot be reached at ${url} (connection_lost). ${question} Trying again.\n`,
    );
    await using door = await openDoor(() => 'any');
    const body = 'Client sent an HTTP request to an HTTPS server.\n';
    door.answer(() => ({ status: 400, body }));
    const refused = await run(['--title', 'Plain'], { env: env(door.url) });
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(`did not answer like Gatepost (400). ${question}`);
  });

  test('keeps waiting while Gatepost is away', async () => {
    await using door = await openDoor(() => 'any');
    door.leadTo(world.app.url);
    await door.shut();
    const ended = run(['--title', 'Through a restart', '--wait'], { env: env(door.url) });
    await door.open();
    const ts = await messageTitled('Through a restart');
    await door.shut();
    await world.click('U0ANA', ts, 'Approve');
    await door.open();
    const { code, err } = await ended;
    expect(code).toBe(0);
    expect(err).toMatch(/cannot be reached .* Trying again\./);
  });

  test('accepts a token of the service on stdin', async () => {
    const { service, workspace } = world.sandbox;
    const { token } = service.createApproval();
    const words = ['--token-stdin', '--message', 'With a token', '--wait'];
    const ended = run(words, { input: `${token}\n` });
    const find = () =>
      workspace.messages(DEPLOYS).find(({ text }) => text.includes('With a token'));
    const { ts } = await world.sandbox.until(find);
    await world.click('U0ANA', ts, 'Approve');
    const { code, out, err } = await ended;
    expect(code).toBe(0);
    expect(service.approval(token).status).toBe('APPROVED');
    expect(out + err).not.toContain(token);
  });

  test('shows a change from a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatepost-ask-'));
    const file = join(folder, 'plan.txt');
    await writeFile(file, '- 4.1\n+ 4.2\n');
    await run(['--title', 'With a plan', '--change', file]);
    expect(world.read(await messageTitled('With a plan'))).toContain('+ 4.2');
    await rm(folder, { recursive: true });
    const missing = await run(['--title', 'With a plan', '--change', file]);
    expect(missing).toMatchObject({ code: 2, out: '' });
  });

  test.each<[string[], RegExp]>([
    [[], /--title is required/],
    [['--title', 'x', '--key', 'k', '--token-stdin'], /exclude each other/],
    [['--title', 'x', '--field', 'Version'], /name=value/],
    [['--title', 'x', '--timeout', 'soon'], /duration such as/],
    [['--title', 'x', '--timeout', '31d'], /30d is the longest/],
    [['--title', 'x', '--reviewers', 'ana'], /U… for people/],
    [['--title', 'x', '--quorum', '0'], /a number from 1 on/],
    [['--title', 'x', '--need', 'SRE'], /name=ids or name:count=ids/],
    [['--title', 'x', '--need', '=U0ANA'], /name=ids or name:count=ids/],
    [['--title', 'x', '--need', 'SRE='], /name=ids or name:count=ids/],
    [['--title', 'x', '--need', 'SRE:1:2=U0ANA'], /name=ids or name:count=ids/],
    [['--title', 'x', '--need', 'SRE=ana'], /U… for people/],
    [['--title', 'x', '--need', 'SRE:0=U0ANA'], /a number from 1 on/],
    [['--title', 'x', '--need', 'SRE:many=U0ANA'], /a number from 1 on/],
    [['--title', 'x', '--need', 'S*E=U0ANA'], /422.*need\[0\]\.name/],
    [['--title', 'x', '--need', 'A=U0ANA', '--need', 'A=U0BEN'], /422.*need/],
    [['--title', 'x', '--need', 'A:2=U0ANA'], /422.*need/],
    [['--title', 'x', '--route', 'nowhere'], /403/],
    [['--title', 'x', '--link', 'ftp://x'], /422\): link /],
    [['--title', 'x', '--requested-by', 'a@@b'], /^error: --requested-by must be an e-mail/],
  ])('%j ends with 2', async (words, said) => {
    const { code, out, err } = await run(words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(said);
  });

  test('signs each call when the secret is a signing secret', async () => {
    const config = (given: Config): Config => ({
      ...given,
      sources: given.sources.map((source) => ({
        ...source,
        auth: { kind: 'standard-webhooks' },
        secrets: [CALLBACK_SECRET],
      })),
    });
    await using signed = await startWorld({ config });
    const signs = { GATEPOST_URL: signed.app.url, GATEPOST_INTAKE_SECRET: CALLBACK_SECRET };
    const ended = run(['--title', 'Signed', '--wait'], { env: signs });
    const find = () => signed.sandbox.workspace.messages(DEPLOYS).at(-1);
    const { ts } = await signed.sandbox.until(find, { what: 'the message' });
    await signed.click('U0ANA', ts, 'Approve');
    expect(await ended).toMatchObject({ code: 0, out: 'Approved by Ana (U0ANA).\n' });
    const asBearer = { ...signs, GATEPOST_INTAKE_SECRET: 'whsec_of_somebody_else' };
    expect(await run(['--title', 'Not signed'], { env: asBearer })).toMatchObject({ code: 2 });
  });

  test('ends with 2 when a key is reused with other content', async () => {
    await run(['--title', 'One', '--key', 'conflict']);
    const { code, err } = await run(['--title', 'Another', '--key', 'conflict', '--wait']);
    expect(code).toBe(2);
    expect(err).toContain('409');
  });

  test('lists the allowed routes or channels when the given one is not allowed', async () => {
    const { code, err } = await run(['--title', 'Elsewhere', '--route', 'other']);
    expect(code).toBe(2);
    expect(err).toMatch(/\(403\): This source cannot use that route\. Its routes: default\n$/);
    const elsewhere = await run(['--title', 'Elsewhere', '--channel', 'C0NOBOT']);
    expect(elsewhere.err).toMatch(/Its channels on the route default: C0DEPLOYS/);
  });

  test.each([
    ['none.diff', '--change none.diff does not exist.'],
    ['src', '--change src is a folder, not a file.'],
  ])('sends nothing when the change cannot be read (%s)', async (file, said) => {
    const { code, out, err } = await run(['--title', 'No file', '--change', file]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(`error: ${said}\nSee gatepost ask --help.\n`);
  });

  test.each([
    [{ GATEPOST_URL: undefined }, 2, /GATEPOST_URL/],
    [{ GATEPOST_URL: 'gatepost' }, 2, /GATEPOST_URL/],
    [{ GATEPOST_INTAKE_SECRET: undefined }, 2, /GATEPOST_INTAKE_SECRET/],
    [
      { GATEPOST_INTAKE_SECRET: 'wrong' },
      2,
      /^error: GATEPOST_INTAKE_SECRET is not what http:\S+ expects \(401\)/m,
    ],
    [{ GATEPOST_URL: 'http://127.0.0.1:9' }, 5, /cannot be reached/],
  ])('with %j ends with %i', async (change, code, said) => {
    const words = ['--title', 'Nobody', '--timeout', '1s'];
    const system = hurried();
    const ended = await run(words, { env: { ...env(), ...change }, system });
    expect(ended.code).toBe(code);
    expect(ended.out + ended.err).toMatch(said);
    expect(ended.out + ended.err).not.toContain('wrong');
  });
});
