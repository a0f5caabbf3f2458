import { SCHEDULE } from '../lib/logins.ts';

/**
 * The systems whose identity tokens Gatepost knows. docs/identity.md has this table for people;
 * `presets.test.ts` compares them, with tokens as these systems give them.
 */

/** A claim's value as text. */
type Claim = (name: string) => string | undefined;
type Read = (claim: Claim) => string | undefined;

export interface ProvenRun {
  readonly id: string;
  /** From 1; absent: the issuer does not count attempts. */
  readonly attempt?: number;
  readonly link?: string;
}

interface Person {
  readonly login?: string | undefined;
  /** Never given to somebody else, unlike a login. */
  readonly id?: string | undefined;
  readonly email?: string | undefined;
  readonly isRerun?: true;
}

interface Preset {
  /** For people. */
  readonly shown: string;
  /** null: each installation has its own. */
  readonly issuer: string | null;
  /** The host of issuers that many organisations share. */
  readonly sharedHost?: string;
  /** The claims that say whose a token of a shared issuer is, each with what its value has to begin with. */
  readonly owners: Readonly<Record<string, RegExp>>;
  /** What keys and reading are bound to: its repository, project or namespace, by id where there is one. */
  readonly scope: Read;
  /** The name of that. */
  readonly repository: Read;
  readonly run: (read: Claim, issuer: string) => ProvenRun | undefined;
  /** Absent: a token proves no person. */
  readonly person?: (read: Claim) => Person | undefined;
}

const WHOLE = /^[^*]+$/;

