import { describe, expect, it } from 'vitest';
import { formatProblems } from '../../../src/core/config/read-config.ts';
import { configWith, problemsWith, readWith } from './environment-of-tests.ts';

const SOURCE = 'sources: [{ id: deploys, secret: INTAKE_DEPLOYS, routes: [production] }]\n';
const ROUTE = 'routes: { production: { channel: C0PROD } }\n';

/** The problems of a route with these additional keys. */
const ofRoute = (keys: string) =>
  problemsWith(`${SOURCE}routes: { production: { channel: C0PROD, ${keys} } }`);
/** The problems of a source with these keys. */
const ofSource = (keys: string) => problemsWith(`${ROUTE}sources: [{ ${keys} }]`);
/** The problems of keys at the top. */
const ofTop = (keys: string) => problemsWith(`${SOURCE}${ROUTE}${keys}`);
const GOOD = 'id: deploys, secret: INTAKE_DEPLOYS, routes: [production]';

it('an id or a name with white space at its ends is a problem, and is not shown', () => {
  const own = (id: string, secret: string) =>
    `{ id: ${id}, secret: ${secret}, routes: [production] }`;
  const others = [
    `sources: [${own('a', 'INTAKE_DEPLOYS')}, ${own('"a "', 'INTAKE_TESTS')}]\n${ROUTE}`,
    `sources: [${own('" default"', 'INTAKE_DEPLOYS')}]\n${ROUTE}`,
    `${SOURCE}${ROUTE.replace('production:', '"production ":').replace('{ ', '{ production: { channel: C0PROD }, ')}`,
    `${SOURCE}${ROUTE}catalogue: { projects: [{ id: p, name: A }, { id: "p\\t", name: B }] }`,
    `${SOURCE}${ROUTE}catalogue: { testProjects: [{ id: p, name: "A ", space: eng }] }`,
    `${SOURCE}${ROUTE}identity: { overrides: { "U0ANA ": "42" } }`,
  ];
  const ends = 'must not begin or end with white space';
  expect(others.map((yaml) => problemsWith(yaml))).toEqual([
    [expect.stringMatching(new RegExp(`sources\\[1\\].id ${ends}$`))],
    [expect.stringMatching(new RegExp(`sources\\[0\\].id ${ends}$`))],
    [expect.stringMatching(new RegExp(`routes.* ${ends}$`))],
    [expect.stringMatching(new RegExp(`catalogue.projects\\[1\\].id ${ends}$`))],
    [expect.stringMatching(new RegExp(`catalogue.testProjects\\[0\\].name ${ends}$`))],
    [expect.stringMatching(new RegExp(`identity.overrides.* ${ends}$`))],
  ]);
});

const SRE = '{ name: SRE, of: { groups: [S0SRE] } }';
const SRES = Array.from({ length: 11 }, (_, at) => SRE.replace('SRE', `SRE ${at}`));
const needOf = (more: string) => `need: [{ name: SRE, of: { groups: [S0SRE] }, ${more} }]`;

const TO_LEADS = 'to: { groups: [S0LEADS] }';
const step = (after: string, more = '') => `{ after: ${after}, to: { groups: [S0LEADS]${more} } }`;

