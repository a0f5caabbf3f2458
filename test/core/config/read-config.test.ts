import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/app/configuration.ts';
import { formatProblems } from '../../../src/core/config/read-config.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const OTHER_KEY = Buffer.alloc(32, 8).toString('base64');
const good = {
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_SIGNING_SECRET: 'signing',
  SERVICE_URL: 'https://service.example/base/',
  GATEPOST_KEYS: `k1:${KEY}`,
  GATEPOST_INTAKE_SECRET: 'a-long-enough-secret',
  GATEPOST_CHANNEL: 'C0PROD',
  GATEPOST_REVIEWERS: 'U0ANA',
};

type Env = Record<string, string | undefined>;

function read(env: Env, command: 'start' | 'doctor' = 'start') {
  return readConfig({ ...good, ...env }, { command });
}

function configOf(env: Env) {
  const answer = read(env);
  if (!answer.ok) throw new Error(formatProblems(answer.problems));
  return answer.config;
}

function problemsOf(env: Env): string[] {
  const answer = read(env);
  return answer.ok ? [] : answer.problems.map(({ name, message }) => `${name} ${message}`);
}

it.each(['"value"', "'value'", '`value`', '“value”', '„value“', ' "value" '])(
  'a value that is still in quotes is a problem: %s',
  (value) => {
    for (const name of ['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET', 'SCIM_TOKEN', 'DATA_DIR']) {
      expect(problemsOf({ [name]: value })).toEqual([
        `${name} must not be in quotes: remove the quotes around the value`,
      ]);
    }
  },
);

it.each(['"', 'va"lue"', '"value', "it's"])('a secret can contain quotes: %s', (value) => {
  expect(problemsOf({ SCIM_TOKEN: value })).toEqual([]);
});

it('missing settings get their defaults', () => {
  expect(read({})).toEqual({
    ok: true,
    warnings: [],
    config: {
      slack: {
        botToken: 'xoxb-1',
        mode: 'http',
        signingSecret: 'signing',
        appToken: '',
        apiUrl: null,
      },
      service: { baseUrl: 'https://service.example/base', apiKey: null, scimToken: null },
      store: { kind: 'embedded', folder: './data' },
      keys: [{ id: 'k1', key: Buffer.alloc(32, 7) }],
      sources: [
        {
          id: 'default',
          auth: { kind: 'bearer' },
          secrets: ['a-long-enough-secret'],
          routes: ['default'],
          channels: [],
          kinds: ['approval', 'gate'],
        },
      ],
      routes: [
        {
          name: 'default',
          channel: 'C0PROD',
          outcomes: { thread: true, channel: null, requester: true },
          reviewers: { users: ['U0ANA'], groups: [], channel: false },
          quorum: 1,
          need: [],
          escalate: [],
          quiet: { users: [], groups: [] },
          substitutes: false,
          hold: 0,
          selfApproval: false,
          guests: false,
          reason: { approve: 'none', reject: 'optional' },
          confirm: false,
          several: false,
          closed: [],
          closers: { users: [], groups: [] },
          closedAllows: 'none',
          identity: 'omit',
          remind: { afterMs: null, times: 3 },
          requester: 'any',
        },
      ],
      identityOverrides: {},
      identityUserId: 'id',
      identityEmails: 'confirmed',
      identityLogins: {},
      identityRobots: [],
      teams: [],
      administrators: { users: [], groups: [] },
      dialect: { approval: { auth: 'none' } },
      move: {
        source: 'none',
        who: { users: [], groups: [], channel: false },
        projects: [],
        rules: [],
        identity: 'omit',
        announce: true,
      },
      catalogue: { projects: [], testProjects: [] },
      cases: {
        who: { users: [], groups: [], channel: false },
        identity: 'omit',
        announce: true,
      },
      accounts: { tellOfLeavers: false },
      links: { task: null, testCase: null },
      proxies: { http: null, https: null, noProxy: '' },
      http: { host: '0.0.0.0', port: 3000 },
      logLevel: 'info',
      logFormat: 'json',
      auditLog: null,
      budgetPerMinute: 240,
      watchMaxAgeMs: 604_800_000,
      retention: { doneMs: 2_592_000_000, decidedMs: 604_800_000, auditMs: 34_560_000_000 },
    },
  });
});

