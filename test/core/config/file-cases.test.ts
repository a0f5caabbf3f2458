import { describe, expect, it } from 'vitest';
import { configWith, problemsWith } from './environment-of-tests.ts';

const BASE = `sources: [{ id: deploys, secret: INTAKE_DEPLOYS, routes: [production] }]
routes: { production: { channel: C0PROD } }
`;
const KEY = { SERVICE_API_KEY: 'the-key-of-the-service' };

it('reads the settings for test cases', () => {
  const { cases, catalogue, links } = configWith(
    `${BASE}
cases: { who: { users: [U0ANA], groups: [S0QA] }, announce: false }
catalogue:
  testProjects:
    - { id: tp1, name: Checkout, space: eng, suites: [{ id: su1, name: Smoke }] }
    - { id: tp2, name: Search, space: eng }
links: { testCase: "https://service.example/{testProjectId}/{id}" }
`,
    KEY,
  );
  expect(cases).toEqual({
    who: { users: ['U0ANA'], groups: ['S0QA'], channel: false },
    identity: 'omit',
    announce: false,
  });
  expect(catalogue.testProjects).toEqual([
    { id: 'tp1', name: 'Checkout', space: 'eng', suites: [{ id: 'su1', name: 'Smoke' }] },
    { id: 'tp2', name: 'Search', space: 'eng', suites: [] },
  ]);
  expect(links.testCase).toBe('https://service.example/{testProjectId}/{id}');
});

it('by default nobody can create test cases, and they are announced', () => {
  const { cases, catalogue, links } = configWith(BASE);
  expect(cases).toEqual({
    who: { users: [], groups: [], channel: false },
    identity: 'omit',
    announce: true,
  });
  expect(catalogue.testProjects).toEqual([]);
  expect(links.testCase).toBeNull();
});

it('announcements can have a channel of their own', () => {
  const { cases, move } = configWith(
    `${BASE}cases: { announce: C0QA }\nmove: { announce: C0MOVES }`,
  );
  expect([cases.announce, move.announce]).toEqual(['C0QA', 'C0MOVES']);
  const silent = configWith(`${BASE}cases: { announce: false }\nmove: { announce: false }`);
  expect([silent.cases.announce, silent.move.announce]).toEqual([false, false]);
});

it('an account is required by default when accounts can be read', () => {
  const SCIM = { SCIM_TOKEN: 'the-token-for-accounts' };
  expect(configWith(BASE, SCIM).cases.identity).toBe('require');
  expect(configWith(`${BASE}cases: { identity: omit }`, SCIM).cases.identity).toBe('omit');
  expect(configWith(`${BASE}cases: { identity: require }`).cases.identity).toBe('require');
});

describe('a mistake is shown at its place', () => {
  const project = (...members: string[]) =>
    `catalogue: { testProjects: [{ ${members.join(', ')} }] }`;
  it.each([
    ['cases: { identity: maybe }', '3:10 cases.identity must be require or omit'],
    [
      'cases: { announce: maybe }',
      '3:10 cases.announce must be true, false or a channel id (C… or G…)',
    ],
    ['cases: { who: { users: [ana] } }', '3:25 cases.who.users[0] must be a user id'],
    [project('id: a', 'name: A'), '3:29 catalogue.testProjects[0].space is required'],
    [project('id: a', 'space: eng'), '3:29 catalogue.testProjects[0].name is required'],
    [
      project('id: ".."', 'name: A', 'space: eng'),
      '3:31 catalogue.testProjects[0].id must not consist of dots only',
    ],
    [
      project('id: a', 'name: A', 'space: "."'),
      '3:47 catalogue.testProjects[0].space must not consist of dots only',
    ],
    [
      project('id: a', 'name: A', 'space: eng', 'suites: [{ id: s, name: A }, { id: s, name: B }]'),
      'catalogue.testProjects[0].suites[1].id is the id of suites[0], too',
    ],
    [
      'links: { testCase: "https://x.example/{testProjectId}" }',
      '3:10 links.testCase must be an http or https address with {id} in it, and optionally {testProjectId}',
    ],
    [
      'links: { testCase: "https://x.example/{key}/{id}" }',
      '3:10 links.testCase must be an http or https address with {id} in it',
    ],
  ])('%s', (yaml, expected) => {
    const [problem = '', ...others] = problemsWith(BASE + yaml, KEY);
    expect(others).toEqual([]);
    expect(problem).toContain(expected);
  });

  it('people without a key for the service', () => {
    expect(problemsWith(`${BASE}cases: { who: { channel: true } }`)).toEqual([
      'gatepost.yaml:3:10 cases.who needs SERVICE_API_KEY to be set',
    ]);
  });
});
