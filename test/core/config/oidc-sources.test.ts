import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/app/configuration.ts';
import { BASE, configWith, problemsWith, readWith } from './environment-of-tests.ts';

const ROUTE = 'routes: { production: { channel: C0PROD } }\n';
const ofSource = (keys: string) => `${ROUTE}sources: [{ id: shop, routes: [production], ${keys} }]`;
const ofOidc = (keys: string) => ofSource(`auth: oidc, oidc: { audience: gatepost, ${keys} }`);
const OWNER = 'claims: { repository_id: 74 }';

it('reads a source with identity tokens, which needs no secret', () => {
  const { sources } = configWith(
    ofOidc('preset: github, claims: { repository_id: 74, ref: [refs/heads/main, refs/tags/*] }'),
  );
  expect(sources).toEqual([
    expect.objectContaining({
      id: 'shop',
      secrets: [],
      auth: {
        kind: 'oidc',
        preset: 'github',
        issuer: 'https://token.actions.githubusercontent.com',
        audience: 'gatepost',
        claims: { repository_id: ['74'], ref: ['refs/heads/main', 'refs/tags/*'] },
        jwksFile: null,
        ca: null,
      },
    }),
  ]);
});

it('an issuer is taken letter for letter, and the certificates are read from their file', () => {
  const yaml = ofOidc(
    'preset: kubernetes, issuer: "https://kubernetes.default.svc", ca: /ca.pem, claims: { sub: "system:serviceaccount:ci:deploy" }',
  );
  const readFile = (path: string) => (path === '/ca.pem' ? 'PEM' : yaml);
  const read = readConfig(BASE, { command: 'start', readFile });
  const auth = read.ok && read.config.sources[0]?.auth;
  expect(auth).toMatchObject({ issuer: 'https://kubernetes.default.svc', ca: 'PEM' });
});

describe('a mistake is shown at its place', () => {
  const missing = (path: string) => {
    throw Object.assign(new Error(path), { code: 'ENOENT' });
  };

  it.each([
    ['auth: oidc', 'sources[0].oidc is required with auth: oidc'],
    ['auth: bearer', 'sources[0].secret is required'],
    [
      `secret: INTAKE_DEPLOYS, oidc: { preset: github, audience: a, ${OWNER} }`,
      'sources[0].oidc needs auth: oidc',
    ],
    [
      `auth: oidc, secret: INTAKE_DEPLOYS, oidc: { preset: github, audience: a, ${OWNER} }`,
      'sources[0].secret is not used with auth: oidc: remove it',
    ],
    [`auth: oidc, oidc: { preset: github, ${OWNER} }`, 'sources[0].oidc.audience is required'],
  ])('%s', (keys, problem) => {
    expect(problemsWith(ofSource(keys))).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    [OWNER, 'oidc must have a preset or an issuer'],
    [`preset: jenkins, ${OWNER}`, 'oidc.preset must be github, gitlab, buildkite'],
    [`preset: circleci, ${OWNER}`, 'oidc must have the issuer of your organisation'],
    [`preset: kubernetes, ${OWNER}`, "oidc must have your cluster's issuer"],
    [`issuer: "http://issuer.example", ${OWNER}`, 'oidc.issuer must begin with https://'],
    [`issuer: "https://gitlab.com", ${OWNER}`, 'oidc.issuer is the issuer of the preset gitlab'],
    ['preset: github', 'oidc.claims must name at least one claim'],
    ['preset: github, claims: { ref: "refs/*/x" }', 'oidc.claims.ref must be a text or a list'],
    ['preset: github, claims: { ref: [] }', 'oidc.claims.ref must be a text or a list'],
  ])('oidc: { %s }', (keys, problem) => {
    expect(problemsWith(ofOidc(keys))).toEqual([expect.stringContaining(problem)]);
  });

  it('a file that does not exist', () => {
    const yaml = ofOidc(
      `issuer: "https://issuer.example", ${OWNER}, jwksFile: /keys.json, ca: /ca.pem`,
    );
    const readFile = (path: string) => (path === BASE.GATEPOST_CONFIG ? yaml : missing(path));
    const read = readConfig(BASE, { command: 'start', readFile });
    expect(read.ok ? [] : read.problems.map(({ message }) => message)).toEqual([
      'sources[0].oidc.jwksFile names a file that does not exist',
      'sources[0].oidc.ca names a file that does not exist',
    ]);
  });
});

