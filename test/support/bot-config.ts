import { randomBytes } from 'node:crypto';
import process from 'node:process';
import type { Credentials } from '../../sandbox/credentials.ts';
import type { BotAddress } from '../../sandbox/sandbox.ts';

export interface WorldAddresses {
  readonly slackApiUrl: string;
  readonly serviceUrl: string;
  readonly credentials: Credentials;
}

/** One key for all bots of a test file: a restarted bot must open what its predecessor sealed. */
const KEYS = `test:${randomBytes(32).toString('base64')}`;

/** How the bots of this run receive from Slack; `vitest.config.ts` says which tests run in which mode. */
export const MODE = process.env.GATEPOST_TEST_MODE === 'socket' ? 'socket' : 'http';

/** The environment of a bot in a sandbox. `more` takes precedence; undefined removes a variable. */
export function botEnvironment(
  world: WorldAddresses,
  more: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const { credentials } = world;
  return {
    SLACK_BOT_TOKEN: credentials.botToken,
    ...(MODE === 'socket'
      ? { SLACK_MODE: MODE, SLACK_APP_TOKEN: credentials.appToken }
      : { SLACK_SIGNING_SECRET: credentials.signingSecret }),
    SLACK_API_URL: world.slackApiUrl,
    SERVICE_URL: world.serviceUrl,
    SERVICE_API_KEY: credentials.apiKey,
    SCIM_TOKEN: credentials.scimToken,
    GATEPOST_KEYS: KEYS,
    GATEPOST_INTAKE_SECRET: credentials.intakeSecret,
    GATEPOST_CHANNEL: 'C0DEPLOYS',
    GATEPOST_OUTCOME_CHANNEL: 'C0OUTCOMES',
    GATEPOST_REVIEWERS: 'U0ANA,U0BEN',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'debug',
    ...more,
  };
}

/** Where a sandbox finds a bot that listens at this URL. */
export function botAddress(url: string): BotAddress {
  return {
    eventsUrl: MODE === 'socket' ? null : `${url}/slack/events`,
    intakeUrl: `${url}/v1/approvals`,
  };
}
