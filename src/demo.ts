import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { startApp } from './app.ts';
import { readConfig } from './config/read-config.ts';
import type { App } from './serve.ts';

/** What the demo needs of the world it plays in. */
export interface DemoWorld {
  readonly slackApiUrl: string;
  readonly serviceUrl: string;
  readonly credentials: {
    readonly botToken: string;
    readonly signingSecret: string;
    readonly apiKey: string;
    readonly scimToken: string;
    readonly intakeSecret: string;
  };
  readonly service: {
    readonly tasks: { projects(): readonly DemoProject[] };
    testProjects(): readonly DemoTestProject[];
  };
  connectBot(bot: {
    eventsUrl: string;
    intakeUrl: string;
    routes: readonly { readonly id: string; readonly title: string }[];
    beginAnew: (emptyWorld: () => void) => Promise<void>;
  }): void;
}

/** A project as the service has it; what the demo's configuration says of it is taken from here. */
export interface DemoProject {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly space: string;
  readonly statuses: readonly object[];
  readonly types: readonly object[];
}

/** A test project as the service has it. */
export interface DemoTestProject {
  readonly id: string;
  readonly name: string;
  readonly space: string;
  readonly suites: readonly object[];
}

/** What an administrator would write for this world, as JSON, which is YAML too. */
function configFor({ service }: DemoWorld): string {
  const reviewers = { users: REVIEWERS };
  return JSON.stringify({
    sources: [
      {
        id: 'default',
        secret: 'GATEPOST_INTAKE_SECRET',
        routes: ['default', 'production'],
        kinds: ['approval', 'task'],
      },
    ],
    routes: {
      default: { channel: CHANNEL, outcomes: { channel: OUTCOMES }, reviewers },
      production: {
        channel: CHANNEL,
        outcomes: { channel: OUTCOMES },
        reviewers,
        quorum: 2,
        reason: { approve: 'optional', reject: 'required' },
        remind: { after: '2m' },
      },
    },
    administrators: { users: ['U0DANA', 'U0ANA'] },
    move: { source: 'http', who: { users: TEAM } },
    cases: { who: { users: TEAM } },
    catalogue: {
      projects: service.tasks.projects().map(known),
      testProjects: service.testProjects().map(knownForTests),
    },
    dialect: { task: { path: '/sandbox/v1/tasks' } },
  });
}

/** Its work items are no part of a configuration. */
function known({ id, name, slug, space, statuses, types }: DemoProject): DemoProject {
  return { id, name, slug, space, statuses, types };
}

/** Nor are its cases. */
function knownForTests({ id, name, space, suites }: DemoTestProject): DemoTestProject {
  return { id, name, space, suites };
}

const CHANNEL = 'C0DEPLOYS';
const OUTCOMES = 'C0OUTCOMES';
/** All of them have an active account in the service. */
const REVIEWERS = ['U0ANA', 'U0BEN'];
const TEAM = [...REVIEWERS, 'U0CLEO'];
/** What the automation of the demo may name. */
const ROUTES = [
  { id: 'default', title: 'default: one approval' },
  { id: 'production', title: 'production: two, with reasons' },
];

/**
 * Starts the real bot in an imitated world, on a free port of this machine, with its records below `folder`.
 * When the world begins anew, so does the bot.
 */
export async function startDemo(
  world: DemoWorld,
  folder: string,
  logger: Logger,
): Promise<Pick<App, 'stop'>> {
  let lives = 0;
  const live = async (): Promise<App> => {
    lives += 1;
    const own = join(folder, String(lives));
    await mkdir(own);
    const app = await startBot(world, own, logger);
    world.connectBot({
      eventsUrl: `${app.url}/slack/events`,
      intakeUrl: `${app.url}/v1/approvals`,
      routes: ROUTES,
      beginAnew,
    });
    return app;
  };
  const beginAnew = async (emptyWorld: () => void): Promise<void> => {
    // Who begins anew meanwhile does so after it.
    present = present.then(async (app) => {
      await app.stop();
      emptyWorld();
      return live();
    });
    await present;
  };
  let present = live();
  await present;
  return { stop: async () => (await present).stop() };
}

async function startBot(world: DemoWorld, folder: string, logger: Logger): Promise<App> {
  const { credentials } = world;
  const configPath = join(folder, 'gatepost.yaml');
  await writeFile(configPath, configFor(world));
  const read = readConfig(
    {
      SLACK_BOT_TOKEN: credentials.botToken,
      SLACK_SIGNING_SECRET: credentials.signingSecret,
      SLACK_API_URL: world.slackApiUrl,
      SERVICE_URL: world.serviceUrl,
      SERVICE_API_KEY: credentials.apiKey,
      SCIM_TOKEN: credentials.scimToken,
      DATA_DIR: folder,
      GATEPOST_KEYS: `demo:${randomBytes(32).toString('base64')}`,
      GATEPOST_INTAKE_SECRET: credentials.intakeSecret,
      GATEPOST_CONFIG: configPath,
      HOST: '127.0.0.1',
      PORT: '0',
    },
    { command: 'start' },
  );
  if (!read.ok) throw new Error('the demo has a configuration of its own that is not right');
  return startApp({ config: read.config, logger });
}
