import { LogLevel, WebClient } from '@slack/web-api';
import type { SlackSandbox } from '../slack-sandbox.ts';

/** The real client, without retries and without console output. */
export function slackClient(sandbox: SlackSandbox, token?: string): WebClient {
  return new WebClient(token ?? sandbox.credentials.botToken, {
    slackApiUrl: sandbox.slackApiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: silentLogger,
  });
}

/** A logger for Slack's libraries that drops everything. */
export const silentLogger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
};