describe('a route', () => {
  it.each([
    ['quorm: 2', 'production.quorm is not known: did you mean quorum?'],
    ['zzz: 2', 'production.zzz is not known: choose from channel, outcomes, reviewers'],
    [
      'administrators: { users: [U0ANA] }',
      'production.administrators is not known here: it is a key of the whole file, so do not indent it',
    ],
    ['"a b": 2', 'production["a b"] is not known'],
    [`'secret": "s3cr3t': 2`, 'production["…"] is not known'],
    ['quorum: 0', 'production.quorum must be a whole number from 1 to 100'],
    ['quorum: "2"', 'production.quorum must be a whole number'],
    ['quorum: 1.5', 'production.quorum must be a whole number'],
    ['guests: yes', 'production.guests must be true or false'],
    ['selfApproval: 1', 'production.selfApproval must be true, false or loud'],
    ['requester: proved', 'production.requester must be any, known or verified'],
    ['selfApproval: quiet', 'production.selfApproval must be true, false or loud'],
    ['outcomes: thread', 'production.outcomes must be a mapping of keys to values'],
    ['outcomes: { channel: "#out" }', 'production.outcomes.channel must be a channel id (C… or G'],
    ['reviewers: { users: U0ANA }', 'production.reviewers.users must be a list'],
    ['reviewers: { users: ["@ana"] }', 'production.reviewers.users[0] must be a user id (U… or W'],
    ['reviewers: { users: [U0ANA, 7] }', 'reviewers.users[1] must be text: put it in quotes'],
    [
      'reviewers: { users: [U0ANA, ] , groups: [U0ANA] }',
      'groups[0] is a person: put it under users',
    ],
    ['reviewers: { users: [[U0ANA]] }', 'reviewers.users[0] must be text'],
    ['reviewers: { chanel: true }', 'reviewers.chanel is not known: did you mean channel?'],
    ['reason: { approve: maybe }', 'reason.approve must be none, optional or required'],
    ['reason: required', 'reason must be a mapping of keys to values'],
    ['identity: maybe', 'production.identity must be require or omit'],
    ['remind: { after: 30 }', 'remind.after must be a duration such as 90s, 30m, 12h or 7d'],
    ['remind: { after: 0m }', 'remind.after must be a duration'],
    ['remind: { after: 99999d }', 'remind.after must be a duration'],
    ['remind: { after: 1w }', 'remind.after must be a duration'],
    [
      'closers: { channel: true }',
      'production.closers.channel is not known: choose from users, groups',
    ],
    ['remind: { times: 2 }', 'production.remind.times needs after'],
    [
      'closedAllows: loud, selfApproval: true',
      'production.closedAllows is loud, which needs selfApproval: loud',
    ],
    ['remind: { after: 1m, times: 0 }', 'remind.times must be a whole number from 1 to 10'],
    [
      'quorum: 2, reviewers: { users: [U0ANA, "@ben"] }',
      'production.reviewers.users[1] must be a user id',
    ],
    [
      'quorum: 2, reviewers: { users: [U0ANA, U0ANA] }',
      'production.quorum is greater than the number of reviewers',
    ],
    ['need: SRE', 'production.need must be a list'],
    ['need: [{ name: SRE }]', 'production.need[0].of is required'],
    ['need: [{ of: { users: [U0ANA] } }]', 'production.need[0].name is required'],
    ['need: [{ name: SRE, of: {} }]', 'need[0].of must name at least one person or group'],
    [
      'need: [{ name: SRE, of: { groups: [S0SRE], channel: true } }]',
      'need[0].of.channel is not known',
    ],
    [
      'need: [{ name: SRE, of: { groups: [U0ANA] } }]',
      'of.groups[0] is a person: put it under users',
    ],
    [needOf('count: 0'), 'need[0].count must be a whole number from 1 to 100'],
    [needOf('count: 1.5'), 'need[0].count must be a whole number'],
    [`need: [${SRE}, ${SRE}]`, 'production.need must not use a name twice'],
    [`need: [${SRES.join()}]`, 'production.need must have at most 5 entries'],
    ['need: [{ name: "*SRE*", of: { groups: [S0SRE] } }]', 'need[0].name must be words'],
    ['need: [{ name: "<@U0ANA>", of: { groups: [S0SRE] } }]', 'need[0].name must be words'],
    ['need: [{ name: "S  R", of: { groups: [S0SRE] } }]', 'need[0].name must be words'],
    [
      'need: [{ name: Approved by Ana, of: { groups: [S0SRE] } }]',
      'need[0].name must not read like an outcome',
    ],
    [
      `need: [{ name: ${'n'.repeat(41)}, of: { groups: [S0SRE] } }]`,
      'need[0].name must have at most 40 characters',
    ],
    ['escalate: { after: 30m }', 'production.escalate must be a list'],
    [`escalate: [{ ${TO_LEADS} }]`, 'escalate[0].after is required'],
    [`escalate: [{ after: 30, ${TO_LEADS} }]`, 'escalate[0].after must be a duration'],
    ['escalate: [{ after: 30m }]', 'escalate[0].to is required'],
    ['escalate: [{ after: 30m, to: {} }]', 'escalate[0].to must name at least one person or group'],
    ['escalate: [{ after: 30m, to: { groups: [leads] } }]', 'to.groups[0] must be a user group id'],
    [
      `escalate: [{ after: 30m, to: { groups: [S0LEADS], channel: true } }]`,
      'escalate[0].to.channel is not known',
    ],
    [`escalate: [${step('1h')}, ${step('30m')}]`, 'escalate must each have a later after than'],
    [`escalate: [${step('1h')}, ${step('60m')}]`, 'escalate must each have a later after than'],
    [
      `escalate: [${[1, 2, 3, 4, 5, 6].map((hours) => step(`${hours}h`)).join()}]`,
      'production.escalate must have at most 5 entries',
    ],
    [
      `escalate: [{ after: 1h, to: { groups: [${SRES.map((_, at) => `S0G${at}`).join()}] } }]`,
      'production.escalate must name at most 10 groups',
    ],
    [
      `${needOf('count: 1')}, escalate: [${step('30m', ', needs: [SER]')}]`,
      'production.escalate names needs that the route does not have',
    ],
    [
      `escalate: [${step('30m', ', needs: SRE')}]`,
      'escalate[0].to.needs must be a list, such as [one, two]',
    ],
    ['quiet: { users: ["@ana"] }', 'production.quiet.users[0] must be a user id'],
    ['quiet: { channel: true }', 'production.quiet.channel is not known'],
    ['quorum: 3, reviewers: { users: [U0ANA] }, quiet: { users: [U0QIN] }', 'quorum is greater'],
    // Two places for one person, and for people who do not review the route.
    [
      'need: [{ name: A, of: { users: [U0ANA] } }, { name: B, of: { users: [U0ANA] } }], reviewers: { channel: true }',
      'production.need cannot be covered by different reviewers',
    ],
    [
      'need: [{ name: A, of: { users: [U0CLEO] } }], reviewers: { users: [U0ANA, U0BEN] }',
      'production.need cannot be covered by different reviewers',
    ],
    [
      `${needOf('count: 3')}, reviewers: { users: [U0ANA, U0BEN] }`,
      'production.need cannot be covered by different reviewers',
    ],
  ])('with %s is a problem', (keys, expected) => {
    expect(ofRoute(keys)).toEqual([
      expect.stringMatching(/^gatepost\.yaml:2:\d+ routes\.production/),
    ]);
    expect(ofRoute(keys)[0]).toContain(expected);
  });

  it.each([
    'quorum: 2, reviewers: { users: [U0ANA], groups: [S0OPS] }',
    'quorum: 2, reviewers: { users: [U0ANA], channel: true }',
    'quorum: 2, reviewers: { users: [U0ANA, U0BEN] }',
    'need: ~',
    needOf('count: 2'),
    `${needOf('count: 2')}, reviewers: { users: [U0ANA, U0BEN] }`,
    `${needOf('count: 2')}, reviewers: { users: [U0ANA], groups: [S0OPS] }`,
    'need: [{ name: A, of: { users: [U0ANA, U0BEN] } }, { name: B, of: { users: [U0ANA] } }], reviewers: { users: [U0ANA, U0BEN] }',
    `escalate: [${step('30m')}, ${step('1h')}]`,
    `${needOf('count: 1')}, escalate: [${step('30m', ', needs: [SRE]')}]`,
    `escalate: [${step('30m', ', needs: ~')}], quiet: ~`,
    // Those who can decide later, or are not mentioned, count as well.
    'quorum: 2, reviewers: { users: [U0ANA] }, quiet: { users: [U0QIN] }',
    'quorum: 2, reviewers: { users: [U0ANA] }, escalate: [{ after: 30m, to: { users: [U0LEA] } }]',
    'need: [{ name: A, of: { users: [U0CLEO] } }], reviewers: { users: [U0ANA] }, escalate: [{ after: 30m, to: { users: [U0LEA] } }]',
    'outcomes: { channel: null }, remind: { after: null }, reason: , reviewers: { users: ~ }',
    'remind: { after: 90 s }',
  ])('with %s is right', (keys) => {
    expect(ofRoute(keys)).toEqual([]);
  });

  it.each([
    ['routes: { production: }', 'routes.production.channel is required'],
    ['routes: { production: C0PROD }', 'routes.production must be a mapping of keys to values'],
    ['routes: { production: { channel: prod } }', 'routes.production.channel must be a channel id'],
    ['routes: [production]', 'routes must be a mapping of keys to values'],
    ['routes: { production: { channel: C0PROD }, "a b": { channel: C0PROD } }', 'routes["a b"] mu'],
  ])('is a problem when written as %s', (routes, expected) => {
    const [problem, ...others] = problemsWith(
      `${routes}\nsources: [{ id: d, secret: INTAKE_DEPLOYS, routes: [production] }]`,
      { GATEPOST_CHANNEL: 'C0DEFAULT' },
    ).filter((each) => !each.includes('sources[0].routes'));
    expect(problem).toContain(expected);
    expect(others).toEqual([]);
  });
});

