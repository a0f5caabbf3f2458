/**
 * The configuration, read once: the environment (`variables.ts`) and `gatepost.yaml` (`config-file.ts`) give one
 * `Config`, or a list of all problems with their lines. Nothing else reads the environment.
 */

import type { Proxies } from '../lib/proxies.ts';
import type { Config, StoreConfig } from './config.ts';
import type { FileProblem } from './config-file.ts';
import { type Env, type ReadFile, readText } from './environment.ts';
import type { RouteRules } from './file.ts';
import { proxiesIn } from './proxies.ts';
import { type PeopleRead, readEntries, readPeople } from './read-entries.ts';
import {
  type Command,
  readVariables,
  slackMode,
  type Values,
  type VariableName,
  type VariableProblem,
} from './variables.ts';

export type ConfigProblem = VariableProblem | FileProblem;

type Read<Success> =
  | ({ readonly ok: true } & Success)
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

export type ReadConfig = Read<{ readonly config: Config; readonly warnings: readonly string[] }>;

export interface ReadConfigOptions {
  readonly command: Command;
  readonly readFile?: ReadFile;
}

/**
 * Reads the environment and the file named by GATEPOST_CONFIG. Returns all problems together, each with its variable's
 * name or place in the file, and never with a value. Only `start` requires keys and intake secrets.
 */
export function readConfigBy(
  rules: RouteRules,
  given: Env,
  { command, readFile = readText }: ReadConfigOptions,
): ReadConfig {
  const { values, problems, env } = readVariables(given, command, undefined, readFile);
  const entries = readEntries({ env, values, command, readFile, rules });
  if (entries.settings === null || problems.length > 0)
    return { ok: false, problems: [...entries.problems, ...problems] };
  const config: Config = {
    ...entries.settings,
    slack: {
      botToken: values.SLACK_BOT_TOKEN ?? '',
      mode: slackMode(env) === 'socket' ? 'socket' : 'http',
      signingSecret: values.SLACK_SIGNING_SECRET ?? '',
      appToken: values.SLACK_APP_TOKEN ?? '',
      apiUrl: values.SLACK_API_URL === undefined ? null : `${values.SLACK_API_URL}/`,
    },
    service: serviceIn(values),
    store: storeIn(values),
    keys: values.GATEPOST_KEYS ?? [],
    proxies: proxiesIn(env, values),
    http: { host: values.HOST ?? '0.0.0.0', port: values.PORT ?? 3000 },
    logLevel: values.LOG_LEVEL ?? 'info',
    logFormat: values.LOG_FORMAT ?? 'json',
    auditLog: auditLogIn(values.AUDIT_LOG),
  };
  return { ok: true, config, warnings: entries.warnings };
}

function auditLogIn(value: string | undefined): Config['auditLog'] {
  if (value === undefined) return null;
  return value === 'stdout' ? value : { file: value };
}

type ReadPeopleConfig = Read<{
  readonly config: StoreConfig & {
    readonly proxies: Proxies;
    readonly service: { readonly baseUrl: string; readonly scimToken: string };
  };
}>;

const STORE_VARIABLES: readonly VariableName[] = [
  'GATEPOST_KEYS',
  'REDIS_URL',
  'REDIS_CONFIRM',
  'REDIS_STRICT',
  'DATA_DIR',
];

const PROXY_VARIABLES: readonly VariableName[] = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'];

const PEOPLE_VARIABLES: readonly VariableName[] = [
  'SERVICE_URL',
  'SERVICE_API_KEY',
  'SCIM_TOKEN',
  ...PROXY_VARIABLES,
  ...STORE_VARIABLES,
];

/** The configuration of commands that only read the store: where it is, and its keys, if set. */
export function readStoreConfig(env: Env): Read<{ readonly config: StoreConfig }> {
  const { values, problems } = readVariables(env, 'doctor', STORE_VARIABLES);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, config: { store: storeIn(values), keys: values.GATEPOST_KEYS ?? [] } };
}

/**
 * The configuration of the command `people`: the service and, if there is a store, its address and signing key. Returns
 * all problems together.
 */
export function readPeopleConfig(env: Env): ReadPeopleConfig {
  const { values, problems } = readVariables(env, 'people', PEOPLE_VARIABLES);
  if (problems.length > 0) return { ok: false, problems };
  const service = { baseUrl: values.SERVICE_URL ?? '', scimToken: values.SCIM_TOKEN ?? '' };
  const keys = values.GATEPOST_KEYS ?? [];
  const proxies = proxiesIn(env, values);
  return { ok: true, config: { service, proxies, store: storeIn(values), keys } };
}

/**
 * The administrators and the accounts set by the configuration, as far as gatepost.yaml can be read here; its problems
 * are reported by `start`.
 */
export function readAdministratorsBy(rules: RouteRules, given: Env): PeopleRead {
  const { values, env } = readVariables(given, 'people');
  return readPeople({ env, values, command: 'people', readFile: readText, rules });
}

/** The text to print before exiting with code 2. Ends with a line break. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  const width = Math.max(...problems.map(({ name }) => name.length));
  const lines = problems.map(({ name, message }) => `  ${name.padEnd(width)}  ${message}\n`);
  const head = problems.length === 1 ? 'One setting needs' : `${problems.length} settings need`;
  return `${head} fixing:\n${lines.join('')}`;
}

function serviceIn({ SERVICE_URL, SERVICE_API_KEY, SCIM_TOKEN }: Values): Config['service'] {
  if (SERVICE_URL === undefined) return null;
  return {
    baseUrl: SERVICE_URL,
    apiKey: SERVICE_API_KEY ?? null,
    scimToken: SCIM_TOKEN ?? null,
  };
}

function storeIn({ REDIS_URL, REDIS_CONFIRM, REDIS_STRICT, DATA_DIR }: Values): Config['store'] {
  if (REDIS_URL === undefined) return { kind: 'embedded', folder: DATA_DIR ?? './data' };
  const strict = REDIS_STRICT === '1';
  return { kind: 'redis', url: REDIS_URL, confirm: REDIS_CONFIRM ?? 'auto', strict };
}
