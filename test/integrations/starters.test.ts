import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Asker, askerOf, givenAsker } from '../../ask/requested-by.ts';
import { STARTERS, starterIn } from '../../ask/starters.ts';
import { runProgram } from '../e2e/crash/run-program.ts';
import { type FakeGate, startFakeGate } from '../support/fake-gate.ts';
import { type Shell, shells } from '../support/shells.ts';
import { ARGO_LABELS, STARTER_CASES } from '../support/starter-cases.ts';

/** `ask.sh` has the table of CI systems a second time, in another language: both find the same requester. */

const ASK = new URL('../../integrations/curl/ask.sh', import.meta.url).pathname;
type Env = Readonly<Record<string, string>>;

let gate: FakeGate;
beforeAll(async () => {
  gate = await startFakeGate();
});
afterAll(() => gate[Symbol.asyncDispose]());

let runs = 0;
/** What it asks with this in the environment, and what it says about that. */
async function asks({ program: shell, words }: Shell, env: Env) {
  runs += 1;
  const key = `run ${runs}`;
  const all = { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 's', TITLE: 'Deploy', KEY: key };
  await using program = runProgram([...words, ASK], { ...all, ...env }, shell);
  const code = await program.ended;
  const { requestedBy } = gate.requests.find(({ body }) => body.key === key)?.body ?? {};
  const said = program.output.filter((line) => line.startsWith('Asked in '));
  return { code, requestedBy, said, output: program.output };
}

const expected = ({ requestedBy, said }: Asker) => ({
  code: 0,
  requestedBy,
  said: said === undefined ? [] : [said],
});

/** One of each row: jq reads the values, so that the shell hardly matters. */
const rows: Env[] = Object.values(STARTER_CASES).map(([first]) => ({ ...first?.env }));

const environments: Env[] = [
  ...Object.values(STARTER_CASES).flatMap((cases) => cases.map(({ env }) => env)),
  ...Object.keys(ARGO_LABELS).map((label) => ({
    ARGO_WORKFLOW_LABELS: JSON.stringify({ 'workflows.argoproj.io/creator-email': label }),
  })),
  { GITHUB_TRIGGERING_ACTOR: ' ', GITLAB_USER_EMAIL: 'ana@example.com', BUILD_USER_ID: 'ben' },
  {},
];

const GIVEN = [
  'ana@example.com',
  ' Ana <ana@example.com> ',
  'mailto:ana@example.com',
  'U0ANA',
  'W012A3CDE',
  'URSULA',
  'Ana "the one" $HOME \\n',
  'Release: Ana',
  'GitHub:octocat',
  'github:renovate[bot]',
  'jenkins:[schedule]',
  'jenkins:ana@example.com',
  'none',
];

const REFUSED = ['ana@@example.com', 'ana\uff20example.com', 'gitea:', 'github:octo cat'];

test.each(shells)('in $name, each row of the table is read as by gatepost ask', async (sh) => {
  for (const env of rows) {
    const found = await asks(sh, env);
    expect(found, JSON.stringify(env)).toMatchObject(expected(askerOf(starterIn(env))));
  }
});

describe('ask.sh', () => {
  const [sh] = shells as [Shell]; // as: every machine has one

  test.each(environments)('%j names the same requester as gatepost ask', async (env) => {
    expect(await asks(sh, env)).toMatchObject(expected(askerOf(starterIn(env))));
  });

  test.each(GIVEN)('REQUESTED_BY=%s is read as by gatepost ask', async (given) => {
    const starter = { GITHUB_TRIGGERING_ACTOR: 'ben' };
    const { said, ...asker } = givenAsker({}, given) ?? {};
    const spoken = said?.replace('--requested-by', 'REQUESTED_BY');
    const both = { ...starter, REQUESTED_BY: given, GATEPOST_REQUESTED_BY: 'ben' };
    expect(await asks(sh, both)).toMatchObject(
      expected({ ...asker, ...(spoken !== undefined && { said: spoken }) }),
    );
    const env = { ...starter, REQUESTED_BY: ' ', GATEPOST_REQUESTED_BY: given };
    expect(await asks(sh, env)).toMatchObject(expected(givenAsker(env) ?? {}));
  });

  test.each(REFUSED)('%s is refused, and the sentence names its variable', async (given) => {
    for (const name of ['REQUESTED_BY', 'GATEPOST_REQUESTED_BY']) {
      const { code, requestedBy, output } = await asks(sh, { [name]: given });
      expect({ code, requestedBy }).toEqual({ code: 2, requestedBy: undefined });
      expect(output).toEqual([
        expect.stringMatching(`^${name} must be an e-mail address, a Slack`),
      ]);
      expect(output.join()).not.toContain(given);
    }
  });

  test('a report asks nobody, so its environment may name anybody', async () => {
    await using program = runProgram(
      [...sh.words, ASK, 'report', 'running'],
      {
        GATEPOST_URL: gate.url,
        GATEPOST_INTAKE_SECRET: 's',
        ID: gate.requests[0]?.id ?? '',
        GATEPOST_REQUESTED_BY: 'ana@@example.com',
      },
      sh.program,
    );
    expect({ code: await program.ended, said: program.output }).toEqual({ code: 0, said: [] });
  });
});

test('ask.sh reads no variable that the table does not have', async () => {
  const script = await readFile(ASK, 'utf8');
  const read = [...script.matchAll(/\$ENV\.(\w+)/g)].map(([, name]) => name);
  const rows = STARTERS.flatMap((row) => [
    row.variable,
    ...('schedule' in row ? Object.values(row.schedule) : []),
  ]);
  const settings = ['GATEPOST_URL', 'GATEPOST_INTAKE_SECRET', 'GATEPOST_REQUESTED_BY'];
  const tokens = [
    ...['GATEPOST_ID_TOKEN', 'GATEPOST_AUDIENCE'],
    ...['ACTIONS_ID_TOKEN_REQUEST_URL', 'ACTIONS_ID_TOKEN_REQUEST_TOKEN'],
  ];
  const known = [...settings, ...tokens, 'CIRCLE_REPOSITORY_URL', ...rows];
  expect(read.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  for (const { variable } of STARTERS) expect(read).toContain(variable);
});