it.each(['all', 'All'])('a route named %s is a problem: it stands for every route', (name) => {
  const yaml = `routes: { ${name}: { channel: C0PROD } }\nsources: [{ id: deploys, secret: INTAKE_DEPLOYS, routes: [${name}] }]`;
  expect(problemsWith(yaml)).toEqual([
    `gatepost.yaml:1:11 routes.${name} is the word for every route: choose another name`,
  ]);
});

it('warns of selfApproval: loud where there is nobody else to tell', () => {
  const warnings = (keys: string) => {
    const route = `{ channel: C0PROD, selfApproval: loud, closedAllows: loud, reviewers: ${keys} }`;
    const read = readWith(
      `routes: { production: ${route} }\nsources: [{ id: deploys, secret: INTAKE_DEPLOYS, routes: [production] }]`,
    );
    return read.ok && read.warnings;
  };
  const words = 'routes.production.selfApproval is loud, but there is no other reviewer to tell';
  expect(warnings('{ users: [U0ANA] }')).toEqual([words]);
  expect(warnings('{ users: [U0ANA, U0BEN] }')).toEqual([]);
  expect(warnings('{ groups: [S0OPS] }')).toEqual([]);
  expect(
    warnings('{ users: [U0ANA] }, escalate: [{ after: 30m, to: { users: [U0BEN] } }]'),
  ).toEqual([]);
});

