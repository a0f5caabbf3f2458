import type { Credentials } from '../../sandbox/credentials.ts';
import type { Config } from '../../src/core/config/config.ts';
import { readConfig } from '../../src/core/config/read-config.ts';
import { HOOKS } from './receiver.ts';

/** Where an approval of a simulated world goes, and who can decide it. */
export interface RouteOfWorld {
  readonly name: string;
  readonly channel: string;
  readonly reviewers: readonly string[];
  /** Who can decide is who is in this group; `reviewers` have been in it at some time. */
  readonly group?: string;
  readonly quorum: number;
  /** Whoever rejects has to say why. */
  readonly wantsReason?: true;
}

export const GROUP = 'S0REL';

/** Una has no account in the service, Ivo's is deactivated, Gus is a guest. */
export const ROUTES: readonly [RouteOfWorld, ...RouteOfWorld[]] = [
  route('deploys', 'C0DEPLOYS', ['U0ANA', 'U0BEN', 'U0CLEO', 'U0UNA', 'U0GUS'], 1),
  { ...route('infra', 'C0INFRA', ['U0ANA', 'U0CLEO', 'U0DANA', 'U0IVO'], 1), wantsReason: true },
  route('both', 'C0BOTH', ['U0ANA', 'U0BEN', 'U0CLEO', 'U0DANA'], 2),
  { ...route('managers', 'C0MANAGERS', ['U0ANA', 'U0BEN', 'U0CLEO', 'U0DANA'], 1), group: GROUP },
];

/** Who creates test cases; always has the right to. */
export const CASES_BY = 'U0ANA';

/** Who moves work items and looks after accounts; decides nothing, and always has the right to both. */
export const DESK = 'U0DEL';

export const OUTCOMES = 'C0OUTCOMES';

/** Of the automations that ask, and are not called back. */
export const WATCHER_SECRET = 'secret-of-the-watchers';

/** What callbacks to the others are signed with. */
export const CALLBACK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function route(
  name: string,
  channel: string,
  reviewers: readonly string[],
  quorum: number,
): RouteOfWorld {
  return { name, channel, reviewers, quorum };
}

const YAML = `
routes:
${ROUTES.map(routeText).join('\n')}
sources:
  - id: pipeline
    secret: PIPELINE_SECRET
    routes: [${ROUTES.map(({ name }) => name).join(', ')}]
    kinds: [approval, gate, task]
    callback: { url: "http://127.0.0.1${HOOKS}", secret: CALLBACK_SECRET }
  - id: watcher
    secret: WATCHER_SECRET
    routes: [${ROUTES.map(({ name }) => name).join(', ')}]
    kinds: [approval, gate]
administrators: { users: [U0DANA, ${DESK}] }
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

function routeText({ name, channel, reviewers, group, quorum, wantsReason }: RouteOfWorld): string {
  const who = group === undefined ? `users: [${reviewers.join(', ')}]` : `groups: [${group}]`;
  return `  ${name}:
    channel: ${channel}
    outcomes: { thread: true, channel: ${OUTCOMES}, requester: false }
    reviewers: { ${who} }
    quorum: ${quorum}
    reason: { approve: none, reject: ${wantsReason ? 'required' : 'none'} }
    identity: require`;
}

/** What the bot of a world is configured with: the world's own `gatepost.yaml`, or another. */
export function configOf(
  sandbox: {
    readonly slackApiUrl: string;
    readonly serviceUrl: string;
    readonly credentials: Credentials;
  },
  key: Buffer,
  yaml = YAML,
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
