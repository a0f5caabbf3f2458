import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/app/configuration.ts';
import { BASE, configWith, type Env, problemsWith, readWith } from './environment-of-tests.ts';

const SMALL = `
sources:
  - { id: deploys, secret: INTAKE_DEPLOYS, routes: [production] }
routes:
  production: { channel: C0PROD, reviewers: { users: [U0ANA] } }
`;
const DEFAULTS: Env = {
  GATEPOST_INTAKE_SECRET: 'the-secret-of-the-environment',
  GATEPOST_CHANNEL: 'C0DEFAULT',
  GATEPOST_REVIEWERS: 'U0BEN',
};

it('members named like functions are reported as wrong values', () => {
  const odd = SMALL.replace('id: deploys', 'id: { toString: 1 }').replace(
    '[production]',
    '[{ toString: 1, valueOf: 1 }]',
  );
  expect(problemsWith(odd)).toEqual([
    expect.stringContaining('sources[0].id'),
    expect.stringContaining('sources[0].routes[0]'),
  ]);
});

it('a source can have a name of plain text on one line', () => {
  const called = (name: string) => SMALL.replace('id: deploys', `id: deploys, name: ${name}`);
  expect(configWith(called('"R&D: nightly_deploys"')).sources[0]?.name).toBe(
    'R&D: nightly_deploys',
  );
  for (const name of ['"*Approved*"', '"`x`"', '":tada: done"']) {
    expect(problemsWith(called(name))).toEqual([
      'gatepost.yaml:3:20 sources[0].name must not contain *, ` or an :emoji:',
    ]);
  }
  for (const name of ['"a\\nb"', '"a\\u200bb"', '"a\\u202eb"', '"a  b"', 'x'.repeat(81)]) {
    expect(problemsWith(called(name))).toEqual([
      'gatepost.yaml:3:20 sources[0].name must be one line of at most 80 characters, all of which can be seen',
    ]);
  }
});

it('missing settings get their defaults', () => {
  expect(configWith(SMALL)).toMatchObject({
    sources: [
      {
        id: 'deploys',
        auth: { kind: 'bearer' },
        secrets: ['the-secret-of-deploys'],
        routes: ['production'],
        channels: [],
      },
    ],
    routes: [
      {
        name: 'production',
        channel: 'C0PROD',
        outcomes: { thread: true, channel: null, requester: true },
        reviewers: { users: ['U0ANA'], groups: [], channel: false },
        quorum: 1,
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
      },
    ],
    identityOverrides: {},
    identityUserId: 'id',
    identityEmails: 'confirmed',
    teams: [],
    administrators: { users: [], groups: [] },
    budgetPerMinute: 240,
    watchMaxAgeMs: 604_800_000,
    retention: { doneMs: 2_592_000_000, decidedMs: 604_800_000, auditMs: 34_560_000_000 },
    dialect: { approval: { auth: 'none' } },
  });
});

it('takes administrators from the environment, unless the file names them', () => {
  const named = { GATEPOST_ADMINISTRATORS: 'U0ANA, S0OPS,U0ANA' };
  const fromEnvironment = { users: ['U0ANA'], groups: ['S0OPS'] };
  expect(configWith(SMALL, named).administrators).toEqual(fromEnvironment);
  const file = `${SMALL}administrators: { users: [U0BEN] }`;
  expect(configWith(file, named).administrators).toEqual({ users: ['U0BEN'], groups: [] });
  expect(problemsWith(SMALL, { GATEPOST_ADMINISTRATORS: 'U0ANA, channel' }).join()).toContain(
    'GATEPOST_ADMINISTRATORS entry 2 must be an id (U…, W… or S…)',
  );
});

