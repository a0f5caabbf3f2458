import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Program, runProgram } from '../e2e/crash/run-program.ts';
import { type DoorAnswer, openDoor } from '../e2e/door.ts';
import { startFakeGate } from '../support/fake-gate.ts';
import { DEPLOYS, startWorld, type World } from '../support/world.ts';

/** The recipes of `integrations/`, run as far as that goes without the systems that they are for. */

const ROOT = new URL('../../integrations/', import.meta.url);
const ASK = new URL('curl/ask.sh', ROOT).pathname;
const read = (name: string) => readFile(new URL(name, ROOT), 'utf8');

/** All of them are Ana's. */
const LOGINS = { 'github:octocat': 'U0ANA', 'bitbucket:ana': 'U0ANA', 'jenkins:ana': 'U0ANA' };

let world: World;
beforeAll(async () => {
  world = await startWorld({ config: (config) => ({ ...config, identityLogins: LOGINS }) });
});
afterAll(() => world[Symbol.asyncDispose]());

function gatepost(url = world.app.url) {
  return { GATEPOST_URL: url, GATEPOST_INTAKE_SECRET: world.sandbox.credentials.intakeSecret };
}

type Env = Readonly<Record<string, string>>;

function shell(words: readonly string[], env: Env): Program {
  return runProgram(words, { ...gatepost(), ...env }, '/bin/sh');
}

async function messageTitled(title: string): Promise<string> {
  const { workspace } = world.sandbox;
  const find = () => workspace.messages(DEPLOYS).find(({ text }) => text.includes(title));
  return (await world.sandbox.until(find, { what: title })).ts;
}

async function decided(program: Program, title: string, label: string): Promise<number | null> {
  await world.click('U0ANA', await messageTitled(title), label);
  return program.ended;
}

/** Ana started it: her approval is refused, and Ben's counts. */
async function decidedByBen(program: Program, title: string): Promise<number | null> {
  const ts = await messageTitled(title);
  await world.click('U0ANA', ts, 'Approve');
  const refused = () =>
    world.told('U0ANA').find((text) => text.includes(title) && text.includes('You asked for'));
  expect(await world.sandbox.until(refused)).toMatch(/so somebody else has to decide/);
  expect(world.read(ts)).not.toMatch(/Approved/);
  await world.click('U0BEN', ts, 'Approve');
  return program.ended;
}