it('every setting is read', () => {
  const config = configOf({
    SLACK_API_URL: 'http://127.0.0.1:4000/api',
    SLACK_MODE: 'http',
    SERVICE_URL: ' http://localhost:4000/ ',
    SERVICE_API_KEY: 'key',
    SCIM_TOKEN: 'scim',
    REDIS_URL: 'rediss://:pass@redis.example:6380/2',
    REDIS_CONFIRM: 'replicas=2',
    REDIS_STRICT: '1',
    DATA_DIR: '/var/lib/x',
    GATEPOST_KEYS: `new:${OTHER_KEY}, old:${KEY},`,
    GATEPOST_INTAKE_SECRET: 'the-new-intake-secret , the-old-intake-secret',
    GATEPOST_SOURCE_NAME: 'Nightly builds',
    GATEPOST_OUTCOME_CHANNEL: 'G0OUT',
    GATEPOST_REVIEWERS: 'U0ANA, W0BEN,S0LEADS,U0ANA,channel',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'debug',
  });
  expect(config).toMatchObject({
    slack: { apiUrl: 'http://127.0.0.1:4000/api/' },
    service: { baseUrl: 'http://localhost:4000', apiKey: 'key', scimToken: 'scim' },
    store: {
      kind: 'redis',
      url: 'rediss://:pass@redis.example:6380/2',
      confirm: { replicas: 2 },
      strict: true,
    },
    keys: [{ id: 'new' }, { id: 'old' }],
    sources: [
      { name: 'Nightly builds', secrets: ['the-new-intake-secret', 'the-old-intake-secret'] },
    ],
    routes: [
      {
        outcomes: { channel: 'G0OUT' },
        reviewers: { users: ['U0ANA', 'W0BEN'], groups: ['S0LEADS'], channel: true },
        identity: 'require',
      },
    ],
    http: { host: '127.0.0.1', port: 0 },
    logLevel: 'debug',
  });
});

it('Socket Mode takes an app-level token instead of a signing secret', () => {
  const env = { SLACK_MODE: 'socket', SLACK_APP_TOKEN: 'xapp-1', SLACK_SIGNING_SECRET: undefined };
  expect(configOf(env).slack).toMatchObject({ mode: 'socket', appToken: 'xapp-1' });
});

it.each<[Env, string]>([
  [{ SLACK_APP_TOKEN: 'xapp-1', SLACK_SIGNING_SECRET: undefined }, 'socket'],
  [{ SLACK_APP_TOKEN: 'xapp-1' }, 'http'],
  [{ SLACK_APP_TOKEN: 'xapp-1', SLACK_MODE: 'socket' }, 'socket'],
  [{}, 'http'],
])('with %o the mode is %s', (env, mode) => {
  expect(configOf(env).slack.mode).toBe(mode);
});