describe('a claim is compared as it is written', () => {
  const altered = 'is not read as it is written: put it in quotes';
  const withRef = (value: string) => `preset: github, claims: { repository_id: 74, ref: ${value} }`;

  it.each(['1.10', '2026.10', '0123', '0x1F', '1e3', '12345678901234567890', '+1', 'True'])(
    '%s is refused without quotes, also in a list',
    (value) => {
      expect(problemsWith(ofOidc(withRef(value)))).toEqual([
        expect.stringContaining(`sources[0].oidc.claims.ref ${altered}`),
      ]);
      expect(problemsWith(ofOidc(withRef(`[main, ${value}]`)))).toEqual([
        expect.stringContaining(`sources[0].oidc.claims.ref[1] ${altered}`),
      ]);
      expect(problemsWith(ofOidc(withRef(`"${value}"`)))).toEqual([]);
    },
  );

  it.each(['74', '1.5', '-3', 'true', 'v1.10'])('%s needs no quotes', (value) => {
    expect(problemsWith(ofOidc(withRef(value)))).toEqual([]);
  });
});

describe('with an issuer that many organisations share', () => {
  it.each([
    ['github', 'ref: refs/heads/main'],
    ['github', 'environment: production'],
    ['github', '"sub": "repo:*"'],
    ['github', 'repository: [acme/shop, "*"]'],
    ['github', 'job_workflow_ref: "acme/ci/*"'],
    ['gitlab', 'ref_protected: true'],
    ['buildkite', 'pipeline_slug: deploy'],
  ])('%s: claims that anybody can have are refused: %s', (preset, claims) => {
    const problems = problemsWith(ofOidc(`preset: ${preset}, claims: { ${claims} }`));
    expect(problems).toEqual([expect.stringMatching(/oidc\.claims/)]);
  });

  it.each([
    ['github', 'repository: "acme/*"'],
    ['github', 'repository_owner_id: 65'],
    ['github', 'sub: "repo:acme/shop:environment:production"'],
    ['github', 'sub: "repo:acme/*"'],
    ['gitlab', 'project_path: [acme/shop, "acme/tools/*"]'],
    ['gitlab', 'namespace_id: 4'],
    ['buildkite', 'sub: "organization:acme:pipeline:deploy:*"'],
  ])('%s: claims that say whose it is are enough: %s', (preset, claims) => {
    expect(problemsWith(ofOidc(`preset: ${preset}, claims: { ${claims} }`))).toEqual([]);
  });

  it('an issuer of one’s own needs none', () => {
    const keys = 'preset: gitlab, issuer: "https://git.acme.example", claims: { ref: main }';
    expect(problemsWith(ofOidc(keys))).toEqual([]);
  });

  it('one of the organisation at such a host does', () => {
    const own = 'preset: circleci, issuer: "https://oidc.circleci.com/org/1f", claims:';
    expect(problemsWith(ofOidc(`${own} { aud: x }`))).toHaveLength(1);
    expect(problemsWith(ofOidc(`${own} { sub: "org/1f/*" }`))).toEqual([]);
  });
});

const VERIFIED = 'routes: { production: { channel: C0PROD, requester: verified } }\n';

it('a route that demands a verified requester takes no source that proves none', () => {
  const oidc = (id: string, keys: string) =>
    `{ id: ${id}, auth: oidc, routes: [production], oidc: { audience: a, ${keys} } }`;
  const github = oidc('shop', `preset: github, ${OWNER}`);
  const buildkite = oidc('builds', 'preset: buildkite, claims: { organization_slug: acme }');
  const secret = '{ id: old, secret: INTAKE_DEPLOYS, routes: [production] }';
  expect(problemsWith(`${VERIFIED}sources: [${github}]`)).toEqual([]);
  expect(problemsWith(`${VERIFIED}sources: [${github}, ${buildkite}, ${secret}]`)).toEqual(
    ['builds', 'old'].map((id) =>
      expect.stringContaining(
        `requester is verified, but the source ${id} does not prove who asks`,
      ),
    ),
  );
  const misspelt = oidc('shop', `preset: githb, ${OWNER}`);
  expect(problemsWith(`${VERIFIED}sources: [${misspelt}]`)).toEqual([
    expect.stringContaining('oidc.preset must be github'),
  ]);
});

it('sources that one token can match are warned of', () => {
  const source = (id: string, claims: string) =>
    `{ id: ${id}, auth: oidc, routes: [production], oidc: { preset: github, audience: a, claims: { ${claims} } } }`;
  const all = [
    source('one', 'repository: acme/shop, ref: refs/heads/main'),
    source('two', 'repository: "acme/*"'),
    source('three', 'repository: acme/tools'),
    source('four', 'repository: acme/shop, ref: refs/heads/dev'),
  ];
  const read = readWith(`${ROUTE}sources: [${all.join()}]`);
  const warnings = read.ok ? read.warnings.filter((text) => text.includes('token')) : [];
  expect(warnings.map((text) => text.split(' can')[0])).toEqual([
    'sources one and two',
    'sources two and three',
    'sources two and four',
  ]);
});