describe('a source', () => {
  it.each([
    ['secret: INTAKE_DEPLOYS, routes: [production]', 'sources[0].id is required'],
    ['id: deploys, routes: [production]', 'sources[0].secret is required'],
    ['id: deploys, secret: INTAKE_DEPLOYS', 'sources[0].routes is required: at least one'],
    ['id: deploys, secret: INTAKE_DEPLOYS, routes: []', 'sources[0].routes is required'],
    [
      'id: deploys, secret: INTAKE_DEPLOYS, routes: [prodution]',
      'sources[0].routes[0] must be the name of a route: did you mean production?',
    ],
    [
      'id: deploys, secret: INTAKE_DEPLOYS, routes: [production, nowhere]',
      'sources[0].routes[1] must be the name of a route: production',
    ],
    [`${GOOD}, secrets: x`, 'sources[0].secrets is not known: did you mean secret?'],
    [
      `${GOOD}, auth: basic`,
      'sources[0].auth must be bearer, header, standard-webhooks, oidc or path',
    ],
    [`${GOOD}, auth: header, header: "X Y"`, 'sources[0].header must be the name of a header'],
    [`${GOOD}, auth: header, header: Authorization`, 'sources[0].header must be another header'],
    [`${GOOD}, header: X-Webhook-Secret`, 'sources[0].header needs auth: header'],
    [`${GOOD}, channels: [general]`, 'sources[0].channels[0] must be a channel id'],
    [`${GOOD}, kinds: [tasks]`, 'sources[0].kinds[0] must be approval, gate, task or catalogue'],
    [
      `${GOOD}, callback: { url: "http://ci.example.com", secret: X }`,
      'callback.url must begin with',
    ],
    [`${GOOD}, callback: { url: "https://ci.example.com" }`, 'callback.secret is required'],
    [`${GOOD}, callback: { secret: X }`, 'sources[0].callback.url is required'],
    [
      `${GOOD}, callback: { url: "https://ci.example.com", secret: INTAKE_DEPLOYS }`,
      'sources[0].callback.secret names INTAKE_DEPLOYS, whose value must be whsec_',
    ],
    ['id: deploys, secret: INTAKE_DEPLOYS, kinds: [task, approval]', 'sources[0].routes is requi'],
    [
      'id: a b, secret: INTAKE_DEPLOYS, routes: [production]',
      'sources[0].id must be a name of up to 64 letters',
    ],
    [
      'id: deploys, secret: the-secret-of-deploys, routes: [production]',
      'sources[0].secret must be the name of an environment variable in capitals, not',
    ],
  ])('with %s is a problem', (keys, expected) => {
    expect(ofSource(keys)).toEqual([expect.stringMatching(/^gatepost\.yaml:2:\d+ sources\[0\]/)]);
    expect(ofSource(keys)[0]).toContain(expected);
  });

  it('with the id of another source is a problem', () => {
    const yaml = `${ROUTE}sources:
  - { ${GOOD} }
  - { ${GOOD.replace('INTAKE_DEPLOYS', 'INTAKE_TESTS')} }`;
    expect(problemsWith(yaml)).toEqual([
      'gatepost.yaml:4:7 sources[1].id is the id of sources[0], too',
    ]);
  });

  it('that is only a word is a problem', () => {
    expect(problemsWith(`${ROUTE}sources: [deploys]`)).toEqual([
      'gatepost.yaml:2:11 sources[0] must be a mapping of keys to values',
    ]);
  });
});

