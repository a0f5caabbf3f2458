import type { Credentials } from '../../sandbox/credentials.ts';
import { otherTeamId } from '../../sandbox/workspace/seed.ts';
import { readConfig } from '../../src/app/configuration.ts';
import type { Config } from '../../src/core/config/config.ts';
import type { Action, NeedSeen } from './evidence.ts';
import { AUDIENCE, ISSUER, REPOSITORY_ID, STARTER } from './job-identity.ts';
import { HOOKS } from './receiver.ts';

/** Where an approval of a simulated world goes, and who can decide it. */
export interface RouteOfWorld {
  readonly name: string;
  readonly channel: string;
  readonly reviewers: readonly string[];
  /** Members of this group can decide; `reviewers` have been in it at some time. */
  readonly group?: string;
  readonly quorum: number;
  /** Places that different people have to fill. */
  readonly needs?: readonly NeedSeen[];
  /** Whether people are asked for a reason. */
  readonly reason: Readonly<Record<Action, ReasonRule>>;
  /** Everybody in the channel can decide. */
  readonly isOpen?: true;
  /** The requester may decide, and people whom the service does not know. */
  readonly isLenient?: true;
  /** The requester may decide. */
  readonly isSelf?: true;
  /** Who can also decide after a while. */
  readonly escalate?: readonly { readonly afterMs: number; readonly users: readonly string[] }[];
  /** People who are away can name a substitute. */
  readonly substitutes?: true;
  /** Guests can decide, but not as a substitute. */
  readonly guests?: true;
  /** When the thread reminds those who can decide. There is also a last call, which a closed route has to hold back. */
  readonly remindMs?: number;
  /** How long a sufficient approval is held before it is sent. */
  readonly holdMs?: number;
  /** The requester of an own gate may approve it, with a reason, once the others are told. */
  readonly isLoud?: true;
}

type ReasonRule = 'none' | 'optional' | 'required';

export const GROUP = 'S0REL';
/** Groups that needs name, and their usual members: Ana and Cleo can fill a place of either. */
export const SRE = 'S0SRE';
export const SECURITY = 'S0SEC';
export const CREWS: Readonly<Record<string, readonly string[]>> = {
  [SRE]: ['U0ANA', 'U0BEN', 'U0CLEO'],
  [SECURITY]: ['U0ANA', 'U0CLEO', 'U0DANA'],
};

/** A group that only one scene names, and that nobody leaves. */
export const WATCH = 'S0WATCH';
export const GROUPS_OF_NEEDS: typeof CREWS = {
  ...CREWS,
  [WATCH]: ['U0ANA', 'U0BEN', 'U0CLEO', 'U0DANA'],
};

/**
 * Cleo's second account in Slack: in another workspace, which is allowed, with an address of its own that nobody
 * confirmed, and an override to her account in the service.
 */
export const SECOND = 'U0STR';
export const SECOND_EMAIL = 'cleo.martin@partner.example';
export const CLEO_ACCOUNT = '6f1c0d00-0000-4000-8000-000000000003';
/** Her external id in the service, if accounts have external ids. */
export const CLEO_EXTERNAL = 'ext-cleo';
const CLEO = ['U0CLEO', SECOND] as const;

/** The service does not know Una. */
export const UNKNOWN = 'U0UNA';

/** Slack does not say whose address this is; her account in the service has it. */
export const HIDDEN_ADDRESS = 'Cleo@Example.com';

export interface Asker {
  /** As the request names them. */
  readonly requestedBy: Readonly<Record<string, string>>;
  /** Slack ids of the requester, or that have to be treated as theirs. */
  readonly are: readonly string[];
  /** The id as which Slack knows them. */
  readonly self?: string;
  /** Until Slack has told who has that address, these are treated as the requester, too. */
  readonly mayBe?: readonly string[];
}

/** By the id or address that the request names. */
export function isNamed({ requestedBy }: Asker, name: string | undefined): boolean {
  return name !== undefined && [requestedBy.slackUser, requestedBy.email].includes(name);
}

/** Whose login this is says the configuration. */
export const STARTED_BY_CLEO: Asker = {
  requestedBy: { login: STARTER, at: 'github' },
  self: 'U0CLEO',
  are: CLEO,
};

