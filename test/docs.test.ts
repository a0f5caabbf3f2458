import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { VARIABLES, variablesTable } from '../src/config/variables.ts';
import { REQUIRED_SCOPES } from '../src/slack/scopes.ts';

const DOCUMENTS = [
  'README.md',
  'docs/intake.md',
  'docs/move-task.md',
  'docs/new-case.md',
  'docs/people.md',
  'docs/configuration.md',
  'docs/how-it-works.md',
  'docs/identity.md',
  'docs/operations.md',
  'docs/redis.md',
  'docs/sandbox.md',
  'CONTRIBUTING.md',
];

const read = (name: string) => readFile(new URL(`../${name}`, import.meta.url), 'utf8');

test("README's table of variables is the one the program reads by", async () => {
  const [, table] =
    /<!-- variables:[^>]*-->\n([\s\S]*?)\n<!-- \/variables -->/.exec(await read('README.md')) ?? [];
  expect(table?.trim()).toBe(variablesTable());
});

test('every variable that the documents name exists', async () => {
  const known = new Set<string>(VARIABLES.map(({ name }) => name));
  for (const name of [...DOCUMENTS, 'Dockerfile', 'compose.yaml']) {
    const named =
      (await read(name)).match(/\b(GATEPOST|SLACK|SERVICE|REDIS|SCIM|DATA|LOG)_[A-Z_]+\b/g) ?? [];
    expect(
      named.filter((variable) => !known.has(variable)),
      name,
    ).toEqual([]);
  }
});

test('every script that the documents tell people to run exists', async () => {
  const scripts = Object.keys(JSON.parse(await read('package.json')).scripts);
  for (const name of ['README.md', 'CONTRIBUTING.md']) {
    const named = [...(await read(name)).matchAll(/npm run ([a-z:-]+)/g)].map(
      ([, script]) => script,
    );
    expect(
      named.filter((script) => !scripts.includes(script ?? '')),
      name,
    ).toEqual([]);
  }
});

test('every file that the documents link to exists', async () => {
  for (const name of DOCUMENTS) {
    const folder = name.startsWith('docs/') ? 'docs/' : '';
    const links = [...(await read(name)).matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)];
    for (const [, link] of links) {
      const { access } = await import('node:fs/promises');
      await expect(
        access(new URL(`../${folder}${link}`, import.meta.url)),
        `${name}: ${link}`,
      ).resolves.toBeUndefined();
    }
  }
});

test('the manifest asks for exactly the scopes that the bot needs', async () => {
  const manifest = parse(await read('manifest.yml'));
  expect([...manifest.oauth_config.scopes.bot].sort()).toEqual(Object.keys(REQUIRED_SCOPES).sort());
  const { interactivity, event_subscriptions: events } = manifest.settings;
  for (const { request_url } of [interactivity, events])
    expect(request_url).toMatch(/\/slack\/events$/);
});

test("README's first request is one that the intake takes", async () => {
  const { approvalRequest } = await import('../src/approvals/intake-contract.ts');
  const [, json] = /```json\n([\s\S]*?)```/.exec(await read('README.md')) ?? [];
  expect(approvalRequest.safeParse(JSON.parse(json ?? '')).success).toBe(true);
});

test('the guide to test cases shows a configuration that is taken', async () => {
  const { readWith } = await import('./config/environment-of-tests.ts');
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(await read('docs/new-case.md')) ?? [];
  const base = `sources: [{ id: a, secret: INTAKE_DEPLOYS, routes: [r] }]
routes: { r: { channel: C0PROD, reviewers: { users: [U0ANA] } } }
`;
  const taken = readWith(base + yaml, { SERVICE_API_KEY: 'the-key-of-the-service' });
  const testProjects = [{ name: 'Checkout' }, { name: 'Search' }];
  expect(taken).toMatchObject({ ok: true, warnings: [], config: { catalogue: { testProjects } } });
});

test('the guide to moving items shows a configuration and a snapshot that are taken', async () => {
  const { taskRequest } = await import('../src/tasks/task-request.ts');
  const { readWith } = await import('./config/environment-of-tests.ts');
  const guide = await read('docs/move-task.md');
  const [, json] = /```json\n([\s\S]*?)```/.exec(guide) ?? [];
  expect(taskRequest.safeParse(JSON.parse(json ?? '')).success).toBe(true);
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
  const base = `sources: [{ id: a, secret: INTAKE_DEPLOYS, routes: [r] }]
routes: { r: { channel: C0PROD, reviewers: { users: [U0ANA] } } }
`;
  const taken = readWith(base + yaml, { SERVICE_API_KEY: 'the-key-of-the-service' });
  expect(taken).toMatchObject({ ok: true, warnings: [], config: { move: { source: 'http' } } });
});