describe('the rest of the file', () => {
  it.each([
    ['rotues: {}', 'rotues is not known: did you mean routes?'],
    [
      'reviewers: { users: [U0ANA] }',
      'reviewers is not known here: it is a key of a route, so indent it under routes and the name',
    ],
    ['toString: {}', 'toString is not known: choose from sources'],
    ['cases: { announce: 1 }', 'cases.announce must be true, false or a channel id (C… or G…)'],
    ['identity: { userId: email }', 'identity.userId must be id, externalId or none'],
    ['identity: { overrides: { ana: x } }', 'identity.overrides.ana must be a user id'],
    ['identity: { overrides: { U0ANA: 7 } }', 'identity.overrides.U0ANA must be text: put it'],
    ['identity: { overrides: { U0ANA: } }', 'identity.overrides.U0ANA is required'],
    ['identity: { logins: { GitHub: { ana: U0ANA } } }', 'identity.logins.GitHub must be a name'],
    ['identity: { logins: { github: U0ANA } }', 'identity.logins.github must be a mapping'],
    ['identity: { logins: { github: { ana: ana } } }', 'identity.logins.github.ana must be a user'],
    [
      'identity: { logins: { github: { ana: U0ANA, ANA: U0BEN } } }',
      'identity.logins.github.ANA is the same login as ana: case does not matter',
    ],
    ['identity: { logins: { github: { "a b": U0ANA } } }', 'must be a login of up to 100'],
    ['identity: { robots: [renovate] }', 'identity.robots[0] must be a system and a login'],
    [
      'identity: { overrides: { U0ANA: a-1, U0BEN: a-2, U0ANA2: a-1 } }',
      'identity.overrides.U0ANA2 names the account of U0ANA: an account belongs to one person',
    ],
    ['teams: [Allies]', 'teams[0] must be a workspace id (T…)'],
    ['teams: [~]', 'teams[0] is required'],
    ['administrators: { users: [S0OPS] }', 'users[0] is a user group: put it under groups'],
    ['administrators: { groups: [U0ANA] }', 'groups[0] is a person: put it under users'],
    ['budget: { perMinute: 0 }', 'budget.perMinute must be a whole number from 1 to 100000'],
    ['watch: { maxAge: forever }', 'watch.maxAge must be a duration'],
    ['retention: { done: 7 days }', 'retention.done must be a duration'],
    ['dialect: { approval: { auth: bearer } }', 'dialect.approval.auth needs SERVICE_API_KEY'],
    ['dialect: { approval: { auth: basic } }', 'dialect.approval.auth must be none or bearer'],
    ['dialect: { approval: { status: [] } }', 'dialect.approval.status must be text'],
    ['dialect: { task: { id: uid } }', 'dialect.task.path is required'],
    ['dialect: { task: { path: /tasks } }', 'dialect.task.path needs SERVICE_API_KEY to be set'],
    ['dialect: { task: { path: tasks } }', 'dialect.task.path must be a path that begins with'],
    ['dialect: { task: { path: / } }', 'dialect.task.path must be a path'],
    ['dialect: { task: { path: "/tasks?id=" } }', 'dialect.task.path must be a path'],
    ['dialect: { task: { path: /a/../tasks } }', 'dialect.task.path must be a path'],
    ['dialect: { task: { path: //other.example } }', 'dialect.task.path must be a path'],
    ['dialect: { task: /tasks }', 'dialect.task must be a mapping of keys to values'],
    ['dialect: { aproval: {} }', 'dialect.aproval is not known: did you mean approval?'],
  ])('with %s has a problem', (keys, expected) => {
    expect(ofTop(keys)).toEqual([expect.stringMatching(/^gatepost\.yaml:3:\d+ /)]);
    expect(ofTop(keys)[0]).toContain(expected);
  });

  it.each(['- a\n- b', 'word', '7'])('is a problem when the whole file is %j', (yaml) => {
    expect(
      problemsWith(yaml, { GATEPOST_CHANNEL: 'C0A', GATEPOST_INTAKE_SECRET: 'long-enough-1' }),
    ).toEqual(['gatepost.yaml:1:1 the file must be a mapping of keys to values']);
  });
});