export const ASKERS: readonly [Asker, ...Asker[]] = [
  { requestedBy: { slackUser: 'U0BEN' }, self: 'U0BEN', are: ['U0BEN'] },
  { requestedBy: { slackUser: 'U0CLEO' }, self: 'U0CLEO', are: CLEO },
  { requestedBy: { slackUser: SECOND }, self: SECOND, are: CLEO },
  { requestedBy: { email: 'CLEO@example.com' }, self: 'U0CLEO', are: CLEO },
  { requestedBy: { email: 'dana@example.com' }, self: 'U0DANA', are: ['U0DANA'], mayBe: [SECOND] },
  // The second account's address does not count: nobody knows whether it is the requester's.
  { requestedBy: { email: 'robot@ci.example' }, are: [SECOND] },
  { requestedBy: { email: HIDDEN_ADDRESS }, are: CLEO },
  { requestedBy: { slackUser: UNKNOWN }, self: UNKNOWN, are: [UNKNOWN] },
  STARTED_BY_CLEO,
  // Nobody is linked to it.
  { requestedBy: { login: 'hubot', at: 'github' }, are: [] },
  // Slack knows nobody with that id.
  { requestedBy: { slackUser: 'U0NOBODY' }, are: [] },
  { requestedBy: { name: 'The pipeline' }, are: [] },
];

const NO_REASON = { approve: 'none', reject: 'none' } as const;

/** What a request can add to the needs of its route. */
export const ADDED_NEEDS: readonly [NeedSeen, ...NeedSeen[]] = [
  { name: 'Owner', of: { users: ['U0DANA', 'U0CLEO', SECOND], groups: [] }, count: 1 },
  { name: 'On call', of: { users: [], groups: [SRE] }, count: 1 },
  { name: 'Second look', of: { users: ['U0BEN', 'U0CLEO'], groups: [SECURITY] }, count: 2 },
];

/** Ivo's account in the service is deactivated, Gus is a guest. */
export const ROUTES: readonly [RouteOfWorld, ...RouteOfWorld[]] = [
  {
    ...route('deploys', 'C0DEPLOYS', ['U0ANA', 'U0BEN', ...CLEO, UNKNOWN, 'U0GUS'], 1),
    remindMs: 40_000,
  },
  {
    ...route('infra', 'C0INFRA', ['U0ANA', ...CLEO, 'U0DANA', UNKNOWN, 'U0IVO'], 1),
    reason: { approve: 'none', reject: 'required' },
    isLenient: true,
  },
  {
    ...route('both', 'C0BOTH', ['U0ANA', 'U0BEN', ...CLEO, 'U0DANA'], 2),
    reason: { approve: 'optional', reject: 'none' },
    remindMs: 60_000,
  },
  {
    ...route('managers', 'C0MANAGERS', ['U0ANA', 'U0BEN', ...CLEO, 'U0DANA'], 1),
    group: GROUP,
    remindMs: 50_000,
  },
  {
    ...route('anyone', 'C0ANYONE', ['U0ANA', 'U0BEN', ...CLEO, 'U0DANA'], 1),
    isOpen: true,
    remindMs: 50_000,
  },
  {
    ...route('crews', 'C0CREWS', ['U0ANA', 'U0BEN', ...CLEO, 'U0DANA'], 1),
    remindMs: 40_000,
    needs: [
      { name: 'SRE', of: { users: [], groups: [SRE] }, count: 1 },
      { name: 'Security', of: { users: [], groups: [SECURITY] }, count: 1 },
    ],
  },
  {
    ...route('release', 'C0RELEASE', ['U0ANA', 'U0BEN', ...CLEO, 'U0DANA'], 3),
    needs: [
      { name: 'Release crew', of: { users: ['U0ANA', 'U0BEN', ...CLEO], groups: [] }, count: 2 },
    ],
  },
];

/** Routes of worlds in which people are away: few can decide, others after a while, and substitutes. */
export const ABSENCE_ROUTES: readonly [RouteOfWorld, ...RouteOfWorld[]] = [
  {
    ...route('pair', 'C0PAIR', ['U0BEN', 'U0CLEO'], 1),
    substitutes: true,
    escalate: [
      { afterMs: 45_000, users: ['U0DANA'] },
      { afterMs: 90_000, users: ['U0ANA'] },
    ],
  },
  {
    ...route('watch', 'C0WATCH', ['U0BEN', 'U0DANA'], 2),
    substitutes: true,
    escalate: [{ afterMs: 60_000, users: ['U0CLEO'] }],
    remindMs: 30_000,
  },
  {
    ...route('rota', 'C0ROTA', ['U0ANA', 'U0BEN', ...CLEO, 'U0DANA'], 1),
    group: GROUP,
    substitutes: true,
  },
  {
    ...route('shop', 'C0SHOP', ['U0CLEO', 'U0DANA'], 1),
    substitutes: true,
    isSelf: true,
    remindMs: 40_000,
  },
  {
    ...route('shift', 'C0SHIFT', ['U0ANA', 'U0BEN', ...CLEO, 'U0DANA'], 1),
    substitutes: true,
    needs: [
      { name: 'SRE', of: { users: [], groups: [SRE] }, count: 1 },
      { name: 'Security', of: { users: [], groups: [SECURITY] }, count: 1 },
    ],
  },
  {
    ...route('loan', 'C0LOAN', ['U0CLEO', 'U0DANA'], 1),
    substitutes: true,
    guests: true,
  },
  // Whoever is back by its end had a substitute without effect.
  {
    ...route('relay', 'C0RELAY', ['U0BEN', 'U0CLEO', 'U0DANA'], 1),
    substitutes: true,
    holdMs: 12_000,
  },
];