describe('a wrong value', () => {
  it.each<[Env, string]>([
    [{ SLACK_BOT_TOKEN: undefined }, 'SLACK_BOT_TOKEN is required'],
    [{ SLACK_BOT_TOKEN: '  ' }, 'SLACK_BOT_TOKEN is required'],
    [
      { SLACK_BOT_TOKEN: 'xoxb 1' },
      'SLACK_BOT_TOKEN must contain only ASCII characters and no white space',
    ],
    [
      { SLACK_SIGNING_SECRET: '' },
      'SLACK_SIGNING_SECRET is required, or SLACK_APP_TOKEN for Socket Mode',
    ],
    [{ SLACK_API_URL: 'http://slack.example/api/' }, 'SLACK_API_URL must begin with https://'],
    [{ SLACK_API_URL: 'slack' }, 'SLACK_API_URL must be an address'],
    [{ SLACK_MODE: 'socket' }, 'SLACK_APP_TOKEN is required'],
    [{ SLACK_APP_TOKEN: 'xoxb-2' }, 'SLACK_APP_TOKEN must be an app-level token'],
    [
      { SLACK_APP_TOKEN: 'xapp-1 2' },
      'SLACK_APP_TOKEN must contain only ASCII characters and no white space',
    ],
    [{ SLACK_MODE: 'both' }, 'SLACK_MODE must be http or socket'],
    [{ SERVICE_URL: 'http://service.example' }, 'SERVICE_URL must begin with https://'],
    [{ SERVICE_URL: 'http://127.0.0.1.evil.example' }, 'SERVICE_URL must begin with https://'],
    [{ SERVICE_URL: 'ftp://127.0.0.1' }, 'SERVICE_URL must begin with https://'],
    [{ SERVICE_URL: 'https://u:p@service.example' }, 'SERVICE_URL must not hold credentials'],
    [{ SERVICE_URL: 'https://service.example/?key=1' }, 'SERVICE_URL must not hold a query'],
    [{ SERVICE_URL: 'https://service.example/#x' }, 'SERVICE_URL must not hold a query'],
    [
      { SERVICE_API_KEY: 'a\nb' },
      'SERVICE_API_KEY must contain only ASCII characters and no white space',
    ],
    [{ SCIM_TOKEN: 'é' }, 'SCIM_TOKEN must contain only ASCII characters and no white space'],
    [{ REDIS_URL: 'http://redis.example' }, 'REDIS_URL must be an address that begins with redis'],
    [{ REDIS_URL: 'redis.example:6379' }, 'REDIS_URL must be an address that begins with redis'],
    [{ REDIS_URL: 'redis://' }, 'REDIS_URL must be an address that begins with redis'],
    [{ REDIS_URL: 'redis+sentinel://a:1' }, "REDIS_URL must end with the primary's name"],
    [{ REDIS_CONFIRM: 'replicas=0' }, 'REDIS_CONFIRM must be aof, off or replicas=1'],
    [{ REDIS_CONFIRM: 'always' }, 'REDIS_CONFIRM must be aof, off or replicas=1'],
    [{ REDIS_STRICT: 'yes' }, 'REDIS_STRICT must be 1 or 0'],
    [{ GATEPOST_KEYS: undefined }, 'GATEPOST_KEYS is required'],
    [{ GATEPOST_KEYS: ',' }, 'GATEPOST_KEYS must contain at least one key'],
    [{ GATEPOST_KEYS: KEY }, 'GATEPOST_KEYS key 1 must be id:base64'],
    [{ GATEPOST_KEYS: `k1:${KEY},a b:${KEY}` }, 'GATEPOST_KEYS key 2 must be id:base64'],
    [{ GATEPOST_KEYS: `${'k'.repeat(33)}:${KEY}` }, 'GATEPOST_KEYS key 1 must be id:base64'],
    [{ GATEPOST_KEYS: `k1:${KEY},k2:c2hvcnQ=` }, 'GATEPOST_KEYS key 2 must be 32 bytes'],
    [{ GATEPOST_KEYS: `k1:${KEY.slice(0, -1)}` }, 'GATEPOST_KEYS key 1 must be 32 bytes'],
    [{ GATEPOST_KEYS: `k1:!!${KEY}` }, 'GATEPOST_KEYS key 1 must be 32 bytes'],
    [
      { GATEPOST_KEYS: `k1:${KEY},k1:${OTHER_KEY}` },
      'GATEPOST_KEYS must not use the same key id twice',
    ],
    [{ GATEPOST_INTAKE_SECRET: undefined }, 'GATEPOST_INTAKE_SECRET is required'],
    [{ GATEPOST_INTAKE_SECRET: ' , ' }, 'GATEPOST_INTAKE_SECRET must be one secret, or two'],
    [{ GATEPOST_INTAKE_SECRET: 'a,b,c' }, 'GATEPOST_INTAKE_SECRET must be one secret, or two'],
    [
      { GATEPOST_INTAKE_SECRET: 'two words' },
      'GATEPOST_INTAKE_SECRET must contain only ASCII characters and no white space',
    ],
    [{ GATEPOST_CHANNEL: undefined }, 'GATEPOST_CHANNEL is required'],
    [
      { GATEPOST_CHANNEL: '#general' },
      'GATEPOST_CHANNEL must be a channel id (C… or G…), not a name',
    ],
    [{ GATEPOST_CHANNEL: 'U0ANA' }, 'GATEPOST_CHANNEL must be a channel id'],
    [{ GATEPOST_OUTCOME_CHANNEL: 'D0ANA' }, 'GATEPOST_OUTCOME_CHANNEL must be a channel id'],
    [{ GATEPOST_REVIEWERS: 'U0ANA,@ben' }, 'GATEPOST_REVIEWERS entry 2 must be an id'],
    [{ GATEPOST_REVIEWERS: 'everyone' }, 'GATEPOST_REVIEWERS entry 1 must be an id'],
    [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535'],
    [{ PORT: '-1' }, 'PORT must be a whole number'],
    [{ PORT: '3e3' }, 'PORT must be a whole number'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of trace, debug'],
  ])('%o is a problem', (env, expected) => {
    const problems = problemsOf(env);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(expected);
  });

  it('comes with all others', () => {
    const answer = readConfig({ PORT: 'x', SLACK_MODE: 'both' }, { command: 'start' });
    const names = answer.ok ? [] : answer.problems.map(({ name }) => name);
    expect(names.sort()).toEqual([
      'GATEPOST_CHANNEL',
      'GATEPOST_INTAKE_SECRET',
      'GATEPOST_KEYS',
      'PORT',
      'SLACK_BOT_TOKEN',
      'SLACK_MODE',
    ]);
  });
});

it('commands other than start need no keys and no intake secrets', () => {
  const env = { GATEPOST_KEYS: undefined, GATEPOST_INTAKE_SECRET: undefined };
  expect(read(env, 'doctor')).toMatchObject({ ok: true, config: { keys: [], sources: [] } });
});

it.each<[Env, string]>([
  [{ GATEPOST_REVIEWERS: '' }, 'GATEPOST_REVIEWERS is empty: nobody can decide'],
  [{ GATEPOST_INTAKE_SECRET: 'short' }, 'GATEPOST_INTAKE_SECRET is shorter than 16 characters'],
  [{ GATEPOST_INTAKE_SECRET: 'a-long-enough-secret,short' }, 'GATEPOST_INTAKE_SECRET is shorter'],
  [{ GATEPOST_INTAKE_SECRET: 'whsec_c2VjcmV0' }, 'GATEPOST_INTAKE_SECRET begins with whsec_'],
  [
    { SLACK_APP_TOKEN: 'xapp-1' },
    'SLACK_APP_TOKEN has no effect: with SLACK_SIGNING_SECRET too, the mode is http',
  ],
  [{ GATEPOST_KEY_FILE: '/k' }, 'GATEPOST_KEY_FILE is not known: did you mean GATEPOST_KEYS_FILE?'],
  [{ GATEPOST_ADMINISTRATOR: 'U0ANA' }, 'did you mean GATEPOST_ADMINISTRATORS?'],
  [{ GATEPOST_CHANEL: 'C0PROD' }, 'GATEPOST_CHANEL is not known: did you mean GATEPOST_CHANNEL?'],
])('warns of %o', (env, expected) => {
  const answer = read(env);
  expect(answer.ok && answer.warnings).toEqual([expect.stringContaining(expected)]);
});

it('warns of no variable that Kubernetes sets for a service called gatepost', () => {
  const PORT = 'tcp://10.0.0.1:3000';
  const env = { GATEPOST_PORT: PORT, GATEPOST_SERVICE_HOST: '10.0.0.1', GATEPOST_URL: 'https://x' };
  expect(read({ ...env, GATEPOST_PORT_3000_TCP: PORT })).toMatchObject({ ok: true, warnings: [] });
});

it('Redis settings without REDIS_URL cause a warning, and REDIS_STRICT=1 a problem', () => {
  const answer = read({ REDIS_URL: '', REDIS_CONFIRM: 'aof' });
  expect(answer.ok && answer.warnings).toEqual(['REDIS_CONFIRM has no effect without REDIS_URL']);
  expect(read({ REDIS_URL: '', REDIS_STRICT: '1' })).toMatchObject({
    ok: false,
    problems: [{ name: 'REDIS_URL', message: 'is required: REDIS_STRICT is 1' }],
  });
  expect(read({ REDIS_URL: '', REDIS_STRICT: '0' })).toMatchObject({ ok: true });
});

it('SERVICE_URL is optional, and settings that need it cause a warning without it', () => {
  const alone = read({ SERVICE_URL: undefined });
  expect(alone).toMatchObject({ ok: true, warnings: [], config: { service: null } });
  const env = { SERVICE_URL: '', SERVICE_API_KEY: 'key', SCIM_TOKEN: 'scim' };
  expect(read(env)).toMatchObject({
    ok: true,
    warnings: [
      'SERVICE_API_KEY has no effect without SERVICE_URL',
      'SCIM_TOKEN has no effect without SERVICE_URL',
    ],
    config: { service: null, routes: [{ identity: 'omit' }] },
  });
});

it('prints the problems as a list', () => {
  expect(
    formatProblems([
      { name: 'PORT', message: 'must be a whole number' },
      { name: 'SERVICE_URL', message: 'is required' },
    ]),
  ).toMatchInlineSnapshot(`
    "2 settings need fixing:
      PORT         must be a whole number
      SERVICE_URL  is required
    "
  `);
});