it('accepts a path to read work items from, with the names of its members', () => {
  const yaml = `${SOURCE}${ROUTE}dialect: { task: { path: /internal/tasks/, status: /state/id } }`;
  expect(configWith(yaml, { SERVICE_API_KEY: 'key' }).dialect).toEqual({
    approval: { auth: 'none' },
    task: { path: '/internal/tasks', status: '/state/id' },
  });
  expect(configWith(`${SOURCE}${ROUTE}dialect: { task: }`).dialect).not.toHaveProperty('task');
});

it('says that there are no routes when a source names one', () => {
  expect(problemsWith(SOURCE)).toContainEqual(
    expect.stringMatching(
      /sources\[0\]\.routes\[0\] must be the name of a route: none is configured$/,
    ),
  );
});

it('shows all problems at once, in the order of the file', () => {
  const read = readWith(
    `
sources:
  - id: deploys
    secret: INTAKE_NOWHERE
    routes: [prodution]
routes:
  production:
    chanel: C0PROD
    quorum: many
budget:
  perMinute: 0
`,
    { PORT: 'x' },
  );
  expect(read.ok ? '' : formatProblems(read.problems)).toMatchInlineSnapshot(`
    "7 settings need fixing:
      gatepost.yaml:4:5   sources[0].secret names INTAKE_NOWHERE, which is not set
      gatepost.yaml:5:14  sources[0].routes[0] must be the name of a route: did you mean production?
      gatepost.yaml:7:3   routes.production.channel is required
      gatepost.yaml:8:5   routes.production.chanel is not known: did you mean channel?
      gatepost.yaml:9:5   routes.production.quorum must be a whole number from 1 to 100
      gatepost.yaml:11:3  budget.perMinute must be a whole number from 1 to 100000
      PORT                must be a whole number from 0 to 65535
    "
  `);
});

it('says that a # begins a comment, where a value is missing because of it', () => {
  const [problem] = problemsIn('channel: #deploys');
  expect(problem).toBe(
    'gatepost.yaml:4:5 routes.production.channel is required: a # begins a comment, so there is no value. Put the id there',
  );
  expect(problemsIn('channel:')[0]).toMatch(/channel is required$/);

  function problemsIn(line: string): readonly string[] {
    return problemsWith(`${SOURCE}routes:\n  production:\n    ${line}\n`);
  }
});

it('tells what keys have to comply with together beside problems of their own', () => {
  const other = '{ id: deploys, secret: INTAKE_TESTS, routes: [production], kinds: [catalogue] }';
  const yaml = `${ROUTE}sources:
  - { ${GOOD}, channels: ["#x"], callback: { url: "https://ci.example.com", secret: CALLBACK } }
  - ${other}
  - { ${GOOD.replace('deploys', '" padded"')}, name: "*" }
identity: { overrides: { U0ANA: a, U0BEN: a, cleo: 7 } }
move: { source: http, who: { users: ["@ana", U0ANA] }, projects: [nowhere] }`;
  expect(problemsWith(yaml).map((each) => each.split(' ').slice(1, 4).join(' '))).toEqual([
    'sources[0].channels[0] must be',
    'sources[0].callback.secret names CALLBACK,',
    'sources[1].projects is required',
    'sources[1].id is the',
    'sources[2].id must not',
    'sources[2].secret names INTAKE_DEPLOYS,',
    'sources[2].name must not',
    'identity.overrides.U0BEN names the',
    'identity.overrides.cleo must be',
    'identity.overrides.cleo must be',
    'move.source is http,',
    'move.who needs SERVICE_API_KEY',
    'move.who.users[0] must be',
    'move.projects[0] is an',
  ]);
});

it('refuses a name that would be left out of what is read', () => {
  expect(
    problemsWith(`${SOURCE}routes: { production: { channel: C0PROD }, __proto__: {} }`),
  ).toEqual(['gatepost.yaml:2:44 this key is not possible: choose another name']);
});