it('every setting of the file is read', () => {
  const config = configWith(
    `
sources:
  - id: hooks
    auth: standard-webhooks
    secret: INTAKE_HOOKS
    routes: [production, staging]
    channels: [C0ONE, G0TWO]
    kinds: [approval]
  - { id: builds, auth: header, header: X-Build, secret: INTAKE_TESTS, routes: [staging] }
  - { id: plain, auth: header, secret: INTAKE_DEPLOYS, routes: [staging] }
routes:
  production:
    channel: C0PROD
    outcomes: { thread: false, channel: C0OUT, requester: false }
    reviewers: { users: [U0ANA, W0BEN, U0ANA], groups: [S0OPS], channel: true }
    quorum: 3
    need: [{ name: SRE on-call, of: { users: [U0ANA], groups: [S0SRE] }, count: 2 }, { name: QA, of: { groups: [S0QA] } }]
    selfApproval: true
    guests: true
    reason: { approve: optional, reject: required }
    identity: omit
    remind: { after: 30m, times: 2 }
  staging: { channel: C0STAGE, reviewers: { channel: true } }
identity: { userId: externalId, emails: any, overrides: { U0ANA: 6f1c, W0BEN: "42" } }
teams: [T0ALLY]
administrators: { users: [U0ROOT], groups: [S0ADMIN] }
budget: { perMinute: 60 }
watch: { maxAge: 90s }
retention: { done: 12h, audit: 2d }
dialect: { approval: { status: state, prompt: /data/ask, resolvedAt: at, auth: bearer } }
`,
    {
      INTAKE_HOOKS: ` whsec_${'A'.repeat(32)}, whsec_${'B'.repeat(32)} `,
      SERVICE_API_KEY: 'key',
      SCIM_TOKEN: 'scim',
    },
  );
  expect(config).toMatchObject({
    sources: [
      {
        id: 'hooks',
        auth: { kind: 'standard-webhooks' },
        secrets: [`whsec_${'A'.repeat(32)}`, `whsec_${'B'.repeat(32)}`],
        routes: ['production', 'staging'],
        channels: ['C0ONE', 'G0TWO'],
      },
      { id: 'builds', auth: { kind: 'header', name: 'X-Build' } },
      { id: 'plain', auth: { kind: 'header', name: 'X-Webhook-Secret' } },
    ],
    routes: [
      {
        name: 'production',
        outcomes: { thread: false, channel: 'C0OUT', requester: false },
        reviewers: { users: ['U0ANA', 'W0BEN'], groups: ['S0OPS'], channel: true },
        quorum: 3,
        need: [
          { name: 'SRE on-call', of: { users: ['U0ANA'], groups: ['S0SRE'] }, count: 2 },
          { name: 'QA', of: { users: [], groups: ['S0QA'] }, count: 1 },
        ],
        selfApproval: true,
        guests: true,
        reason: { approve: 'optional', reject: 'required' },
        confirm: false,
        identity: 'omit',
        remind: { afterMs: 1_800_000, times: 2 },
      },
      { name: 'staging', identity: 'require' },
    ],
    identityOverrides: { U0ANA: '6f1c', W0BEN: '42' },
    identityUserId: 'externalId',
    identityEmails: 'any',
    teams: ['T0ALLY'],
    administrators: { users: ['U0ROOT'], groups: ['S0ADMIN'] },
    budgetPerMinute: 60,
    watchMaxAgeMs: 90_000,
    retention: { doneMs: 43_200_000, decidedMs: 43_200_000, auditMs: 172_800_000 },
    dialect: {
      approval: { status: 'state', prompt: '/data/ask', resolvedAt: 'at', auth: 'bearer' },
    },
  });
});