/** What `sh` is differs: dash on some systems, bash on others. */
describe.each([
  ['sh', '/bin/sh'],
  ['bash', '/bin/bash'],
])('where sh is %s', (name, path) => {
  let bin: string;
  beforeAll(async () => {
    bin = await mkdtemp(join(tmpdir(), 'gatepost-sh-'));
    await symlink(path, join(bin, 'sh'));
  });
  afterAll(() => rm(bin, { recursive: true }));

  function sh(words: readonly string[], env: Env): Program {
    const PATH = `${bin}:${process.env.PATH}`;
    return runProgram(words, { ...gatepost(), PATH, ...env }, join(bin, 'sh'));
  }

  describe('curl and jq', () => {
    test.each([
      ['Approve', 0],
      ['Reject', 1],
    ])('end after %s with %i', async (label, code) => {
      const TITLE = `Deploy "4.2" & more, ${label} ${name}`;
      const FIELDS = '{"Version":"4.2"}';
      await using program = sh([ASK], {
        TITLE,
        KEY: `${label} ${name}`,
        FIELDS,
        LINK: 'https://ci.example.com/7',
      });
      const { workspace } = world.sandbox;
      const find = () =>
        workspace.messages(DEPLOYS).find(({ text }) => text.includes(`more, ${label} ${name}`));
      const { ts } = await world.sandbox.until(find);
      expect(world.read(ts)).toContain('Version');
      await world.click('U0ANA', ts, label);
      expect(await program.ended).toBe(code);
      expect(program.output.join('\n')).not.toContain(gatepost().GATEPOST_INTAKE_SECRET);
    });

    test('take a secret with a line end behind it', async () => {
      const { GATEPOST_INTAKE_SECRET: secret } = gatepost();
      const TITLE = `Line end ${name}`;
      await using program = sh([ASK], { TITLE, GATEPOST_INTAKE_SECRET: `${secret}\r\n` });
      expect(await decided(program, TITLE, 'Approve')).toBe(0);
    });

    test('leave the request open when ended by USR1', async () => {
      const TITLE = `Left ${name}`;
      await using left = sh([ASK], { TITLE });
      await left.line(/^Asked: "/);
      left.kill('SIGUSR1');
      expect(await left.ended).toBe(130);
      const ts = await messageTitled(TITLE);
      await world.click('U0ANA', ts, 'Approve');
      await world.until(ts, /Approved by/);
    });

    test('go on across an outage, and end with 3, 4 and 5', async () => {
      await using door = await openDoor(({ path }) => path);
      door.leadTo(world.app.url);
      // Something in between answers in the place of a Gatepost that has answered before.
      const strange = [
        { status: 404, body: 'no such service' },
        { status: 200, body: 'log in' },
        { status: 403, body: '' },
      ];
      door.answer((path) => (path.includes('?wait=') ? strange.shift() : undefined));
      await door.shut();
      await using away = sh([ASK], { ...gatepost(door.url), TITLE: `Away ${name}` });
      await away.line(/Trying again/);
      await door.open();
      await away.line(/^No connection to Gatepost\. Trying again\. curl: /);
      for (const code of [404, 200, 403])
        await away.line(new RegExp(`No usable answer from Gatepost \\(${code}\\)`));
      expect(await decided(away, `Away ${name}`, 'Approve')).toBe(0);
      await using late = sh([ASK], { TITLE: `Late ${name}`, TIMEOUT_S: '10' });
      expect(await late.ended).toBe(3);
      const { body } = await world.sandbox.automation.ask({
        key: `over ${name}`,
        title: `Over ${name}`,
        expiresAt: new Date(Date.now() + 60_000).toISOString(),
      });
      await world.sandbox.automation.withdraw((body as { id: string }).id);
      await using over = sh([ASK], { TITLE: `Over ${name}`, KEY: `over ${name}` });
      expect(await over.ended).toBe(4);
      const { workspace } = world.sandbox;
      const when = (args: unknown) => JSON.stringify(args).includes(`Blocked ${name}`);
      workspace.fault({ method: 'chat.postMessage', kind: 'refused', error: 'is_archived', when });
      await using blocked = sh([ASK], { TITLE: `Blocked ${name}` });
      expect(await blocked.ended).toBe(5);
      expect(blocked.output.join()).toContain('is_archived');
    });

    test.each([
      ['Japanese', '\u65e5'.repeat(30_000)],
      ['quotes', '"'.repeat(35_000)],
    ])('accept a long change in any script: %s', async (what, change) => {
      const CHANGE_FILE = join(bin, 'change');
      await writeFile(CHANGE_FILE, `\ufeff${change}`);
      const TITLE = `${what} ${name}`;
      await using program = sh([ASK], { TITLE, CHANGE_FILE });
      // There are buttons once the whole change can be read.
      await world.until(await messageTitled(TITLE), /^Approve$/m);
      expect(await decided(program, TITLE, 'Approve')).toBe(0);
    });

    test('say how long a plan is that is too long', async () => {
      const CHANGE_FILE = join(bin, 'change');
      await writeFile(CHANGE_FILE, `\ufeff${`${'+'.repeat(74)}\n`.repeat(1_000)}`);
      await using program = sh([ASK], { TITLE: `Long ${name}`, CHANGE_FILE });
      expect(await program.ended).toBe(2);
      const said = '(422): change has 75,000 characters; 40,000 are possible';
      expect(program.output.join('\n')).toContain(said);
    });

    test.each([
      [{ TITLE: '' }, /TITLE must be set/],
      [{ TITLE: 'x', GATEPOST_URL: '' }, /GATEPOST_URL must be set/],
      [{ TITLE: 'x', GATEPOST_INTAKE_SECRET: 'wrong' }, /401/],
      [{ TITLE: 'x', FIELDS: 'Version=4' }, /FIELDS must be/],
      [{ TITLE: 'x', ROUTE: 'nowhere' }, /403/],
      [{ TITLE: 'x', LINK: 'ftp://x' }, /422.*link/],
      [{ TITLE: 'x', TIMEOUT_S: '9999999' }, /422.*30 days/],
      [{ TITLE: 'x', TIMEOUT_S: '10m' }, /TIMEOUT_S must be a whole number/],
      [{ TITLE: 'x', TIMEOUT_S: '1800.5' }, /TIMEOUT_S must be a whole number/],
      [{ TITLE: 'x', TIMEOUT_S: '08' }, /TIMEOUT_S must be a whole number/],
      [{ TITLE: 'x', GATEPOST_INTAKE_SECRET: 'whsec_c2VjcmV0' }, /auth: bearer/],
      [
        { TITLE: 'x', MESSAGE: 'x'.repeat(70_000) },
        /413\): Beside change, the body \(mostly message\) has 70,\d{3} bytes; 65,536 are possible/,
      ],
      [{ TITLE: 'x', CHANGE_FILE: '/nowhere' }, /CHANGE_FILE/],
      [{ TITLE: 'x', CHANGE_FILE: '/bin/sh' }, /CHANGE_FILE is not text/],
      [{ TITLE: 'x', GATEPOST_INTAKE_SECRET: '\n' }, /GATEPOST_INTAKE_SECRET must be set/],
    ])('end with 2 for $0', async (env, said) => {
      await using program = sh([ASK], env as Record<string, string>);
      expect(await program.ended).toBe(2);
      expect(program.output.join('\n')).toMatch(said);
    });

    test.each([
      ['SIGTERM', 130],
      ['SIGINT', 130],
      ['SIGHUP', 130],
    ] as const)('end after %s with %i, and leave nothing behind', async (signal, code) => {
      await using program = sh([ASK], { TITLE: `${signal} ${name}` });
      await program.line(/^Asked: "/);
      program.kill(signal);
      // Bash takes no notice of a SIGINT that comes while something in front goes on: whoever ends it does so again.
      const again = setInterval(() => program.kill(signal), 1_000);
      // Also whatever it has started: `ended` waits for all who write to its output.
      expect(await program.ended.finally(() => clearInterval(again))).toBe(code);
    });

    test('withdraw the request when they are interrupted, unless it has a key to resume it by', async () => {
      await using kept = sh([ASK], { TITLE: `Kept ${name}`, KEY: `kept ${name}` });
      await kept.line(/^Asked: "/);
      await using left = sh([ASK], { TITLE: `Interrupted ${name}` });
      await left.line(/^Asked: "/);
      for (const program of [kept, left]) {
        const again = setInterval(() => program.kill('SIGTERM'), 1_000);
        program.kill('SIGTERM');
        expect(await program.ended.finally(() => clearInterval(again))).toBe(130);
      }
      await world.until(await messageTitled(`Interrupted ${name}`), /Withdrawn/);
      expect(world.read(await messageTitled(`Kept ${name}`))).not.toMatch(/Withdrawn/);
    });
  });
});

describe('the GitHub action', () => {
  const github: Record<string, string> = {
    repository: 'acme/checkout',
    run_id: '7',
    run_attempt: '2',
    job: 'deploy',
    server_url: 'https://github.example.com',
  };

  /** The steps of one, as a runner has them: what each writes is there for the next one. */
  async function load(name: string, given: Env, runner: Env = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'gatepost-action-'));
    const { inputs, outputs, runs } = parse(await read(`${name}/action.yml`));
    const written: Record<string, Record<string, string>> = {};
    const contextOf = (path: string): string => {
      const [from, name = '', , last = ''] = path.split('.');
      if (from === 'github') return github[name] ?? '';
      if (from === 'steps') return written[name]?.[last] ?? '';
      return given[name] ?? filled(String(inputs[name].default ?? ''));
    };
    const filled = (text: string): string =>
      text.replaceAll(
        /\$\{\{ ([\w.-]+)(?: == '(\w+)' && '(\w*)' \|\| '(\w*)')? \}\}/g,
        (_, path, ...is) => {
          const [wanted, yes, no] = is;
          if (typeof wanted !== 'string') return contextOf(path);
          return String(contextOf(path) === wanted ? yes : no);
        },
      );
    const files = {
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_STEP_SUMMARY: join(folder, 'summary'),
    };
    const start = async (step: { run: string; env?: Env }) => {
      const env = Object.entries(step.env ?? {}).map(([name, value]) => [name, filled(value)]);
      const all = { ...runner, ...Object.fromEntries(env), ...files, RUNNER_TEMP: folder };
      const path = new URL(name, ROOT).pathname;
      const script = join(folder, 'step.sh');
      await writeFile(script, step.run);
      const words = ['--noprofile', '--norc', '-eo', 'pipefail', script];
      return runProgram(words, { ...all, GITHUB_ACTION_PATH: path }, '/bin/bash');
    };
    const finish = async (step: { id?: string }, program: Program) => {
      const code = await program.ended;
      const lines = (await readFile(files.GITHUB_OUTPUT, 'utf8').catch(() => ''))
        .trim()
        .split('\n');
      written[step.id ?? ''] = Object.fromEntries(
        lines.map((line) => line.split(/=(.*)/s).slice(0, 2)),
      );
      await rm(files.GITHUB_OUTPUT, { force: true });
      return code;
    };
    return { folder, inputs, outputs, steps: runs.steps, filled, files, start, finish };
  }

  /** The one that asks. */
  async function action(given: Env, runner: Env = {}) {
    const loaded = await load('github', given, runner);
    const { folder, inputs, outputs, steps, filled, files, start, finish } = loaded;
    const [file, ask, result] = steps;
    await finish(file, await start(file));
    return {
      inputs,
      asking: await start(ask),
      /** What the steps after it see. */
      async ended() {
        const code = await finish(ask, this.asking);
        expect(await finish(result, await start(result))).toBe(0);
        const seen = Object.entries(outputs as Record<string, { value: string }>);
        return {
          code,
          outputs: Object.fromEntries(seen.map(([name, { value }]) => [name, filled(value)])),
          summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8').catch(() => ''),
        };
      },
      async [Symbol.asyncDispose]() {
        await this.asking[Symbol.asyncDispose]();
        await rm(folder, { recursive: true });
      },
    };
  }

  const wanted = (title: string): Env => ({
    title,
    url: world.app.url,
    secret: gatepost().GATEPOST_INTAKE_SECRET,
  });

  test('ends as decided, and passes the result to the steps after it', async () => {
    await using first = await action(wanted('From an action'));
    const ts = await messageTitled('From an action');
    await world.click('U0ANA', ts, 'Approve');
    const approved = await first.ended();
    expect(approved).toMatchObject({ code: 0, outputs: { status: 'APPROVED', by: 'U0ANA' } });
    expect(approved.outputs.permalink).toContain(`p${ts.replace('.', '')}`);
    expect(approved.outputs.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(approved.summary).toMatch(
      /^\| Status \| By \| Request \| Digest \|\n\| --- .*\n\| \*\*APPROVED\*\* \| Ana \| \[/,
    );
    // The same step again, as in a workflow that is called twice.
    await using second = await action(wanted('From an action'));
    await second.asking.line(/^Asked: "/);
    const { workspace } = world.sandbox;
    const last = workspace
      .messages(DEPLOYS)
      .findLast(({ text }) => text.includes('From an action'));
    await world.click('U0ANA', last?.ts ?? '', 'Reject');
    expect(await second.ended()).toMatchObject({ code: 1, outputs: { status: 'REJECTED' } });
    for (const name of ['title', 'url']) expect(first.inputs[name].required).toBe(true);
  });

  test('names whoever started the run or ran it again, who cannot approve it', async () => {
    const title = 'Started by Ana';
    const runner = { GITHUB_ACTOR: 'ben', GITHUB_TRIGGERING_ACTOR: 'octocat' };
    await using step = await action(wanted(title), { ...runner, GITHUB_EVENT_NAME: 'push' });
    await step.asking.line(/^Asked in the name of octocat \(GitHub\)$/);
    expect(await decidedByBen(step.asking, title)).toBe(0);
    expect(await step.ended()).toMatchObject({ outputs: { status: 'APPROVED', by: 'U0BEN' } });
  });

  test.each([
    ['a bot', { GITHUB_TRIGGERING_ACTOR: 'renovate[bot]' }, {}, 'renovate[bot] (GitHub)'],
    [
      'a schedule',
      {
        GITHUB_TRIGGERING_ACTOR: 'octocat',
        GITHUB_EVENT_NAME: 'schedule',
        GITHUB_RUN_ATTEMPT: '1',
      },
      {},
      'a schedule (GitHub)',
    ],
    [
      'somebody who runs a schedule again',
      {
        GITHUB_TRIGGERING_ACTOR: 'octocat',
        GITHUB_EVENT_NAME: 'schedule',
        GITHUB_RUN_ATTEMPT: '2',
      },
      {},
      'octocat (GitHub)',
    ],
    [
      'nobody whom an earlier step names',
      { GITHUB_TRIGGERING_ACTOR: 'octocat', GATEPOST_REQUESTED_BY: 'ben@example.com' },
      {},
      'octocat (GitHub)',
    ],
    [
      'whom its input names',
      { GITHUB_TRIGGERING_ACTOR: 'octocat' },
      { 'requested-by': 'ana@example.com' },
      'ana@example.com',
    ],
  ])('names %s', async (what, runner, more, said) => {
    await using gate = await startFakeGate();
    await using step = await action({ ...wanted(what), url: gate.url, ...more }, runner);
    expect(await step.ended()).toMatchObject({ code: 0 });
    expect(step.asking.output).toContain(`Asked in the name of ${said}`);
  });

  test.each([
    ['withdraws its request', {}, 'WITHDRAWN'],
    ['leaves it where that is wanted', { 'withdraw-on-cancel': 'false' }, 'PENDING'],
  ])('%s when its job is cancelled', async (what, more, status) => {
    const title = `Cancelled: ${what}`;
    await using step = await action({ ...wanted(title), ...more, key: title });
    const ts = await messageTitled(title);
    await step.asking.line(/^Asked: "/);
    step.asking.kill('SIGINT');
    const { code, outputs, summary } = await step.ended();
    expect({ code, status: outputs.status }).toEqual({ code: 130, status });
    expect(outputs.permalink).toContain(`p${ts.replace('.', '')}`);
    expect(summary).toContain(`**${status}**`);
    // What Gatepost has of it, and not only what was read.
    const again = {
      key: title,
      title,
      link: 'https://github.example.com/acme/checkout/actions/runs/7',
    };
    const { body } = await world.sandbox.automation.ask(again);
    expect(body).toMatchObject({ status });
  });

  test('reports the status of the request when its withdrawal is refused', async () => {
    await using door = await openDoor(({ path }) => path);
    door.leadTo(world.app.url);
    const refusal = { status: 409, body: JSON.stringify({ title: 'Conflict', status: 409 }) };
    door.answer((path) => (path.endsWith('/withdraw') ? refusal : undefined));
    await using step = await action({ ...wanted('Cancelled in vain'), url: door.url });
    await step.asking.line(/^Asked: "/);
    step.asking.kill('SIGINT');
    const { code, outputs, summary } = await step.ended();
    expect({ code, status: outputs.status }).toEqual({ code: 130, status: 'PENDING' });
    expect(summary).toContain('**PENDING**');
  });

  test.each(['route', 'change-file'])(
    'is refused if its %s is empty, and asks nobody',
    async (input) => {
      await using gate = await startFakeGate();
      await using step = await action({ ...wanted('x'), url: gate.url, [input]: '' });
      expect(await step.ended()).toMatchObject({ code: 2, outputs: { status: '' } });
      expect(step.asking.output.join('\n')).toMatch(/^(?:ROUTE|CHANGE_FILE) is empty\./);
      expect(gate.calls).toEqual([]);
    },
  );

  test('has no outputs when Gatepost refuses the request', async () => {
    await using step = await action({ ...wanted('x'), secret: 'wrong' });
    const { code, outputs, summary } = await step.ended();
    expect({ code, status: outputs.status, summary }).toEqual({ code: 2, status: '', summary: '' });
  });

  test.each([
    ['running', { state: 'running', claim: expect.stringMatching(/^[0-9a-f]{32}$/) }],
    ['success', { state: 'succeeded' }],
    ['failure', { state: 'failed' }],
    ['cancelled', { state: 'failed', text: 'Cancelled' }],
  ])('reports what became of the job: %s', async (status, reported) => {
    await using gate = await startFakeGate();
    const env = { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 'secret' };
    await using asking = shell([ASK], { ...env, TITLE: 'Deploy' });
    expect(await asking.ended).toBe(0);
    const given = { id: gate.requests[0]?.id ?? '', status, url: gate.url, secret: 'secret' };
    const { steps, start, folder } = await load('github/report', given);
    await using step = await start(steps[0]);
    expect(await step.ended).toBe(0);
    const link = 'https://github.example.com/acme/checkout/actions/runs/7';
    expect(gate.requests[0]?.reports).toMatchObject([{ link, ...reported }]);
    await rm(folder, { recursive: true });
  });

  test('as shown in docs/asking.md lets the job continue once people approve', async () => {
    const docs = await readFile(new URL('../docs/asking.md', ROOT), 'utf8');
    const [, first = ''] = /^```yaml\n(.*?)^```/ms.exec(docs) ?? [];
    const [, asks, deploys] = parse(first).steps;
    const { GATEPOST_URL = '', GATEPOST_INTAKE_SECRET = '' } = gatepost();
    const context: Env = {
      'github.ref_name': 'release-7',
      'vars.GATEPOST_URL': GATEPOST_URL,
      'secrets.GATEPOST_INTAKE_SECRET': GATEPOST_INTAKE_SECRET,
    };
    const given = Object.entries<string>(asks.with).map(([name, text]) => [
      name,
      text.replaceAll(/\$\{\{ (\S+) \}\}/g, (_, path) => context[path] ?? ''),
    ]);
    await using step = await action(Object.fromEntries(given));
    await world.click('U0ANA', await messageTitled('Deploy release-7 to production'), 'Approve');
    expect(await step.ended()).toMatchObject({ code: 0, outputs: { status: 'APPROVED' } });
    expect(deploys).toEqual({ run: './deploy.sh' });
  });

  test('escapes Markdown and HTML in Slack names', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatepost-result-'));
    const [RESULT_FILE, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY] = ['result', 'output', 'summary'].map(
      (name) => join(folder, name),
    ) as [string, string, string];
    const name = '[x](https://evil.example) http://evil.example a@b.example <b>\n::error::`';
    await writeFile(
      RESULT_FILE,
      JSON.stringify({
        status: 'REJECTED',
        outcome: { by: ['U1'] },
        ballots: [{ user: 'U1', action: 'reject', reason: '100 % no\n::error::' }],
        names: { U1: name },
        permalink: 'https://a.example/p1\nstatus=APPROVED',
      }),
    );
    const env = { RESULT_FILE, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY };
    await using program = shell([new URL('github/result.sh', ROOT).pathname], env);
    expect(await program.ended).toBe(0);
    expect((await readFile(GITHUB_OUTPUT, 'utf8')).match(/^status=.*$/gm)).toEqual([
      'status=REJECTED',
    ]);
    expect(program.output).toEqual([
      `::error title=Rejected::Rejected by ${name.replace('\n', ' ')}: 100 %25 no ::error::.`,
    ]);
    const summary = await readFile(GITHUB_STEP_SUMMARY, 'utf8');
    expect(summary).toContain(
      ' | \\[x\\]\\(https\\://evil\\.example\\) http\\://evil\\.example a\\@b\\.example \\<b\\> \\:\\:error\\:\\:\\` | 100 % no \\:\\:error\\:\\: |',
    );
    expect(summary.trim().split('\n')).toHaveLength(3);
    await rm(folder, { recursive: true });
  });
});

describe('a report by ask.sh', () => {
  test('is about the request in RESULT_FILE, and its claim belongs to one run', async () => {
    await using gate = await startFakeGate();
    const folder = await mkdtemp(join(tmpdir(), 'gatepost-report-'));
    const RESULT_FILE = join(folder, 'result.json');
    const env = { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 'secret', RESULT_FILE };
    const ends = async (words: readonly string[], more: Env) => {
      await using program = shell([ASK, ...words], { ...env, ...more });
      return { code: await program.ended, said: program.output.join('\n') };
    };
    const asked = await ends([], { TITLE: 'Deploy', KEY: 'k', SUPERSEDES: 'checkout/main' });
    expect(asked).toMatchObject({ code: 0 });
    expect(gate.requests[0]?.body).toMatchObject({ supersedes: 'checkout/main' });
    gate.answer((call) => (call.endsWith('/result') && answers.shift()) || undefined);
    const answers = [{ status: 503 }];
    const first = await ends(['report', 'running'], { CLAIM: 'one' });
    expect(first).toMatchObject({ code: 0, said: expect.stringContaining('Trying again') });
    const other = await ends(['report', 'running'], { CLAIM: 'other' });
    expect(other).toMatchObject({ code: 2, said: expect.stringContaining('Another run') });
    // What a job has set for the request is not of the report.
    const narrowing = { REVIEWERS: '', QUORUM: 'two' };
    const unread = { CHANGE_FILE: '/nowhere', FIELDS: 'none', TIMEOUT_S: 'soon', ...narrowing };
    const last = await ends(['report', 'failed'], {
      ...unread,
      CLAIM: 'one',
      TEXT: 'x'.repeat(301),
    });
    expect(last).toMatchObject({ code: 0 });
    expect(gate.requests[0]?.reports).toMatchObject([
      { state: 'running', claim: 'one' },
      { state: 'failed', text: 'x'.repeat(300) },
    ]);
    const again = await ends([], { TITLE: 'Deploy', KEY: 'k' });
    expect(again).toMatchObject({ code: 0, said: expect.stringContaining('before this run.') });
    await rm(folder, { recursive: true });
  });

  test.each<DoorAnswer>([
    { status: 200, body: { status: 'OK' } },
    { status: 200, body: { id: '0-0000000000000001', status: 'APPROVED' } },
    { status: 200, body: { id: '0-0000000000000000', status: 'PENDING' } },
    { status: 202, body: { id: '0-0000000000000000', status: 'APPROVED' } },
    { status: 200, body: '<p>Hello</p>' },
  ])('is repeated until Gatepost itself has it: %j is no claim', async (answer) => {
    await using gate = await startFakeGate();
    const env = { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 'secret' };
    await using asking = shell([ASK], { ...env, TITLE: 'Deploy', KEY: 'k' });
    expect(await asking.ended).toBe(0);
    const ID = gate.requests[0]?.id ?? '';
    const answers = [answer];
    gate.answer((call) => (call.endsWith('/result') ? answers.shift() : undefined));
    await using program = shell([ASK, 'report', 'running'], { ...env, ID, CLAIM: 'one' });
    expect(await program.ended).toBe(0);
    expect(program.output.join('\n')).toContain(
      `No usable answer from Gatepost (${answer.status})`,
    );
    expect(gate.requests[0]?.reports).toMatchObject([{ state: 'running', claim: 'one' }]);
  });

  test.each([
    [['report'], 'Usage: ask.sh'],
    [['running'], 'Usage: ask.sh'],
    [['report', 'running'], 'ID must be set'],
  ])('called with %j ends with 2', async (words, said) => {
    await using program = shell([ASK, ...words], { TITLE: 'Deploy' });
    expect(await program.ended).toBe(2);
    expect(program.output.join()).toContain(said);
  });

  test.each([
    '../../v1/tasks',
    '0-0000000000000000/withdraw',
    '0-0000000000000000?x',
    '0-0000000000000000\n0-0000000000000000',
    '7H2N-K4QM',
  ])('is refused with the id %j, and nothing is sent', async (ID) => {
    await using gate = await startFakeGate();
    const env = { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 'secret' };
    await using program = shell([ASK, 'report', 'running'], { ...env, ID });
    expect(await program.ended).toBe(2);
    expect(program.output.join('\n')).toMatch(
      /^ID, or the id in RESULT_FILE, is not the id of an app/,
    );
    expect(program.output.join('\n')).not.toContain(ID);
    expect(gate.calls).toEqual([]);
  });
});

describe('a request that a newer one replaced', () => {
  test('ends with 4, and says so', async () => {
    await using gate = await startFakeGate('PENDING');
    const env = { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 'secret', SUPERSEDES: 'main' };
    await using older = shell([ASK], { ...env, TITLE: 'Older', KEY: 'older' });
    await gate.called('GET /v1/approvals/{id}');
    await using newer = shell([ASK], { ...env, TITLE: 'Newer', KEY: 'newer' });
    expect(await older.ended).toBe(4);
    expect(older.output).toContain('Withdrawn: replaced by a newer request.');
    newer.kill('SIGUSR1');
    expect(await newer.ended).toBe(130);
  });
});

test('the GitLab job, the Jenkins stage and the Argo step run the same script', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-recipes-'));
  await mkdir(join(folder, 'ci'));
  await copyFile(ASK, join(folder, 'ci/ask.sh'));
  const job = parse(await read('gitlab/gatepost.gitlab-ci.yml')).approve;
  const jenkins = await read('jenkins/Jenkinsfile');
  const [, step = ''] = /sh '([^']+)'/.exec(jenkins) ?? [];
  const [{ container: argo, inputs }] = parse(await read('argo-workflows/ask.yaml')).spec.templates;
  const mounted = argo.args[0].replace('/gatepost/ask.sh', join(folder, 'ci/ask.sh'));
  const scripts = [
    ['From GitLab', [...job.before_script, ...job.script].join('\n')],
    ['From Jenkins', step],
    ['From Argo', mounted],
  ] as const;
  for (const [TITLE, script] of scripts) {
    const inFolder = `cd ${folder} && { ${script}\n}`;
    await using program = shell(['-c', inFolder], { TITLE, KEY: TITLE });
    expect(await decided(program, TITLE, 'Reject'), TITLE).toBe(1);
  }
  for (const name of ['TITLE', 'KEY', 'LINK', 'WITHDRAW']) {
    expect(job.variables).toHaveProperty(name);
    expect(jenkins).toMatch(new RegExp(`^ +${name} = `, 'm'));
  }
  // One approval is for one gate: what the key is made of differs between those of a run.
  const key = argo.env.find(({ name }: { name: string }) => name === 'KEY').value;
  expect(key).toContain('{{inputs.parameters.gate}}/{{retries}}');
  expect(inputs.parameters).toContainEqual({ name: 'gate' });
  // A job that was deleted and made again counts from 1.
  expect(jenkins).toMatch(/^ +KEY = .*currentBuild\.startTimeInMillis.*STAGE_NAME/m);
  expect(job.variables.KEY).toContain('$CI_JOB_ID');
  await rm(folder, { recursive: true });
});

describe('a run whose starter presses Approve is approved only by somebody else', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatepost-starters-'));
    await mkdir(join(folder, 'ci'));
    await copyFile(ASK, join(folder, 'ci/ask.sh'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const environmentOf = (env: readonly { name: string; value?: string }[], name: string) =>
    env.find((each) => each.name === name)?.value;

  const RUNS: Readonly<Record<string, () => Promise<{ script: string; env: Env }>>> = {
    async GitLab() {
      const job = parse(await read('gitlab/gatepost.gitlab-ci.yml')).approve;
      const env = { GITLAB_USER_EMAIL: 'ana@example.com', CI_PIPELINE_SOURCE: 'web' };
      return { script: job.script.join('\n'), env };
    },
    async Jenkins() {
      const jenkins = await read('jenkins/Jenkinsfile');
      expect(jenkins).toMatch(/^ +GATEPOST_REQUESTED_BY = "\$\{starter\(\)\}"$/m);
      const [, prefix = ''] = /return "(\w+:)\$\{people\[0\]\.userId\}"/.exec(jenkins) ?? [];
      const [, script = ''] = /sh '([^']+)'/.exec(jenkins) ?? [];
      return { script, env: { GATEPOST_REQUESTED_BY: `${prefix}ana` } };
    },
    async 'Jenkins with build-user-vars'() {
      return { script: 'sh ci/ask.sh', env: { BUILD_USER_ID: 'ana' } };
    },
    async Argo() {
      const [{ container }] = parse(await read('argo-workflows/ask.yaml')).spec.templates;
      const labels = { 'workflows.argoproj.io/creator-email': 'ana.at.example.com' };
      const ARGO_WORKFLOW_LABELS = environmentOf(container.env, 'ARGO_WORKFLOW_LABELS')?.replace(
        '{{workflow.labels.json}}',
        JSON.stringify(labels),
      );
      const script = container.args[0].replace('/gatepost/ask.sh', 'ci/ask.sh');
      return { script, env: { ARGO_WORKFLOW_LABELS: ARGO_WORKFLOW_LABELS ?? '' } };
    },
    async Buildkite() {
      const script = (await documented('buildkite')).replaceAll('$$', '$');
      return { script, env: { BUILDKITE_BUILD_CREATOR_EMAIL: 'ana@example.com' } };
    },
    async CircleCI() {
      const CIRCLE_REPOSITORY_URL = 'git@bitbucket.org:acme/checkout.git';
      const script = await documented('circleci');
      return { script, env: { CIRCLE_USERNAME: 'ana', CIRCLE_REPOSITORY_URL } };
    },
  };

  /** The command that the page of a folder shows. */
  async function documented(folder: string): Promise<string> {
    const [, command] = /^ +command: (TITLE=.*)$/m.exec(await read(`${folder}/README.md`)) ?? [];
    if (command === undefined) throw new Error(`no command in ${folder}`);
    return command;
  }

  test.each(Object.entries(RUNS))('%s', async (system, run) => {
    const { script, env } = await run();
    const branch = `of ${system}`;
    const all = { ...env, BUILDKITE_BRANCH: branch, CIRCLE_BRANCH: branch };
    const unique = { BUILDKITE_JOB_ID: 'job', CIRCLE_WORKFLOW_JOB_ID: 'workflow job' };
    const inFolder = `cd ${folder} && { ${script}\n}`;
    const given = { TITLE: `Deploy ${branch}`, KEY: system };
    await using program = shell(['-c', inFolder], { ...given, ...unique, ...all });
    expect(await decidedByBen(program, `Deploy ${branch}`)).toBe(0);
    expect(program.output.filter((line) => line.startsWith('Asked in the name of'))).toHaveLength(
      1,
    );
  });

  test('says that only its requester can decide it, and ends with 5', async () => {
    await using gate = await startFakeGate();
    const id = '0-0000000000000000';
    const status = {
      id,
      status: 'BLOCKED',
      blocked: 'only-requester',
      posting: { state: 'posted' },
    };
    gate.answer((call) => (call.startsWith('GET') ? { status: 200, body: status } : undefined));
    const env = { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 'secret', TITLE: 'Alone' };
    const ends = async (more: Env) => {
      await using program = shell([ASK], { ...env, ...more });
      expect(await program.ended).toBe(5);
      return program.output.at(-1);
    };
    const why = 'Only its requester can decide it: nobody else is asked.';
    expect(await ends({})).toBe(`${why} The request was withdrawn.`);
    expect(await ends({ KEY: 'a', WITHDRAW: 'always' })).toBe(`${why} The request was withdrawn.`);
    expect(await ends({ KEY: 'b' })).toContain(`${why} The request stays open`);
    const left = gate.requests.map((each) => each.status);
    expect(left).toEqual(['WITHDRAWN', 'WITHDRAWN', 'PENDING']);
  });
});

interface UsedStep {
  readonly uses: string;
  readonly with: Readonly<Record<string, string>>;
}

test('the examples on the pages match the recipes', async () => {
  const folders = ['github', 'gitlab', 'jenkins'].map((folder) => `${folder}/README.md`);
  const pages = ['../docs/asking.md', ...folders].map(read);
  const docs = (await Promise.all(pages)).join('\n');
  const blocks = (language: string) =>
    [...docs.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
      ([, text]) => text ?? '',
    );
  const { version } = JSON.parse(await readFile(new URL('../package.json', ROOT), 'utf8'));
  const used = blocks('yaml').flatMap((text) => {
    const { steps = [], jobs = {} } = parse(text);
    const all = [{ steps }, ...Object.values<{ steps: UsedStep[] }>(jobs)].flatMap(
      (job) => job.steps,
    );
    return all.filter(({ uses }) => uses?.includes('/integrations/'));
  });
  expect(used).toHaveLength(4);
  for (const step of used) {
    const [, folder, at] =
      /^your-organisation\/gatepost\/integrations\/(.+)@v(.+)$/.exec(step.uses) ?? [];
    expect(at).toBe(version);
    const { inputs } = parse(await read(`${folder}/action.yml`));
    const needed = Object.keys(inputs).filter((name) => inputs[name].required);
    expect(Object.keys(step.with)).toEqual(expect.arrayContaining(needed));
    for (const name of Object.keys(step.with)) expect(inputs).toHaveProperty(name);
  }
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-docs-'));
  await mkdir(join(folder, 'ci'));
  await copyFile(ASK, join(folder, 'ci/ask.sh'));
  const { approve } = parse(blocks('yaml').find((text) => text.startsWith('approve:')) ?? '');
  const [, jenkins = ''] = /sh '([^']+)'/.exec(blocks('groovy').join()) ?? [];
  const runs = [
    [
      'Deploy main to production',
      approve.script.join('\n'),
      { ...approve.variables, CI_COMMIT_REF_SLUG: 'main' },
    ],
    [
      'Deploy jenkins-7',
      jenkins,
      { BUILD_TAG: 'jenkins-7', JOB_NAME: 'checkout', BUILD_NUMBER: '7', STARTED: '1780000000000' },
    ],
  ] as const;
  for (const [title, script, env] of runs) {
    const set = Object.entries(env).map(([name, value]) => `export ${name}="${value}"`);
    // Those that stand in others come first.
    const words = [...set.reverse(), `cd ${folder}`, script].join('\n');
    await using program = shell(['-c', words], {});
    expect(await decided(program, title, 'Reject'), title).toBe(1);
  }
  await rm(folder, { recursive: true });
});

test('the recipes can be read by a plain /bin/sh', async () => {
  for (const name of [
    'curl/ask.sh',
    'curl/digest.sh',
    'agents/ask-before.sh',
    'github/result.sh',
  ]) {
    await using program = runProgram(
      ['-n', new URL(name, ROOT).pathname],
      { PATH: process.env.PATH },
      '/bin/sh',
    );
    expect(await program.ended, name).toBe(0);
  }
});