/** Routes of worlds with holds, in which people also approve their own requests. */
export const HOLD_ROUTES: readonly [RouteOfWorld, ...RouteOfWorld[]] = [
  // Longer than an authorization is valid.
  {
    ...route('paused', 'C0PAUSED', ['U0ANA', 'U0BEN', ...CLEO, 'U0DANA'], 1),
    holdMs: 20_000,
    remindMs: 45_000,
  },
  {
    ...route('careful', 'C0CAREFUL', ['U0ANA', 'U0BEN', ...CLEO, 'U0DANA'], 2),
    holdMs: 8_000,
    remindMs: 45_000,
  },
  {
    ...route('night', 'C0NIGHT', ['U0ANA', 'U0BEN', ...CLEO, 'U0DANA'], 1),
    isLoud: true,
    remindMs: 45_000,
  },
  {
    ...route('alarm', 'C0ALARM', ['U0ANA', 'U0BEN', ...CLEO, 'U0DANA'], 2),
    isLoud: true,
    holdMs: 6_000,
  },
  // When she asked, there is nobody else to tell.
  { ...route('alone', 'C0ALONE', ['U0CLEO'], 1), isLoud: true },
  {
    ...route('ladder', 'C0LADDER', ['U0BEN', 'U0CLEO'], 1),
    holdMs: 20_000,
    escalate: [{ afterMs: 20_000, users: ['U0DANA'] }],
  },
];

/** Somebody who does not review some routes for a while: the rules of a running process change. */
export const CHANGING = {
  person: 'U0BEN',
  routes: ['deploys', 'both', 'paused', 'careful'],
} as const;

const ALL_ROUTES = [...ROUTES, ...ABSENCE_ROUTES, ...HOLD_ROUTES];

export function routeNamed(name: string): RouteOfWorld | undefined {
  return ALL_ROUTES.find((each) => each.name === name);
}

/** Channels of the requests of all worlds. */
export const REQUEST_CHANNELS = [...new Set(ALL_ROUTES.map(({ channel }) => channel))];

/** People who are away now and then, and substitute for others. */
export const ABSENTEES: readonly [string, ...string[]] = ['U0ANA', 'U0BEN', 'U0CLEO', 'U0DANA'];

/** Creates test cases; always has the right to. */
export const CASES_BY = 'U0ANA';

/** Moves work items and manages accounts; decides nothing, and always has the right to both. */
export const DESK = 'U0DEL';

export const ADMINISTRATORS: readonly string[] = ['U0DANA', DESK];

export const OUTCOMES = 'C0OUTCOMES';

/** The secret of the automations without callbacks. */
export const WATCHER_SECRET = 'secret-of-the-watchers';

/** The secret that signs callbacks to the others. */
export const CALLBACK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function route(
  name: string,
  channel: string,
  reviewers: readonly string[],
  quorum: number,
): RouteOfWorld {
  return { name, channel, reviewers, quorum, reason: NO_REASON };
}

/**
 * @param byExternalId People are named to the service by their external ids.
 * @param isChanged See `CHANGING`.
 */
export function yamlOf({
  byExternalId,
  routes,
  isChanged,
}: {
  readonly byExternalId: boolean;
  readonly routes: readonly RouteOfWorld[];
  readonly isChanged: boolean;
}): string {
  const names = routes.map(({ name }) => name).join(', ');
  return `routes:
${routes.map((each) => routeText(isChanged ? withoutChanging(each) : each)).join('\n')}
${SOURCES.replaceAll('ROUTES', names)}${YAML}identity:
  userId: ${byExternalId ? 'externalId' : 'id'}
  logins: { github: { octocat: U0CLEO }, 127.0.0.1: { octocat: U0CLEO } }
  overrides: { ${SECOND}: ${byExternalId ? CLEO_EXTERNAL : CLEO_ACCOUNT} }
`;
}

