import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  PRESET_NAMES,
  PRESETS,
  provesPerson,
  sharedBy,
} from '../../../src/core/identity-tokens/presets.ts';
import { proofOf } from '../../../src/core/identity-tokens/proof.ts';
import { GITHUB_CLAIMS } from '../../support/issuer.ts';

/** Claims as these systems document them for a job, with other names and numbers. */
const RECORDED = {
  github: GITHUB_CLAIMS,
  gitlab: {
    namespace_id: '72',
    namespace_path: 'acme/tools',
    project_id: '20',
    project_path: 'acme/tools/shop',
    user_id: '1',
    user_login: 'cleo',
    user_email: 'Cleo <cleo@example.com>',
    user_access_level: 'maintainer',
    pipeline_id: '574',
    pipeline_source: 'push',
    job_id: '302',
    ref: 'main',
    ref_type: 'branch',
    ref_path: 'refs/heads/main',
    ref_protected: 'true',
    runner_id: 1,
    runner_environment: 'self-hosted',
    sha: 'example-sha',
    jti: 'example-id',
    sub: 'project_path:acme/tools/shop:ref_type:branch:ref:main',
    aud: 'gatepost',
  },
  buildkite: {
    sub: 'organization:acme:pipeline:shop:ref:refs/heads/main:commit:9f3182:step:build',
    aud: 'gatepost',
    organization_slug: 'acme',
    pipeline_slug: 'shop',
    build_number: 1,
    build_branch: 'main',
    build_tag: null,
    build_commit: '9f3182',
    step_key: 'build',
    job_id: '0184990a-477b-4fa8-9968-496074483cee',
    agent_id: '0184990a-4782-42b5-afc1-16715b10b8ff',
    build_source: 'ui',
    runner_environment: 'self-hosted',
  },
  circleci: {
    aud: 'gatepost',
    sub: 'org/1f00/project/2f00/user/3f00',
    'oidc.circleci.com/project-id': '2f00',
    'oidc.circleci.com/context-ids': ['4f00'],
    'oidc.circleci.com/vcs-origin': 'github.com/acme/shop',
    'oidc.circleci.com/vcs-ref': 'refs/heads/main',
    'oidc.circleci.com/workflow-id': '5f00',
  },
  kubernetes: {
    aud: ['gatepost'],
    jti: 'example-id',
    'kubernetes.io': {
      namespace: 'ci',
      node: { name: 'node-1', uid: '6f00' },
      pod: { name: 'deploy-7', uid: '7f00' },
      serviceaccount: { name: 'deployer', uid: '8f00' },
    },
    sub: 'system:serviceaccount:ci:deployer',
  },
} as const;

const issuerOf = (name: (typeof PRESET_NAMES)[number]) =>
  PRESETS[name].issuer ?? 'https://issuer.example';