describe('the environment together with a file', () => {
  it('adds its source and its route to those of the file', () => {
    const { sources, routes } = configWith(SMALL, DEFAULTS);
    expect(sources.map(({ id }) => id)).toEqual(['default', 'deploys']);
    expect(routes.map(({ name }) => name)).toEqual(['default', 'production']);
  });

  it('is overridden by entries of the same name in the file', () => {
    const yaml = `
sources:
  - { id: default, auth: header, secret: GATEPOST_INTAKE_SECRET, routes: [default] }
routes:
  default: { channel: C0FILE, reviewers: { channel: true } }
`;
    expect(configWith(yaml, { ...DEFAULTS, GATEPOST_REVIEWERS: undefined })).toMatchObject({
      sources: [{ id: 'default', auth: { kind: 'header' } }],
      routes: [{ name: 'default', channel: 'C0FILE' }],
    });
  });

  it('provides a route for sources in the file, and its source can use a route of the file', () => {
    const source = 'sources: [{ id: deploys, secret: INTAKE_DEPLOYS, routes: [default] }]';
    expect(configWith(source, { GATEPOST_CHANNEL: 'C0DEFAULT' })).toMatchObject({
      sources: [{ routes: ['default'] }],
      routes: [{ channel: 'C0DEFAULT' }],
    });
    const route = 'routes: { default: { channel: C0FILE } }';
    const env = { GATEPOST_INTAKE_SECRET: DEFAULTS.GATEPOST_INTAKE_SECRET };
    expect(configWith(route, env)).toMatchObject({
      sources: [{ routes: ['default'] }],
      routes: [{ channel: 'C0FILE' }],
    });
  });

  it('provides everything when the file has neither sources nor routes', () => {
    const config = configWith('budget: { perMinute: 10 }', DEFAULTS);
    expect(config).toMatchObject({
      sources: [{ id: 'default' }],
      routes: [{ name: 'default' }],
      budgetPerMinute: 10,
    });
    expect(configWith('# nothing but a comment\n', DEFAULTS).budgetPerMinute).toBe(240);
  });

  it.each<[string, Env, string[]]>([
    [
      'teams: []',
      {},
      [
        'GATEPOST_INTAKE_SECRET is required: gatepost.yaml has no source',
        'GATEPOST_CHANNEL is required: gatepost.yaml has no route',
      ],
    ],
    [
      'routes: { production: { channel: C0PROD } }',
      { GATEPOST_INTAKE_SECRET: DEFAULTS.GATEPOST_INTAKE_SECRET },
      ['GATEPOST_CHANNEL is required: the source of GATEPOST_INTAKE_SECRET uses the route default'],
    ],
    [
      'routes: { production: { channel: C0PROD } }',
      {},
      ['GATEPOST_INTAKE_SECRET is required: gatepost.yaml has no source'],
    ],
  ])('is complete, or the missing variables are reported (%s, %o)', (yaml, env, expected) => {
    expect(problemsWith(yaml, env)).toEqual(expected);
  });

  it('needs no secrets for commands other than start', () => {
    const read = readWith(SMALL, { INTAKE_DEPLOYS: undefined }, 'doctor');
    expect(read).toMatchObject({ ok: true, config: { sources: [] } });
    expect(readWith('routes: { a: { channel: C0A } }', {}, 'doctor')).toMatchObject({ ok: true });
  });
});

