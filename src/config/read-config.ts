import { readFileSync } from 'node:fs';
import type { Config, LogLevel } from './config.ts';
import { type Command, type ConfigProblem, Environment, Unfit } from './environment.ts';
import { readAddress } from './read-address.ts';
import { readEntries } from './read-entries.ts';
import { readKeys } from './read-keys.ts';
import { readSecret } from './read-secrets.ts';
import { readStore } from './read-store.ts';

export type ReadConfig =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

export interface ReadConfigOptions {
  readonly command: Command;
  /** The text of a file; throws when it cannot be read. */
  readonly readFile?: (path: string) => string;
}

/**
 * Reads everything once: the environment, and the file that GATEPOST_CONFIG names. All problems come
 * together, each with the variable's name or its place in the file, and never with a value. Commands
 * other than `start` do without keys and intake secrets.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  { command, readFile = readText }: ReadConfigOptions,
): ReadConfig {
  const from = new Environment(env, command);
  const { settings, warnings } = readEntries(from, readFile);
  const config: Config = {
    ...settings,
    slack: readSlack(from),
    service: readService(from),
    store: readStore(from),
    keys: from.read('GATEPOST_KEYS', readKeys, []),
    http: { host: from.value('HOST') ?? '0.0.0.0', port: from.read('PORT', readPort, 3000) },
    logLevel: from.read('LOG_LEVEL', readLogLevel, 'info' as const),
  };
  if (from.problems.length > 0) return { ok: false, problems: from.problems };
  return { ok: true, config, warnings };
}

function readSlack(from: Environment): Config['slack'] {
  return {
    botToken: from.read('SLACK_BOT_TOKEN', readSecret, ''),
    mode: from.read('SLACK_MODE', readMode, 'http' as const),
    signingSecret: from.read('SLACK_SIGNING_SECRET', (value) => value, ''),
    appToken: from.read('SLACK_APP_TOKEN', readAppToken, ''),
    apiUrl: from.read('SLACK_API_URL', (value) => `${readAddress(value)}/`, null),
  };
}

/** How the service is reached. */
export function readService(from: Environment): Config['service'] {
  return {
    baseUrl: from.read('SERVICE_URL', readAddress, ''),
    apiKey: from.read('SERVICE_API_KEY', readSecret, null),
    scimToken: from.read('SCIM_TOKEN', readSecret, null),
  };
}

function readPort(value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new Unfit('must be a whole number from 0 to 65535');
}

const LOG_LEVELS: readonly LogLevel[] = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
  'silent',
];

function readLogLevel(value: string): LogLevel {
  const level = LOG_LEVELS.find((it) => it === value);
  if (level === undefined) throw new Unfit(`must be one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

function readMode(value: string): Config['slack']['mode'] {
  if (value === 'http' || value === 'socket') return value;
  throw new Unfit('must be http or socket');
}

/** The other tokens of an app look alike. */
function readAppToken(value: string): string {
  if (!value.startsWith('xapp-')) throw new Unfit('must be an app-level token, which begins xapp-');
  return readSecret(value);
}

/** The text of a file. */
export function readText(path: string): string {
  return readFileSync(path, 'utf8');
}
