import { lookUp } from '../src/core/config/environment.ts';
import { cleanLine } from '../src/core/lib/clean-line.ts';
import { loginFault, SCHEDULE } from '../src/core/lib/logins.ts';
import { emailProblem } from '../src/core/lib/read-email.ts';
import type { RequestedBy } from './contract/approval-body.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where a CI system says in the environment who started a run. */
interface Starter {
  readonly system: string;
  readonly variable: string;
  /** For the help, after the system's name. */
  readonly what: string;
  readonly read: (value: string, env: Env) => RequestedBy | undefined;
  /**
   * A run of a schedule, which nobody started: `variable` is `is`. Somebody ran it again, or started this job by hand,
   * if `again` is set. GitHub counts its attempts from 1.
   */
  readonly schedule?: {
    readonly at: string;
    readonly variable: string;
    readonly is: string;
    readonly again?: string;
  };
}

/** Names the requester in every system, before what a CI system says. */
export const REQUESTED_BY = 'GATEPOST_REQUESTED_BY';

/** The table. integrations/curl/ask.sh has it too; test/integrations/starters.test.ts compares them. */
export const STARTERS = [
  {
    system: 'GitHub Actions',
    variable: 'GITHUB_TRIGGERING_ACTOR',
    what: 'a login at github',
    read: (value) => loginAt('github', value),
    schedule: {
      at: 'github',
      variable: 'GITHUB_EVENT_NAME',
      is: 'schedule',
      again: 'GITHUB_RUN_ATTEMPT',
    },
  },
  {
    system: 'GitLab CI',
    variable: 'GITLAB_USER_EMAIL',
    what: 'an address',
    read: emailIn,
    schedule: {
      at: 'gitlab',
      variable: 'CI_PIPELINE_SOURCE',
      is: 'schedule',
      again: 'CI_JOB_MANUAL',
    },
  },
  {
    system: 'Buildkite',
    variable: 'BUILDKITE_BUILD_CREATOR_EMAIL',
    what: 'an address',
    read: emailIn,
    schedule: {
      at: 'buildkite',
      variable: 'BUILDKITE_SOURCE',
      is: 'schedule',
      again: 'BUILDKITE_REBUILT_FROM_BUILD_ID',
    },
  },
  {
    system: 'Jenkins',
    variable: 'BUILD_USER_ID',
    what: 'a login at jenkins, with the plugin build-user-vars',
    read: (value) => loginAt('jenkins', value),
    // What the plugin says of a timer.
    schedule: { at: 'jenkins', variable: 'BUILD_USER_ID', is: 'timer' },
  },
  {
    system: 'CircleCI',
    variable: 'CIRCLE_USERNAME',
    what: 'a login at github or bitbucket, by CIRCLE_REPOSITORY_URL',
    read: (value, env) => loginAt(hostIn(lookUp(env, 'CIRCLE_REPOSITORY_URL') ?? ''), value),
  },
  {
    system: 'Argo Workflows',
    variable: 'ARGO_WORKFLOW_LABELS',
    what: 'its label workflows.argoproj.io/creator-email',
    read: creatorIn,
  },
] as const satisfies readonly Starter[];

/** Who started the run; undefined: the environment does not say. */
export function starterIn(env: Env): RequestedBy | undefined {
  const table: readonly Starter[] = STARTERS;
  for (const { variable, read, schedule } of table) {
    if (schedule !== undefined && isScheduled(schedule, env)) {
      return { login: SCHEDULE, at: schedule.at };
    }
    const value = lookUp(env, variable);
    const found = value === undefined ? undefined : read(value, env);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isScheduled({ variable, is, again }: NonNullable<Starter['schedule']>, env: Env): boolean {
  if (lookUp(env, variable) !== is) return false;
  const since = again === undefined ? undefined : lookUp(env, again);
  return since === undefined || since === '1';
}

/** Gatepost would refuse a login with blanks, and the run with it. */
function loginAt(at: string, value: string): RequestedBy | undefined {
  return loginFault(value) === undefined ? { login: value, at } : nameIn(value);
}

function emailIn(value: string): RequestedBy | undefined {
  return emailProblem(value) === null ? { email: value } : nameIn(value);
}

function nameIn(value: string): RequestedBy | undefined {
  const name = cleanLine(value);
  return name === '' ? undefined : { name };
}

/** Such as `git@github.com:acme/checkout.git`. */
function hostIn(repository: string): string {
  const [, host = ''] = /^(?:[a-z]+:\/\/)?(?:[^@/]*@)?([^:/]*)/.exec(repository) ?? [];
  return HOSTS.get(host) ?? 'circleci';
}

const HOSTS: ReadonlyMap<string, string> = new Map([
  ['github.com', 'github'],
  ['bitbucket.org', 'bitbucket'],
]);

function creatorIn(labels: string): RequestedBy | undefined {
  try {
    const all: unknown = JSON.parse(labels);
    const isObject = typeof all === 'object' && all !== null;
    const value = isObject && Object.entries(all).find(([name]) => name === CREATOR)?.[1];
    return typeof value === 'string' && value !== '' ? creatorOf(value) : undefined;
  } catch {
    return undefined;
  }
}

const CREATOR = 'workflows.argoproj.io/creator-email';
/** Argo keeps the last 63 characters, and then drops a sign at their beginning. */
const UNCUT_MAX = 61;
const AT = '.at.';

/**
 * Argo writes an address as a label, with `.at.` for `@`. A name if the label is cut, or stands for more than one
 * address.
 */
function creatorOf(label: string): RequestedBy {
  const places = [...label].flatMap((_, at) => (label.startsWith(AT, at) ? [at] : []));
  const addresses = places
    .map((at) => `${label.slice(0, at)}@${label.slice(at + AT.length)}`)
    .filter((address) => emailProblem(address) === null);
  const [email, ...others] = addresses;
  const isClear = email !== undefined && others.length === 0 && label.length <= UNCUT_MAX;
  return isClear ? { email } : { name: label };
}

/** The table, for `--help`. */
export function startersHelp(): string {
  const rows = STARTERS.map(
    ({ system, variable, what }) => `  ${variable.padEnd(WIDTH)}${system}: ${what}`,
  );
  const schedules = STARTERS.flatMap((row) =>
    'schedule' in row ? [`  ${row.schedule.variable}=${row.schedule.is}`] : [],
  );
  return [...rows, `As the login ${SCHEDULE}, because nobody started the run:`, ...schedules].join(
    '\n',
  );
}

const WIDTH = 31;
