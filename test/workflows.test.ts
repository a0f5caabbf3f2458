import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

/** Workflows of other systems, as far as they can be checked here. */

const FOLDER = '.github/workflows';
const read = (name: string) => readFile(name, 'utf8');
const { scripts, version } = JSON.parse(await read('package.json'));
const workflows = await Promise.all(
  (await readdir(FOLDER)).map(async (name) => [name, await read(`${FOLDER}/${name}`)] as const),
);

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

function stepsIn(text: string): Step[] {
  const jobs: { steps?: Step[]; uses?: string }[] = Object.values(parse(text).jobs);
  return jobs.flatMap(({ steps = [], uses }) => [
    ...steps,
    ...(uses === undefined ? [] : [{ uses }]),
  ]);
}

describe.each(workflows)('%s', (_name, text) => {
  test('runs scripts that exist', () => {
    const named = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, script]) => script);
    expect(named.filter((script) => scripts[script ?? ''] === undefined)).toEqual([]);
  });

  test('pins its actions to commits, and only has permission to read', () => {
    const uses = stepsIn(text).flatMap((step) => step.uses ?? []);
    expect(uses.length).toBeGreaterThan(0);
    for (const each of uses) expect(each).toMatch(/^\.\/|@[0-9a-f]{40}$/);
    expect(parse(text).permissions).toEqual({ contents: 'read' });
    // The version's name follows its commit.
    expect(text.match(/@[0-9a-f]{40}$/gm)).toBeNull();
  });
});

test('CI runs both test commands on three versions of Node', async () => {
  const { jobs } = parse(await read(`${FOLDER}/ci.yml`));
  expect(jobs.tests.strategy.matrix.node).toEqual([20, 24, 26]);
  const runs = stepsIn(await read(`${FOLDER}/ci.yml`)).flatMap(({ run }) => run ?? []);
  expect(runs).toEqual(expect.arrayContaining(['npm cit', 'npm run test:slow']));
});

test('a release takes its notes from the changes of its version', async () => {
  const steps = stepsIn(await read(`${FOLDER}/release.yml`));
  const script = steps.find(({ run }) => run?.includes('CHANGELOG.md'))?.run ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-release-'));
  for (const name of ['package.json', 'CHANGELOG.md']) await copyFile(name, join(folder, name));
  const notesOf = (tag: string) => {
    const env = { PATH: process.env.PATH, GITHUB_REF_NAME: tag };
    return promisify(execFile)('bash', ['-e', '-c', script], { cwd: folder, env });
  };
  await notesOf(`v${version}`);
  const notes = await readFile(join(folder, 'notes.md'), 'utf8');
  expect(notes.trim()).not.toBe('');
  expect(notes).not.toContain('## [');
  await expect(notesOf('v9.9.9')).rejects.toThrow();
  await rm(folder, { recursive: true });
});

test('the issue template asks for the output of doctor, the pull request template for npm run check', async () => {
  const { body } = parse(await read('.github/ISSUE_TEMPLATE/fault.yml'));
  const asked = JSON.stringify(body);
  expect(asked).toContain('gatepost doctor --json');
  for (const { type, attributes } of body)
    expect([type, attributes.label ?? attributes.value]).not.toContain(undefined);
  expect(await read('.github/PULL_REQUEST_TEMPLATE.md')).toContain('npm run check');
});
