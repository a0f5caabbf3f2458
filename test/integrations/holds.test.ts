import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

/** In each recipe, pasted as it is printed, the deployment waits for the approval. */

const read = (name: string) =>
  readFile(new URL(`../../integrations/${name}`, import.meta.url), 'utf8');

/** The only YAML on a page. */
async function printed(page: string) {
  const blocks = [...(await read(page)).matchAll(/^```yaml\n(.*?)^```/gms)];
  expect(blocks).toHaveLength(1);
  return parse(blocks[0]?.[1] ?? '');
}

test('Buildkite: a wait is between them', async () => {
  const { steps } = await printed('buildkite/README.md');
  const names = steps.map((step: string | { label: string }) =>
    typeof step === 'string' ? step : step.label,
  );
  expect(names).toEqual(['Approve', 'wait', 'Deploy']);
});

test('CircleCI: the workflow requires it', async () => {
  const { jobs, workflows } = await printed('circleci/README.md');
  expect(Object.keys(jobs)).toEqual(['approve', 'deploy']);
  expect(workflows.release.jobs).toEqual(['approve', { deploy: { requires: ['approve'] } }]);
});

test.each(['README.md', 'gatepost.gitlab-ci.yml'])('GitLab, %s: the job needs it', async (name) => {
  const path = `gitlab/${name}`;
  const { approve, deploy } = name.endsWith('.md') ? await printed(path) : parse(await read(path));
  // Both after the tests.
  expect([approve.stage, deploy.stage]).toEqual(['deploy', 'deploy']);
  expect(deploy.needs).toEqual(['approve']);
  expect(approve.allow_failure).toBeUndefined();
});

test('GitLab fills in no words that others choose, which may name a secret', async () => {
  for (const name of ['README.md', 'gatepost.gitlab-ci.yml']) {
    const page = (await read(`gitlab/${name}`)).replace(/#.*$/gm, '');
    expect(page).toContain('$CI_COMMIT_REF_SLUG');
    expect(page).not.toMatch(/\$\{?CI_\w*(?:TITLE|MESSAGE|DESCRIPTION|REF_NAME|BRANCH|TAG|AUTHOR)/);
  }
});

test.each([
  'gitlab/gatepost.gitlab-ci.yml',
  'gitlab/README.md',
  'buildkite/README.md',
  'circleci/README.md',
  'jenkins/README.md',
  'jenkins/Jenkinsfile',
  'argo-workflows/ask.yaml',
])('%s withdraws the request of a cancelled job', async (name) =>
  expect(await read(name)).toMatch(/WITHDRAW[\w ,:='"]*always/),
);

test('GitHub: the job needs it', async () => {
  const { jobs } = await printed('github/README.md');
  expect(jobs.deploy.needs).toBe('approve');
});

test('Argo Workflows: it is a step of its own', async () => {
  const { steps } = await printed('argo-workflows/README.md');
  const names = steps.map((group: { name: string }[]) => group.map(({ name }) => name));
  expect(names).toEqual([['approve'], ['deploy']]);
});

test('Jenkins: one stage follows the other', async () => {
  const stages = [...(await read('jenkins/Jenkinsfile')).matchAll(/^ {4}stage\('(\w+)'\)/gm)];
  expect(stages.map(([, name]) => name)).toEqual(['Approve', 'Deploy']);
});

test('Tekton: it says what the pipeline needs', async () => {
  expect(await read('gates/tekton-task.yaml')).toMatch(
    /^# .*The task that deploys needs runAfter/m,
  );
});
