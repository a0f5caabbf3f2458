import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hurried } from '../cli/hurried.ts';
import { runHere } from '../cli/run-here.ts';
import { runProgram } from '../e2e/crash/run-program.ts';
import type { DoorAnswer } from '../e2e/door.ts';
import { type FakeGate, startFakeGate } from '../support/fake-gate.ts';

/** What a log says at each end, for all three ways to ask, side by side in one file: `ends.snapshot`. */

const pathOf = (name: string) => new URL(`../../integrations/${name}`, import.meta.url).pathname;
const ASK = pathOf('curl/ask.sh');
const RESULT = pathOf('github/result.sh');
const ID = '0-0000000000000000';

type Json = Readonly<Record<string, unknown>>;

/** A request that three people are asked about, as the intake shows it. */
function details(status: string, more: Json = {}): Json {
  return {
    ...{ id: ID, status, url: `/v1/approvals/${ID}`, final: status !== 'BLOCKED' },
    ...{ shortId: '7H2N-K4QM', digest: 'a'.repeat(64), permalink: 'https://acme.slack.com/p17' },
    createdAt: new Date(Date.now() - 180_000).toISOString(),
    posting: { state: 'posted' },
    reviewers: { users: ['U0ANA', 'U0BEN'], groups: ['S0SRE'], channel: false },
    ...{ ballots: [], approvals: 0, needs: [] },
    names: { U0ANA: 'Ana', U0BEN: 'Ben', U0CLEO: 'Cleo', S0SRE: '@sre' },
    ...more,
  };
}

const AT = '2026-11-20T10:00:00.000Z';
const decided = (status: string, by: readonly string[], more: Json = {}) =>
  details(status, { outcome: { status, resolvedAt: null, by, certain: true }, ...more });
const rejection = { user: 'U0BEN', action: 'reject', at: AT, reason: 'Not on a Friday.' };

const known = (body: Json): DoorAnswer => ({ status: 200, body });
const problem = (status: number, title: string, more: Json = {}): DoorAnswer => ({
  status,
  body: { type: 'about:blank', title, status, ...more },
});
const QUORUM = 'is greater than the number of people who can approve';

/** How the intake answers: the request itself if it refuses, otherwise each read of it. */
const ENDS: Readonly<Record<string, { readonly asked?: DoorAnswer; readonly read?: DoorAnswer }>> =
  {
    approved: { read: known(decided('APPROVED', ['U0ANA'])) },
    'approved by two': { read: known(decided('APPROVED', ['U0ANA', 'U0BEN'])) },
    'approved by its own requester': {
      read: known(decided('APPROVED', ['U0ANA'], { ownApproval: true })),
    },
    'rejected with a reason': {
      read: known(decided('REJECTED', ['U0BEN'], { ballots: [rejection] })),
    },
    'timed out': { read: known(decided('TIMED_OUT', [])) },
    withdrawn: { read: known(details('WITHDRAWN', { withdrawnAt: AT })) },
    'withdrawn by its requester': {
      read: known(details('WITHDRAWN', { withdrawnAt: AT, withdrawnBy: 'U0CLEO' })),
    },
    replaced: { read: known(details('WITHDRAWN', { withdrawnAt: AT, supersededBy: '0-1' })) },
    'nobody else can decide': { read: known(details('BLOCKED', { blocked: 'only-requester' })) },
    'refused with 401': { asked: problem(401, 'Unauthorized') },
    'refused with 403': {
      asked: problem(403, 'Forbidden', { detail: 'This source cannot use this route.' }),
    },
    'refused with 422': {
      asked: problem(422, 'Invalid', { errors: [{ pointer: '/quorum', detail: QUORUM }] }),
    },
    'no connection': {},
    'Ctrl-C before asking': {},
    'Ctrl-C while it waits': {},
  };

/** Where nothing listens. */
const NOBODY = 'http://127.0.0.1:9';
const isAway = (name: string) => name === 'no connection' || name === 'Ctrl-C before asking';

async function gateOf(name: string): Promise<FakeGate> {
  const gate = await startFakeGate('PENDING');
  const { asked, read } = ENDS[name] ?? {};
  gate.answer((call) => {
    if (call === 'POST /v1/approvals') return asked;
    return call === 'GET /v1/approvals/{id}' ? read : undefined;
  });
  return isAway(name) ? { ...gate, url: NOBODY } : gate;
}

const isInterrupted = (name: string) => name.startsWith('Ctrl-C');
const FIRST_READ = 'GET /v1/approvals/{id}';

