import { describe, expect, it } from 'vitest';
import { configWith, problemsWith } from './environment-of-tests.ts';

const BASE = `sources: [{ id: deploys, secret: INTAKE_DEPLOYS, routes: [production] }]
routes: { production: { channel: C0PROD } }
`;
const KEY = { SERVICE_API_KEY: 'the-key-of-the-service' };
const problemsOf = (yaml: string) => problemsWith(BASE + yaml, KEY);

it('reads the settings for moving work items', () => {
  const { move, catalogue, links } = configWith(
    `${BASE}
move:
  source: manual
  who: { users: [U0ANA], groups: [S0OPS], channel: true }
  rules: [{ from: [p1], who: { users: [U0BEN] } }, { from: [p2], to: [p1, p2], who: { groups: [S0REL] } }]
  projects: [p1]
catalogue:
  projects:
    - id: p1
      name: Operations
      space: eng
      slug: ops
      statuses: [{ id: s1, name: Open }, { id: s2, name: Done }]
      types:
        - { id: t1, name: Bug, statuses: [{ id: s3, name: New }] }
        - { id: t2, name: Chore }
    - { id: p2, name: Platform }
links: { task: "https://service.example/{spaceSlug}/{projectSlug}/{key}" }
`,
    KEY,
  );
  expect(move).toEqual({
    source: 'manual',
    who: { users: ['U0ANA'], groups: ['S0OPS'], channel: true },
    rules: [
      { from: ['p1'], to: [], who: { users: ['U0BEN'], groups: [], channel: false } },
      { from: ['p2'], to: ['p1', 'p2'], who: { users: [], groups: ['S0REL'], channel: false } },
    ],
    projects: ['p1'],
    identity: 'omit',
    announce: true,
  });
  expect(catalogue.projects).toEqual([
    {
      id: 'p1',
      name: 'Operations',
      space: 'eng',
      slug: 'ops',
      statuses: [
        { id: 's1', name: 'Open' },
        { id: 's2', name: 'Done' },
      ],
      types: [
        { id: 't1', name: 'Bug', statuses: [{ id: 's3', name: 'New' }] },
        { id: 't2', name: 'Chore', statuses: [] },
      ],
    },
    { id: 'p2', name: 'Platform', space: null, slug: null, statuses: [], types: [] },
  ]);
  expect(links.task).toBe('https://service.example/{spaceSlug}/{projectSlug}/{key}');
});

it('an account is required by default when accounts can be read', () => {
  const SCIM = { SCIM_TOKEN: 'the-token-for-accounts' };
  expect(configWith(BASE, SCIM).move.identity).toBe('require');
  expect(configWith(`${BASE}move: { identity: omit }`, SCIM).move.identity).toBe('omit');
  expect(configWith(`${BASE}move: { identity: require }`).move.identity).toBe('require');
});

it('a source of only work items needs no route', () => {
  const { sources } = configWith(
    `routes: { production: { channel: C0PROD } }
sources:
  - { id: items, secret: INTAKE_TESTS, kinds: [task], channels: [C0PROD] }
  - { id: deploys, secret: INTAKE_DEPLOYS, routes: [production] }`,
  );
  expect(sources).toMatchObject([
    { id: 'items', kinds: ['task'], routes: [] },
    { id: 'deploys', kinds: ['approval'] },
  ]);
});

