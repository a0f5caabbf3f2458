import { type Logger as BoltLogger, LogLevel } from '@slack/bolt';
import type { Logger } from 'pino';

/** Tokens, and the secret part of a response URL or an incoming webhook. */
const SECRET = /xox[a-z]-[\w-]+|xapp-[\w-]+|https?:\/\/hooks\.[^\s"')]+/g;

/** Of the Web API's client. */
const REQUEST_FAILED = 'http request failed';

/**
 * Logs the warnings of Slack's libraries, without secrets. Their other lines are dropped: debug lines contain whole
 * messages, and errors, which may echo what was sent, are thrown as well, like the failure of a request.
 */
export function slackLogger(logger: Pick<Logger, 'warn'>): BoltLogger {
  return {
    debug() {},
    info() {},
    warn(...parts) {
      if (parts[0] === REQUEST_FAILED) return;
      const said = parts.filter((part) => typeof part === 'string').join(' ');
      logger.warn({ said: hideSecrets(said).slice(0, 500) }, 'The Slack library warns');
    },
    error() {},
    setLevel() {},
    getLevel: () => LogLevel.WARN,
    setName() {},
  };
}

/** The text without Slack tokens and response URLs. */
function hideSecrets(text: string): string {
  return text.replace(SECRET, '[secret]');
}

/** The loggable part of an error: other members may contain requests and answers. */
export function describeError(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    name: error.name,
    ...(code !== undefined && { code }),
    message: hideSecrets(error.message),
    stack: hideSecrets(error.stack ?? ''),
    ...(error.cause instanceof Error && { cause: hideSecrets(error.cause.message) }),
  };
}