describe('a secret', () => {
  it.each<[string, Env, string]>([
    ['bearer', { INTAKE_DEPLOYS: undefined }, 'names INTAKE_DEPLOYS, which is not set'],
    ['bearer', { INTAKE_DEPLOYS: ' ' }, 'names INTAKE_DEPLOYS, which is not set'],
    [
      'bearer',
      { INTAKE_DEPLOYS: 'a,b,c' },
      'names INTAKE_DEPLOYS, whose value must be one secret, or two',
    ],
    [
      'bearer',
      { INTAKE_DEPLOYS: '"a-long-enough-secret"' },
      'names INTAKE_DEPLOYS, whose value must not be in quotes: remove the quotes',
    ],
    [
      'header',
      { INTAKE_DEPLOYS: 'two words' },
      'names INTAKE_DEPLOYS, whose value must contain only ASCII characters and no white space',
    ],
    [
      'standard-webhooks',
      {},
      'names INTAKE_DEPLOYS, whose value must be whsec_ followed by base64',
    ],
    [
      'path',
      {},
      'names INTAKE_DEPLOYS, whose value must have at least 32 letters, digits, "_" or "-"',
    ],
    [
      'path',
      { INTAKE_DEPLOYS: 'a/secret/with/slashes/that-is-long-enough' },
      'names INTAKE_DEPLOYS, whose value must have at least 32 letters, digits, "_" or "-"',
    ],
    [
      'bearer',
      { ...DEFAULTS, INTAKE_DEPLOYS: DEFAULTS.GATEPOST_INTAKE_SECRET },
      'names INTAKE_DEPLOYS, which also holds a secret of the source default',
    ],
  ])('of %s with %o is a problem', (auth, env, expected) => {
    const yaml = `sources:
  - id: deploys
    auth: ${auth}
    secret: INTAKE_DEPLOYS
    routes: [production]
routes: { production: { channel: C0PROD } }
`;
    expect(problemsWith(yaml, env)).toEqual([
      expect.stringContaining(`gatepost.yaml:4:5 sources[0].secret ${expected}`),
    ]);
  });

  it('in the path can ask gates alone', () => {
    const secret = 'a-secret-of-32-characters-or-more';
    const yaml = SMALL.replace('id: deploys', 'id: deploys, auth: path');
    const read = readWith(yaml, { INTAKE_DEPLOYS: secret, SERVICE_URL: 'https://service.example' });
    expect(read.ok && read.config.sources.find(({ id }) => id === 'deploys')).toMatchObject({
      auth: { kind: 'path' },
      secrets: [secret],
      kinds: ['gate'],
    });
    const other = SMALL.replace('id: deploys', 'id: deploys, auth: path, kinds: [gate, approval]');
    expect(problemsWith(other, { INTAKE_DEPLOYS: secret })).toEqual([
      expect.stringContaining('sources[0].kinds must be [gate] with auth: path'),
    ]);
  });

  it('that belongs to two sources is a problem', () => {
    const yaml = `sources:
  - { id: deploys, secret: INTAKE_DEPLOYS, routes: [production] }
  - { id: tests, auth: header, secret: INTAKE_TESTS, routes: [production] }
routes: { production: { channel: C0PROD } }
`;
    const env = { INTAKE_DEPLOYS: 'a-secret-that-is-new,a-secret-that-is-old' };
    expect(problemsWith(yaml, { ...env, INTAKE_TESTS: 'a-secret-that-is-old' })).toEqual([
      'gatepost.yaml:3:32 sources[1].secret names INTAKE_TESTS, which also holds a secret of sources[0]',
    ]);
    expect(problemsWith(yaml, env)).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['bearer', 'short', 'INTAKE_DEPLOYS is shorter than 16 characters: too easy to guess'],
    ['standard-webhooks', 'whsec_YWJj', 'INTAKE_DEPLOYS has fewer than 24 bytes: too easy'],
  ])('of %s that is too short causes a warning', (auth, value, warning) => {
    const yaml = SMALL.replace('id: deploys', `id: deploys, auth: ${auth}`);
    const read = readWith(yaml, { INTAKE_DEPLOYS: value });
    expect(read.ok && read.warnings).toEqual([expect.stringContaining(warning)]);
  });

  it('of callbacks that is too short causes a warning', () => {
    const callback = 'callback: { url: "https://ci.example.com", secret: CALLBACK_KEY }';
    const yaml = SMALL.replace('id: deploys', `id: deploys, ${callback}`);
    const warnings = (CALLBACK_KEY: string) => {
      const read = readWith(yaml, { CALLBACK_KEY });
      return read.ok && read.warnings;
    };
    const long = `whsec_${'A'.repeat(32)}`;
    const words = 'CALLBACK_KEY has fewer than 24 bytes: too easy to guess';
    expect(warnings('whsec_AA==')).toEqual([words]);
    expect(warnings(`${long},whsec_AA==`)).toEqual([words]);
    expect(warnings(long)).toEqual([]);
  });
});

it('warns when unconfirmed addresses count', () => {
  const warned = (emails: string) => {
    const read = readWith(`${SMALL}identity: { emails: ${emails} }`);
    return read.ok && read.warnings;
  };
  expect(warned('confirmed')).toEqual([]);
  expect(warned('any')).toEqual([
    'identity.emails is any: addresses that Slack has not confirmed count for full members, which is safe only if single sign-on owns the addresses in this workspace',
  ]);
});