describe('a recorded token', () => {
  const proves = (
    name: (typeof PRESET_NAMES)[number],
    more: object = {},
    issuer = issuerOf(name),
  ) => proofOf({ ...RECORDED[name], ...more }, { preset: name, issuer });

  it('of GitHub proves repository, run with attempt, and who started it', () => {
    expect(proves('github')).toMatchObject({
      by: 'GitHub',
      scope: '74',
      repository: 'acme/shop',
      run: {
        id: '4711',
        attempt: 1,
        link: 'https://github.com/acme/shop/actions/runs/4711/attempts/1',
      },
      person: { login: { login: 'cleo', at: 'github', id: '583231' } },
    });
  });

  it('of GitHub, run again, does not prove by whom', () => {
    expect(proves('github', { run_attempt: '2' })?.person).toMatchObject({ isRerun: true });
    const again = proves('github', { run_attempt: '3', event_name: 'schedule' });
    expect(again?.person).toMatchObject({ login: { login: 'cleo' }, isRerun: true });
  });

  it('of GitHub that does not say which attempt it is does not prove who ran it', () => {
    for (const run_attempt of [undefined, 'first', '0', '1.0'])
      expect(proves('github', { run_attempt })?.person).toMatchObject({ isRerun: true });
  });

  it('of a self-hosted system names people of that system, not of the public one', () => {
    const own = proves('github', {}, 'https://ghe.example.com/_services/token');
    expect(own).toMatchObject({
      by: 'GitHub at ghe.example.com',
      person: { login: { login: 'cleo', at: 'ghe.example.com', id: '583231' } },
    });
    expect(proves('gitlab', {}, 'https://git.example.com')?.person?.login).toEqual({
      login: 'cleo',
      at: 'git.example.com',
      id: '1',
    });
  });

  it('of a schedule of GitHub proves nobody, and of a robot the robot', () => {
    expect(proves('github', { event_name: 'schedule' })?.person).toEqual({
      login: { login: '[schedule]', at: 'github' },
    });
    expect(proves('github', { actor: 'renovate[bot]' })?.person).toMatchObject({
      login: { login: 'renovate[bot]' },
    });
  });

  it('of a GitHub of one’s own links to that', () => {
    const at = (issuer: string) => proves('github', {}, issuer)?.run?.link;
    expect(at('https://git.example/_services/token')).toMatch(/^https:\/\/git\.example\/acme\//);
    expect(at('https://token.actions.acme.ghe.example')).toMatch(/^https:\/\/acme\.ghe\.example\//);
  });

  it('of GitLab proves project, pipeline, and who started the job, with their address', () => {
    expect(proves('gitlab')).toMatchObject({
      by: 'GitLab',
      scope: '20',
      repository: 'acme/tools/shop',
      run: { id: '574', link: 'https://gitlab.com/acme/tools/shop/-/jobs/302' },
      person: { login: { login: 'cleo', at: 'gitlab', id: '1' }, email: 'cleo@example.com' },
    });
    // Who started a manual job of a schedule is a person.
    expect(proves('gitlab', { pipeline_source: 'schedule' })?.person).toMatchObject({
      login: { login: 'cleo' },
    });
  });

  it('of Buildkite proves pipeline and build, and nobody', () => {
    expect(proves('buildkite')).toEqual({
      by: 'Buildkite',
      subject: RECORDED.buildkite.sub,
      scope: 'acme/shop',
      repository: 'acme/shop',
      run: { id: '1', link: 'https://buildkite.com/acme/shop/builds/1' },
    });
    expect(proves('buildkite', { pipeline_id: '9f00' })?.scope).toBe('9f00');
  });

  it('of CircleCI proves project and user', () => {
    expect(proves('circleci')).toMatchObject({
      scope: '2f00',
      repository: 'github.com/acme/shop',
      run: { id: '5f00' },
      person: { login: { login: '3f00', at: 'circleci', id: '3f00' } },
    });
  });

  it('of Kubernetes proves namespace and pod, and nobody', () => {
    expect(proves('kubernetes')).toEqual({
      by: 'Kubernetes',
      subject: 'system:serviceaccount:ci:deployer',
      scope: 'ci',
      repository: 'ci',
      run: { id: 'deploy-7' },
      tokenId: 'example-id',
    });
  });

  it('of another issuer proves its subject alone', () => {
    const rules = { preset: null, issuer: 'https://issuer.example' };
    expect(proofOf({ sub: 'job:7', actor: 'ana' }, rules)).toEqual({
      by: 'issuer.example',
      subject: 'job:7',
      scope: 'job:7',
    });
  });

  it('without its repository is nobody’s', () => {
    const { repository: _, repository_id: __, ...rest } = RECORDED.github;
    const rules = { preset: 'github', issuer: issuerOf('github') } as const;
    expect(proofOf(rest, rules)).toBeUndefined();
    expect(proofOf({ ...rest, repository: 'acme/shop' }, rules)?.scope).toBe('acme/shop');
  });

  it('shows no controls or line ends of names that people choose, and links to no other place', () => {
    const proof = proves('github', {
      sub: 'repo:acme/shop:ref:refs/heads/a\u202e\nb',
      repository: '../evil?x#y/shop',
      actor: 'an\na',
    });
    expect(proof?.subject).toBe('repo:acme/shop:ref:refs/heads/a b');
    expect(proof?.run?.link).toBe(
      'https://github.com/../evil%3Fx%23y/shop/actions/runs/4711/attempts/1',
    );
    expect(proof).not.toHaveProperty('person');
  });
});

it('issuers that many organisations share are known by their host', () => {
  expect(sharedBy('https://gitlab.com')).toBe('gitlab');
  expect(sharedBy('https://token.actions.githubusercontent.com/acme')).toBe('github');
  expect(sharedBy('https://oidc.circleci.com/org/1f00')).toBe('circleci');
  expect(sharedBy('https://gitlab.acme.example')).toBeUndefined();
});

it('docs/identity.md has this table', async () => {
  const page = await readFile(new URL('../../../docs/identity.md', import.meta.url), 'utf8');
  const rows = [
    ...page.matchAll(/^\| `(\w+)` \| ([^|]+) \|[^|]+\| (yes|no)[^|]* \| ([^|]+) \|$/gm),
  ];
  const written = rows.map(([, name, issuer = '', person, owners = '']) => ({
    name,
    issuer: /^`(.+)`$/.exec(issuer)?.[1] ?? null,
    person: person === 'yes',
    owners: [...owners.matchAll(/`([^`]+)`/g)].map(([, claim]) => claim),
  }));
  expect(written).toEqual(
    PRESET_NAMES.map((name) => ({
      name,
      issuer: PRESETS[name].issuer,
      person: provesPerson(name),
      owners: Object.keys(PRESETS[name].owners),
    })),
  );
});