const TABLE = {
  github: {
    shown: 'GitHub',
    issuer: 'https://token.actions.githubusercontent.com',
    sharedHost: 'token.actions.githubusercontent.com',
    owners: {
      repository_id: WHOLE,
      repository_owner_id: WHOLE,
      repository: /^[^/*]+\//,
      repository_owner: WHOLE,
      sub: /^repo:[^/:*]+\//,
    },
    scope: (read) => read('repository_id') ?? read('repository'),
    repository: (read) => read('repository'),
    run(read, issuer) {
      const [id, repository] = [read('run_id'), read('repository')];
      if (id === undefined) return undefined;
      const attempt = count(read('run_attempt'));
      const path = `${repository}/actions/runs/${id}${attempt === undefined ? '' : `/attempts/${attempt}`}`;
      return {
        id,
        ...(attempt !== undefined && { attempt }),
        ...(repository !== undefined && { link: `${githubOf(issuer)}/${pathOf(path)}` }),
      };
    },
    person(read) {
      // What does not say that it is the first attempt proves nothing about who ran it again.
      const isRerun = count(read('run_attempt')) !== 1;
      // Without somebody who runs it again, nobody started a schedule: `actor` is who last changed it.
      if (read('event_name') === 'schedule' && !isRerun) return { login: SCHEDULE };
      return {
        login: read('actor'),
        id: read('actor_id'),
        ...(isRerun && { isRerun: true }),
      };
    },
  },
  gitlab: {
    shown: 'GitLab',
    issuer: 'https://gitlab.com',
    sharedHost: 'gitlab.com',
    owners: {
      project_id: WHOLE,
      namespace_id: WHOLE,
      project_path: /^[^/*]+\//,
      namespace_path: /^[^/*]+/,
      sub: /^project_path:[^/:*]+\//,
    },
    scope: (read) => read('project_id') ?? read('project_path'),
    repository: (read) => read('project_path'),
    run(read, issuer) {
      const [id, job, project] = [read('pipeline_id'), read('job_id'), read('project_path')];
      if (id === undefined) return undefined;
      const path = job === undefined ? `pipelines/${id}` : `jobs/${job}`;
      return {
        id,
        ...(project !== undefined && { link: `${issuer}/${pathOf(`${project}/-/${path}`)}` }),
      };
    },
    // Of a schedule it is its owner, or who started a manual job of its pipeline.
    person: (read) => ({
      login: read('user_login'),
      id: read('user_id'),
      email: read('user_email'),
    }),
  },
  buildkite: {
    shown: 'Buildkite',
    issuer: 'https://agent.buildkite.com',
    sharedHost: 'agent.buildkite.com',
    owners: {
      organization_id: WHOLE,
      pipeline_id: WHOLE,
      organization_slug: WHOLE,
      sub: /^organization:[^:*]+:/,
    },
    scope: (read) => read('pipeline_id') ?? pipelineIn(read),
    repository: pipelineIn,
    run(read) {
      const [id, pipeline] = [read('build_number'), pipelineIn(read)];
      if (id === undefined) return undefined;
      const path = `${pipeline}/builds/${id}`;
      return {
        id,
        ...(pipeline !== undefined && { link: `https://buildkite.com/${pathOf(path)}` }),
      };
    },
  },
  circleci: {
    shown: 'CircleCI',
    // Of an organisation: https://oidc.circleci.com/org/<its id>.
    issuer: null,
    sharedHost: 'oidc.circleci.com',
    owners: {
      'oidc.circleci.com/project-id': WHOLE,
      'oidc.circleci.com/org-id': WHOLE,
      sub: /^org\/[^/*]+\//,
    },
    scope: (read) => read('oidc.circleci.com/project-id'),
    repository: (read) => read('oidc.circleci.com/vcs-origin'),
    run(read) {
      const id = read('oidc.circleci.com/workflow-id') ?? read('oidc.circleci.com/job-id');
      return id === undefined ? undefined : { id };
    },
    person(read) {
      const [, id] = /^org\/[^/]+\/project\/[^/]+\/user\/([^/]+)/.exec(read('sub') ?? '') ?? [];
      return id === undefined ? undefined : { login: id, id };
    },
  },
  kubernetes: {
    shown: 'Kubernetes',
    issuer: null,
    owners: {},
    scope: (read) => read('kubernetes.io/namespace'),
    repository: (read) => read('kubernetes.io/namespace'),
    run(read) {
      const id = read('kubernetes.io/pod/name');
      return id === undefined ? undefined : { id };
    },
  },
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetName = keyof typeof TABLE;

export const PRESETS: Readonly<Record<PresetName, Preset>> = TABLE;

// as: the keys of the table
export const PRESET_NAMES = Object.keys(TABLE) as [PresetName, ...PresetName[]];

/** Whether tokens of this preset say who started the run; null: any other issuer. */
export function provesPerson(preset: PresetName | null): boolean {
  return preset !== null && PRESETS[preset].person !== undefined;
}

/** The preset whose shared issuer this is. */
export function sharedBy(issuer: string): PresetName | undefined {
  const { host } = new URL(issuer);
  return PRESET_NAMES.find((name) => PRESETS[name].sharedHost === host);
}

/**
 * The name under which logins of an issuer are configured. A login or id of a self-hosted system is not the one of the
 * same name elsewhere, so such a system goes by its host.
 */
export function loginsOf(preset: PresetName, issuer: string): string {
  const own = PRESETS[preset].issuer;
  return own === null || own === issuer ? preset : new URL(issuer).hostname;
}

/** For people, of an issuer that no preset has. */
export function issuerName(issuer: string): string {
  return new URL(issuer).host;
}

function pipelineIn(read: Claim): string | undefined {
  const [organization, pipeline] = [read('organization_slug'), read('pipeline_slug')];
  return organization === undefined || pipeline === undefined
    ? undefined
    : `${organization}/${pipeline}`;
}

function count(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

/** For an address: names come from people. */
function pathOf(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Where people see what the issuer `https://token.actions.<domain>` or `https://<host>/_services/token` speaks of. */
function githubOf(issuer: string): string {
  const { host } = new URL(issuer);
  const own = host.replace(/^token\.actions\./, '');
  return `https://${own === 'githubusercontent.com' ? 'github.com' : own}`;
}