it('warns of a route on which nobody can decide', () => {
  const read = readWith(SMALL.replace('users: [U0ANA]', 'users: []'));
  expect(read.ok && read.warnings).toEqual([
    'routes.production.reviewers is empty: nobody can decide',
  ]);
  const others = [
    'quiet: { users: [U0QIN] }',
    'escalate: [{ after: 30m, to: { users: [U0LEA] } }]',
  ];
  for (const keys of others) {
    const some = readWith(SMALL.replace('users: [U0ANA] }', `users: [] }, ${keys}`));
    expect({ keys, warnings: some.ok ? some.warnings : some }).toEqual({ keys, warnings: [] });
  }
});

it('warns of variables for a route that is not used', () => {
  const read = readWith(SMALL, { GATEPOST_REVIEWERS: 'U0ANA', GATEPOST_OUTCOME_CHANNEL: 'C0OUT' });
  const named = readWith(SMALL, { GATEPOST_SOURCE_NAME: 'CI' });
  expect(named.ok && named.warnings).toEqual([
    'GATEPOST_SOURCE_NAME has no effect: only the source of GATEPOST_INTAKE_SECRET has this name',
  ]);
  const why = 'has no effect: the route of GATEPOST_CHANNEL is not used';
  expect(read.ok && read.warnings).toEqual([
    `GATEPOST_REVIEWERS ${why}`,
    `GATEPOST_OUTCOME_CHANNEL ${why}`,
  ]);
});

it('warns of a route that no source uses', () => {
  const unused = 'routes: { production: { channel: C0PROD, reviewers: { users: [U0ANA] } } }';
  const own = { GATEPOST_INTAKE_SECRET: 's'.repeat(40), GATEPOST_CHANNEL: 'C0DEPLOYS' };
  const read = readWith(unused, { ...own, GATEPOST_REVIEWERS: 'U0ANA' });
  expect(read.ok && read.warnings).toEqual([
    'routes.production is used by no source: name it in the routes of one',
  ]);
  const named = readWith(unused.replace('production', 'default'), {
    GATEPOST_INTAKE_SECRET: 's'.repeat(40),
  });
  expect(named.ok && named.warnings).toEqual([]);
});

it('does not warn of a variable that the file uses', () => {
  const named = (secret: string) => {
    const source = `{ id: default, secret: ${secret}, routes: [production] }`;
    return readWith(SMALL.replace(/- \{ id: deploys.*/, `- ${source}`), {
      GATEPOST_INTAKE_SECRET: 's'.repeat(40),
      OWN_SECRET: 't'.repeat(40),
    });
  };
  const [used, unused] = [named('GATEPOST_INTAKE_SECRET'), named('OWN_SECRET')];
  expect(used.ok && used.warnings).toEqual([]);
  expect(unused.ok && unused.warnings).toEqual([
    'GATEPOST_INTAKE_SECRET has no effect: gatepost.yaml says otherwise',
  ]);
});

describe('the file that GATEPOST_CONFIG names', () => {
  it('is read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatepost-config-'));
    try {
      writeFileSync(join(folder, 'own.yaml'), SMALL);
      const env = { ...BASE, GATEPOST_CONFIG: join(folder, 'own.yaml') };
      expect(readConfig(env, { command: 'start' })).toMatchObject({
        ok: true,
        config: { routes: [{ name: 'production' }] },
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['/nowhere/gatepost.yaml', 'it does not exist'],
    [tmpdir(), 'it is a folder, not a file'],
    ['a\0b', 'it cannot be read (ERR_INVALID_ARG_VALUE)'],
  ])('must exist and be readable (%j)', (path, why) => {
    const read = readConfig({ ...BASE, GATEPOST_CONFIG: path }, { command: 'start' });
    const message = `must be the path of a file that can be read: ${why}`;
    expect(read.ok ? [] : read.problems).toEqual([{ name: 'GATEPOST_CONFIG', message }]);
  });
});