describe('a mistake is shown at its place', () => {
  const LONG = 'x'.repeat(76);
  it.each([
    ['move: { identity: maybe }', '3:9 move.identity must be require or omit'],
    ['move: { source: rest }', '3:9 move.source must be push, http, manual or none'],
    ['move: { source: http }', '3:9 move.source is http, which needs dialect.task.path'],
    [
      'move: { projects: [p9] }',
      '3:20 move.projects[0] is an id neither in catalogue.projects nor in the projects of a source',
    ],
    [
      'move: { rules: [{ to: [p9] }] }',
      '3:24 move.rules[0].to[0] is an id neither in catalogue.projects nor in the projects of a source',
    ],
    [
      'move: { rules: [{ from: [p9] }] }',
      '3:26 move.rules[0].from[0] is an id neither in catalogue',
    ],
    [
      'move: { projects: [p1, p1, p9] }\ncatalogue: { projects: [{ id: p1, name: Ops }] }',
      '3:28 move.projects[2] is an id neither in catalogue',
    ],
    ['move: { who: { users: [ana] } }', '3:24 move.who.users[0] must be a user id'],
    ['catalogue: { projects: [{ name: Ops }] }', '3:25 catalogue.projects[0].id is required'],
    ['catalogue: { projects: [{ id: p1 }] }', '3:25 catalogue.projects[0].name is required'],
    [
      `catalogue: { projects: [{ id: ${LONG}, name: Ops }] }`,
      '3:27 catalogue.projects[0].id must be an id of at most 75 characters',
    ],
    [
      'catalogue: { projects: [{ id: p1, name: A }, { id: p1, name: B }] }',
      '3:48 catalogue.projects[1].id is the id of projects[0], too',
    ],
    [
      'catalogue: { projects: [{ id: p1, name: A, statuses: [{ id: s, name: A }, { id: s, name: B }] }] }',
      '3:77 catalogue.projects[0].statuses[1].id is the id of statuses[0], too',
    ],
    [
      'catalogue: { projects: [{ id: p1, name: A, types: [{ id: t, name: A, statuses: [{ id: 7, name: B }] }] }] }',
      'types[0].statuses[0].id must be text: put it in quotes',
    ],
    [
      'links: { task: "https://x.example/{id}" }',
      '3:10 links.task must be an http or https address',
    ],
    ['links: { task: "https://x.example/items" }', '3:10 links.task must be an http or https'],
    ['links: { task: "javascript:{key}" }', '3:10 links.task must be an http or https address'],
  ])('%s', (yaml, expected) => {
    const [problem = '', ...others] = problemsOf(yaml);
    expect(others).toEqual([]);
    expect(problem).toMatch(/^gatepost\.yaml:/);
    expect(problem).toContain(expected);
  });

  it('people without a key for the service', () => {
    expect(problemsWith(`${BASE}move: { who: { channel: true } }`)).toEqual([
      'gatepost.yaml:3:9 move.who needs SERVICE_API_KEY to be set',
    ]);
    expect(problemsWith(`${BASE}move: { rules: [{ who: { users: [U0ANA] } }] }`)).toEqual([
      'gatepost.yaml:3:19 move.rules[0].who needs SERVICE_API_KEY to be set',
    ]);
  });
});

describe('a source with the kind catalogue', () => {
  const withSources = (...sources: readonly string[]) =>
    `routes: { production: { channel: C0PROD } }
sources:
  - { id: deploys, secret: INTAKE_DEPLOYS, routes: [production] }
${sources.map((source) => `  - { secret: INTAKE_TESTS, ${source} }`).join('\n')}
`;

  it('names what it may describe, which items can be moved to, and needs no route', () => {
    const { sources, move } = configWith(
      `${withSources('id: inventory, kinds: [task, catalogue], projects: [p1, p2]')}move: { projects: [p1] }`,
    );
    expect(sources[1]).toMatchObject({ kinds: ['task', 'catalogue'], projects: ['p1', 'p2'] });
    expect(move.projects).toEqual(['p1']);
  });

  const many = Array.from({ length: 201 }, (_, index) => `p${index}`).join(', ');
  it.each([
    ['id: a, kinds: [catalogue]', 'sources[1].projects is required with kind catalogue: ids'],
    ['id: a, routes: [production], projects: [p1]', 'sources[1].projects needs kinds: [catalogue]'],
    [
      'id: a, kinds: [catalogue], projects: [p1, p1]',
      'sources[1].projects[1] is in sources[1].projects, too',
    ],
    [
      `id: a, kinds: [catalogue], projects: [${many}]`,
      'sources[1].projects must have at most 200 ids',
    ],
    [
      'id: a, auth: path, kinds: [gate, catalogue], projects: [p1]',
      'sources[1].kinds must be [gate] with auth: path',
    ],
  ])('has its mistakes told: %s', (source, expected) => {
    expect(problemsWith(withSources(source)).join('\n')).toContain(expected);
  });

  it('shares no project with another one', () => {
    const sources = ['a', 'b'].map((id) => `id: ${id}, kinds: [catalogue], projects: [p1]`);
    expect(problemsWith(withSources(...sources)).join('\n')).toContain(
      'sources[2].projects[0] is in sources[1].projects, too',
    );
  });
});