interface Log {
  readonly code: number | null;
  readonly lines: readonly string[];
}

const settings = ({ url }: FakeGate) => ({
  ...{ GATEPOST_URL: url, GATEPOST_INTAKE_SECRET: 'a-secret-of-thirty-two-characters' },
});

async function ofAsk(name: string): Promise<Log> {
  await using gate = await gateOf(name);
  const ending = new AbortController();
  const interrupt = () => isInterrupted(name) && ending.abort();
  void gate.called(FIRST_READ).then(interrupt);
  const words = ['ask', '--title', 'Deploy 4.2', '--wait', '--timeout', '1h'];
  const { timers, ...others } = hurried();
  const sleep: typeof timers.sleep = (ms, signal) => {
    interrupt();
    return timers.sleep(ms, signal);
  };
  const given = isAway(name) && { system: { ...others, timers: { ...timers, sleep } } };
  const options = { env: settings(gate), signal: ending.signal, ...given };
  const { code, out, err } = await runHere(words, options);
  return { code, lines: plain(`${err}${out}`, gate) };
}

async function ofScript(name: string, env: Json = {}): Promise<Log> {
  await using gate = await gateOf(name);
  await using folder = await hurryingDate();
  const PATH = name === 'no connection' ? `${folder.path}:${process.env.PATH}` : process.env.PATH;
  const all = { PATH, ...settings(gate), TITLE: 'Deploy 4.2', TIMEOUT_S: '3600', ...env };
  // as: texts
  await using program = runProgram([ASK], all as Record<string, string>, '/bin/sh');
  if (isInterrupted(name)) {
    await (isAway(name) ? program.line(/^No connection/) : gate.called(FIRST_READ));
    program.interrupt();
  }
  const code = await program.ended;
  return { code, lines: plain(program.output.join('\n'), gate) };
}

/** A folder with a `date` that is half an hour later at each call. */
async function hurryingDate(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'gatepost-date-'));
  const script = `#!/bin/sh
echo >>"${path}/calls"
at=$(PATH='${process.env.PATH}' date +%s)
echo $((at + 1800 * $(wc -l <"${path}/calls")))
`;
  await writeFile(join(path, 'date'), script, { mode: 0o755 });
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/** The step that asks, and the one after it, as in `github/action.yml`. */
async function ofAction(name: string): Promise<Log> {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-ends-'));
  try {
    const file = (each: string) => join(folder, each);
    const files = { RESULT_FILE: file('answer'), GITHUB_OUTPUT: file('outputs') };
    const runner = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file('summary'), ...files };
    const { code, lines } = await ofScript(name, runner);
    await using result = runProgram([RESULT], runner, '/bin/sh');
    expect(await result.ended).toBe(0);
    const outputs = (await readFile(files.GITHUB_OUTPUT, 'utf8').catch(() => '')).trim();
    const told = outputs
      .split('\n')
      .filter((line) => /^(?:status|by|reason|short-id)=./.test(line));
    return { code, lines: [...lines, ...result.output, ...told] };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Without what differs from run to run. */
function plain(log: string, gate: FakeGate): string[] {
  return log
    .replaceAll(gate.url, 'http://gate')
    .replaceAll(/curl: \(7\).*/g, "curl's own line")
    .replaceAll(/until (?:tomorrow |\d{4}-\d\d-\d\d )?\d\d:\d\d(?: UTC)?/g, 'until a time')
    .replaceAll(/ask-[\w-]{8,}|\b[\da-f]{8}-[\da-f-]{27}\b/g, 'a-key')
    .split('\n')
    .filter((line, at, all) => line.trim() !== '' && line !== all[at - 1]);
}

const WAYS = { 'gatepost ask': ofAsk, 'ask.sh': ofScript, 'the action': ofAction };

test('every end is said alike by ask, ask.sh and the action', async () => {
  const said: string[] = [];
  for (const name of Object.keys(ENDS)) {
    const logs = await Promise.all(
      Object.entries(WAYS).map(async ([way, run]) => [way, await run(name)] as const),
    );
    const [code] = logs.map(([, log]) => log.code);
    expect(logs.map(([way, log]) => [way, log.code])).toEqual(logs.map(([way]) => [way, code]));
    said.push(`== ${name}: ends with ${code}`);
    for (const [way, { lines }] of logs) said.push(`${way}:`, ...lines.map((line) => `  ${line}`));
    said.push('');
  }
  await expect(said.join('\n')).toMatchFileSnapshot('ends.snapshot');
});
