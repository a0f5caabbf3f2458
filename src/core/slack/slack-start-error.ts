import type { RemoteFailure } from '../lib/failure.ts';

/** Slack rejects a token, or does not answer. `code` is Slack's or the connection's; `variable` holds the token. */
export class SlackStartError extends Error {
  override readonly name = 'SlackStartError';
  readonly code: string;
  readonly variable: 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN';
  /** Slack itself refused; otherwise it did not answer, or something else did. */
  readonly isRefused: boolean;

  constructor(
    failure: RemoteFailure,
    variable: 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN' = 'SLACK_BOT_TOKEN',
  ) {
    const isRefused = failure.class === 'refused' && failure.status === 200;
    const said = isRefused
      ? `Slack does not accept ${variable}`
      : 'Slack could not be asked who the bot is';
    super(`${said} (${failure.code})`, { cause: failure });
    this.code = failure.code;
    this.variable = variable;
    this.isRefused = isRefused;
  }
}

/** How to get the right one. */
export const TOKEN_FIXES: Readonly<Record<SlackStartError['variable'], string>> = {
  SLACK_BOT_TOKEN:
    "Copy the Bot User OAuth Token again from the app's settings, under OAuth & Permissions.",
  SLACK_APP_TOKEN:
    "Copy an app-level token with the scope connections:write from the app's settings, under Basic Information.",
};
