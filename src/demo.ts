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
  connectBot(bot: {
    eventsUrl: string;
    intakeUrl: string;
    routes: readonly { readonly id: string; readonly title: string }[];
    beginAnew: (emptyWorld: () => void) => Promise<void>;
  }): void;
}

/** What the automation of the demo may name, besides its route `default`. */
const CONFIG = `
sources:
  - id: default
    secret: GATEPOST_INTAKE_SECRET
    routes: [default, production]
routes:
  production:
    channel: C0DEPLOYS
    outcomes: { channel: C0OUTCOMES }
    reviewers: { users: [U0ANA, U0BEN, U0UNA, U0IVO] }
    quorum: 2
    reason: { approve: optional, reject: required }
    remind: { after: 2m, times: 3 }
administrators: { users: [U0DANA] }
`;
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
  await writeFile(configPath, CONFIG);
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
      GATEPOST_CHANNEL: 'C0DEPLOYS',
      GATEPOST_OUTCOME_CHANNEL: 'C0OUTCOMES',
      GATEPOST_REVIEWERS: 'U0ANA,U0BEN,U0UNA,U0IVO',
      GATEPOST_CONFIG: configPath,
      HOST: '127.0.0.1',
      PORT: '0',
    },
    { command: 'start' },
  );
  if (!read.ok) throw new Error('the demo has a configuration of its own that is not right');
  return startApp({ config: read.config, logger });
}
