import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { askerOf, givenAsker } from '../../ask/requested-by.ts';
import { STARTERS, starterIn } from '../../ask/starters.ts';
import { ARGO_LABELS, STARTER_CASES } from '../support/starter-cases.ts';
import { runHere } from './run-here.ts';

describe('who started a run', () => {
  const cases = Object.entries(STARTER_CASES).flatMap(([system, all]) =>
    all.map(({ env, starter }) => [system, env, starter] as const),
  );

  test.each(cases)('%s with %j is %j', (_, env, starter) => {
    expect(starterIn(env)).toEqual(starter ?? undefined);
  });

  test('the systems that are compared with ask.sh are all of the table', () => {
    expect(Object.keys(STARTER_CASES)).toEqual(STARTERS.map(({ system }) => system));
  });

  test.each(Object.entries(ARGO_LABELS))('the label %s of Argo Workflows is %j', (label, by) => {
    const labels = { 'workflows.argoproj.io/creator-email': label };
    expect(starterIn({ ARGO_WORKFLOW_LABELS: JSON.stringify(labels) })).toEqual(by);
  });

  test('the first system of the table counts, and empty variables do not', () => {
    const env = { GITHUB_TRIGGERING_ACTOR: ' ', GITLAB_USER_EMAIL: 'ana@example.com' };
    expect(starterIn({ ...env, BUILD_USER_ID: 'ben' })).toEqual({ email: 'ana@example.com' });
    expect(starterIn({})).toBeUndefined();
  });

  test('ask --help and integrations/README.md name every variable', async () => {
    const { out } = await runHere(['ask', '--help']);
    const index = new URL('../../integrations/README.md', import.meta.url);
    const docs = await readFile(index, 'utf8');
    for (const row of STARTERS) {
      expect(out).toContain(`  ${row.variable}`);
      expect(docs).toContain(`\`${row.variable}\``);
      if ('schedule' in row) expect(out).toContain(`${row.schedule.variable}=${row.schedule.is}`);
    }
  });
});

describe('--requested-by', () => {
  const longest = 'x'.repeat(100);

  test.each([
    ['ana@example.com', { email: 'ana@example.com' }, 'ana@example.com'],
    [' Ana <ana@example.com> ', { email: 'Ana <ana@example.com>' }, 'Ana <ana@example.com>'],
    ['mailto:ana@example.com', { email: 'mailto:ana@example.com' }, 'mailto:ana@example.com'],
    ['U0ANA', { slackUser: 'U0ANA' }, 'U0ANA'],
    ['W012A3CDE', { slackUser: 'W012A3CDE' }, 'W012A3CDE'],
    ['URSULA', { name: 'URSULA' }, 'URSULA'],
    ['Ana', { name: 'Ana' }, 'Ana'],
    ['Release: Ana', { name: 'Release: Ana' }, 'Release: Ana'],
    ['github:octocat', { login: 'octocat', at: 'github' }, 'octocat (GitHub)'],
    ['GitHub:octocat', { login: 'octocat', at: 'github' }, 'octocat (GitHub)'],
    ['github:renovate[bot]', { login: 'renovate[bot]', at: 'github' }, 'renovate[bot] (GitHub)'],
    ['jenkins:[schedule]', { login: '[schedule]', at: 'jenkins' }, 'a schedule (Jenkins)'],
    [
      'jenkins:ana@example.com',
      { login: 'ana@example.com', at: 'jenkins' },
      'ana@example.com (Jenkins)',
    ],
    [`ci.acme:${longest}`, { login: longest, at: 'ci.acme' }, `${longest} (ci.acme)`],
  ])('%j is %j', (given, requestedBy, said) => {
    const asker = { requestedBy, said: `Asked in the name of ${said}` };
    expect(givenAsker({}, given)).toEqual(asker);
    expect(givenAsker({ GATEPOST_REQUESTED_BY: given })).toEqual(asker);
  });

  test.each([
    ['ana@@example.com', 'must be an e-mail address, a Slack user id, a login such as'],
    ['ana@example.com, ben@example.com', 'must be an e-mail address, a Slack user id'],
    ['ana\uff20example.com', 'must not contain full-width letters'],
    ['ana@ex\u0430mple.com', 'must not contain letters that look like'],
    ['ana\u200b@example.com', 'must not contain invisible characters'],
    ['gitea:', 'must have a login'],
    ['github:octo cat', 'must have a login'],
    [`github:${longest}x`, 'must have a login of up to 100 characters'],
  ])(
    '%j is refused, and the sentence names the option or variable, not the value',
    (given, says) => {
      const option = givenAsker({ GATEPOST_REQUESTED_BY: 'ana@example.com' }, given);
      expect(option).toEqual({ problem: expect.stringMatching(`^--requested-by ${says}`) });
      const variable = givenAsker({ GATEPOST_REQUESTED_BY: given });
      expect(variable).toEqual({
        problem: expect.stringMatching(`^GATEPOST_REQUESTED_BY ${says}`),
      });
      expect(option?.problem).not.toContain(given);
    },
  );

  test('none names nobody, and says so; what is empty was not given', () => {
    const env = { GATEPOST_REQUESTED_BY: 'none' };
    expect(givenAsker({}, 'none')).toEqual({
      said: "Asked in nobody's name: --requested-by is none",
    });
    for (const empty of [undefined, '', ' ']) {
      expect(givenAsker({}, empty)).toBeUndefined();
      expect(givenAsker(env, empty)).toEqual({
        said: "Asked in nobody's name: GATEPOST_REQUESTED_BY is none",
      });
    }
  });

  test('nothing is said where nobody knows who asks', () => {
    expect(askerOf(undefined)).toEqual({});
  });
});
