import { randomBytes } from 'node:crypto';
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
  connectBot(bot: { eventsUrl: string; intakeUrl: string }): void;
}

/** Starts the real bot in an imitated world, on a free port of this machine, with its records in `folder`. */
export async function startDemo(world: DemoWorld, folder: string, logger: Logger): Promise<App> {
  const { credentials } = world;
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
      HOST: '127.0.0.1',
      PORT: '0',
    },
    { command: 'start' },
  );
  if (!read.ok) throw new Error('the demo has a configuration of its own that is not right');
  const app = await startApp({ config: read.config, logger });
  world.connectBot({
    eventsUrl: `${app.url}/slack/events`,
    intakeUrl: `${app.url}/v1/approvals`,
  });
  return app;
}
