import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/app/configuration.ts';
import { behind } from '../../../src/cli/env-file.ts';
import { SECRETS } from '../../../src/core/config/variables.ts';
import { BASE, type Env } from './environment-of-tests.ts';

const YAML = `
sources:
  - { id: deploys, secret: INTAKE, routes: [production] }
routes:
  default: { channel: C0PROD, reviewers: { users: [U0ANA] } }
  production: { channel: C0PROD, reviewers: { users: [U0ANA] } }
`;

const VALUES: Readonly<Record<string, string>> = {
  SLACK_BOT_TOKEN: 'xoxb-file',
  SLACK_SIGNING_SECRET: 'signing-file',
  SLACK_APP_TOKEN: 'xapp-file',
  GATEPOST_KEYS: BASE.GATEPOST_KEYS ?? '',
  GATEPOST_INTAKE_SECRET: 'the-secret-in-its-file',
  SERVICE_API_KEY: 'key-file',
  SCIM_TOKEN: 'scim-file',
  REDIS_URL: 'rediss://:pass@redis.example',
  INTAKE: 'the-secret-of-the-source',
};

const BARE: Env = { SERVICE_URL: 'https://service.example', GATEPOST_CONFIG: '/etc/gatepost.yaml' };
const FILES: Env = Object.fromEntries(
  Object.keys(VALUES).map((name) => [`${name}_FILE`, `/run/secrets/${name}`]),
);

/** Each secret is in a file of its name, with a line end. */
function readIn(env: Env, text = (value: string) => `${value}\r\n`) {
  return readConfig(
    { ...BARE, ...FILES, SLACK_MODE: 'http', ...env },
    {
      command: 'start',
      readFile: (path) => {
        if (path === '/etc/gatepost.yaml') return YAML;
        const value = VALUES[path.replace('/run/secrets/', '')];
        if (value === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' });
        return text(value);
      },
    },
  );
}

function problemsOf(read: ReturnType<typeof readIn>): string[] {
  return read.ok ? [] : read.problems.map(({ name, message }) => `${name} ${message}`);
}

it('every secret is read from the file that its variable names', () => {
  const read = readIn({});
  expect(problemsOf(read)).toEqual([]);
  if (!read.ok) return;
  const { slack, service, store, keys, sources } = read.config;
  expect(slack).toMatchObject({
    botToken: 'xoxb-file',
    signingSecret: 'signing-file',
    appToken: 'xapp-file',
  });
  expect(service).toMatchObject({ apiKey: 'key-file', scimToken: 'scim-file' });
  expect(store).toMatchObject({ url: 'rediss://:pass@redis.example' });
  expect(keys).toMatchObject([{ id: 'k1' }]);
  expect(sources.map(({ secrets }) => secrets)).toEqual([
    ['the-secret-in-its-file'],
    ['the-secret-of-the-source'],
  ]);
});

it.each([...SECRETS, 'INTAKE'])('%s and its file cannot both be set', (name) => {
  const [first = '', ...more] = problemsOf(readIn({ [name]: VALUES[name] }));
  expect(more).toEqual([]);
  expect(first).toContain(`${name}_FILE and ${name} are both set: remove one of them`);
});

it.each([...SECRETS, 'INTAKE'])('a file of %s that cannot be read is one problem', (name) => {
  const [first = '', ...more] = problemsOf(readIn({ [`${name}_FILE`]: '/nowhere' }));
  expect(more).toEqual([]);
  expect(first).toContain(`${name}_FILE must be the path of a file that can be read`);
  expect(first).not.toContain('nowhere');
});

it('an empty file is not a secret', () => {
  const shown = problemsOf(readIn({}, () => '\n')).join('\n');
  for (const name of SECRETS) expect(shown).toContain(`${name}_FILE names a file that is empty`);
});

it('the environment takes precedence over the file with settings, in either form', () => {
  const text = 'SLACK_BOT_TOKEN=xoxb-1\nSCIM_TOKEN_FILE=/a\nHOST=::1';
  expect(behind({ SLACK_BOT_TOKEN_FILE: '/b', SCIM_TOKEN: 'c' }, text)).toEqual({
    SLACK_BOT_TOKEN_FILE: '/b',
    SCIM_TOKEN: 'c',
    HOST: '::1',
  });
});

it('docs/configuration.md names the file of every secret', async () => {
  const page = await readFile(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
  for (const name of SECRETS) expect(page).toContain(`\`${name}_FILE\``);
});
