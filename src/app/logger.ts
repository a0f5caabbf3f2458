import { type DestinationStream, type Logger, pino } from 'pino';
import { shortIdOf } from '../core/lib/short-id.ts';
import { describeError } from '../core/slack/slack-logger.ts';

/** Members that contain secrets, at any depth: never logged on purpose. */
const SECRETS = [
  'token',
  'authorization',
  'secret',
  'password',
  'responseUrl',
  'response_url',
] as const;

/** Ids and words of the code: flat, and without a member that could contain a secret. */
export type OwnFacts = Readonly<Record<string, string | number | boolean | null | undefined>> & {
  readonly [Name in (typeof SECRETS)[number]]?: undefined;
};

/** The same log, for lines of the code's own words. Their type keeps secrets out, so they skip redaction. */
export function ownLogger(logger: Logger): { info(facts: OwnFacts, message: string): void } {
  return logger.child({}, { redact: [] });
}

/** Lines for people, in colour on a terminal. Loads its library only here. */
export async function prettyOutput(
  destination: NodeJS.WritableStream & { readonly isTTY?: boolean },
): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    destination,
    colorize: destination.isTTY === true,
    sync: true,
    singleLine: true,
  });
}

/** Adds the short id from *Details…*, so that it finds every line about its record. */
function withShortId(facts: Record<string, unknown>): Record<string, unknown> {
  const { record } = facts;
  return typeof record === 'string' ? { ...facts, short: shortIdOf(record) } : facts;
}

/** JSON lines: a constant message and facts; of errors only the message and stack. */
export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      serializers: { err: describeError },
      formatters: { log: withShortId },
      redact: SECRETS.flatMap((name) => [name, `*.${name}`]),
    },
    destination,
  );
}