function withoutChanging(route: RouteOfWorld): RouteOfWorld {
  const { person, routes } = CHANGING;
  if (!routes.some((each) => each === route.name)) return route;
  return { ...route, reviewers: route.reviewers.filter((each) => each !== person) };
}

const SOURCES = `sources:
  - id: pipeline
    secret: PIPELINE_SECRET
    routes: [ROUTES]
    kinds: [approval, gate, task]
    callback: { url: "http://127.0.0.1${HOOKS}", secret: CALLBACK_SECRET }
  - id: watcher
    secret: WATCHER_SECRET
    routes: [ROUTES]
    kinds: [approval, gate]
  - id: prover
    auth: oidc
    oidc:
      preset: github
      issuer: ${ISSUER}
      audience: ${AUDIENCE}
      claims: { repository_id: ${REPOSITORY_ID} }
    routes: [ROUTES]
    kinds: [approval, gate]
`;

const YAML = `
teams: [${otherTeamId}]
administrators: { users: [${ADMINISTRATORS.join(', ')}] }
cases: { who: { users: [${CASES_BY}] }, announce: false }
move: { source: http, who: { users: [${DESK}] }, announce: false }
dialect: { task: { path: /sandbox/v1/tasks } }
catalogue:
  testProjects: [{ id: tp-checkout, name: Checkout, space: eng }]
  projects:
    - id: 9c0e5a00-0000-4000-8000-000000000001
      name: Operations
      space: ops
      statuses: [{ id: ops-open, name: Open }, { id: ops-done, name: Done }]
    - id: 9c0e5a00-0000-4000-8000-000000000002
      name: Platform
      space: eng
      statuses: [{ id: plat-backlog, name: Backlog }, { id: plat-done, name: Done }]
`;

function routeText(route: RouteOfWorld): string {
  const { name, channel, reviewers, group, quorum, reason, isOpen, isLenient = false } = route;
  const { isSelf = false, escalate = [], substitutes = false, remindMs, holdMs = 0 } = route;
  const self = route.isLoud ? 'loud' : isLenient || isSelf;
  const need = (route.needs ?? []).map(needText);
  const named = group === undefined ? `users: [${reviewers.join(', ')}]` : `groups: [${group}]`;
  const who = isOpen ? 'channel: true' : named;
  return `  ${name}:
    channel: ${channel}
    outcomes: { thread: true, channel: ${OUTCOMES}, requester: false }
    reviewers: { ${who} }
    quorum: ${quorum}
    need: [${need.join(', ')}]
    reason: { approve: ${reason.approve}, reject: ${reason.reject} }
    several: true
    selfApproval: ${self}
    hold: ${holdMs / 1_000}s
    escalate: [${escalate.map(stepText).join(', ')}]
    substitutes: ${substitutes}
    guests: ${route.guests ?? false}
    remind: { ${remindMs === undefined ? '' : `after: ${remindMs / 1_000}s, times: 2`} }
    identity: ${isLenient ? 'omit' : 'require'}`;
}

function stepText({ afterMs, users }: NonNullable<RouteOfWorld['escalate']>[number]): string {
  return `{ after: ${afterMs / 1_000}s, to: { users: [${users}] } }`;
}

function needText({ name, of: { users, groups }, count }: NeedSeen): string {
  return `{ name: ${name}, of: { users: [${users}], groups: [${groups}] }, count: ${count} }`;
}

/** The configuration of a world's bot. */
export function configOf(
  sandbox: {
    readonly slackApiUrl: string;
    readonly serviceUrl: string;
    readonly credentials: Credentials;
  },
  key: Buffer,
  yaml: string,
): Config {
  const { credentials } = sandbox;
  const env = {
    SLACK_BOT_TOKEN: credentials.botToken,
    SLACK_SIGNING_SECRET: credentials.signingSecret,
    SLACK_API_URL: sandbox.slackApiUrl,
    SERVICE_URL: sandbox.serviceUrl,
    SERVICE_API_KEY: credentials.apiKey,
    SCIM_TOKEN: credentials.scimToken,
    GATEPOST_KEYS: `world:${key.toString('base64')}`,
    CALLBACK_SECRET,
    WATCHER_SECRET,
    PIPELINE_SECRET: credentials.intakeSecret,
    GATEPOST_CONFIG: 'gatepost.yaml',
    LOG_LEVEL: 'silent',
  };
  const read = readConfig(env, { command: 'start', readFile: () => yaml });
  if (!read.ok)
    throw new Error(`The world is configured wrongly: ${JSON.stringify(read.problems)}`);
  return read.config;
}
