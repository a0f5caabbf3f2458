import * as z from 'zod';
import type { LogLevel } from './config.ts';
import { type Env, fileVariable, lookUp, type ReadFile, secretIn } from './environment.ts';
import { lowerCased } from './proxies.ts';
import {
  address,
  administrators,
  appToken,
  channelId,
  encryptionKeys,
  intakeSecrets,
  isQuoted,
  noProxyList,
  oneOf,
  port,
  proxyAddress,
  QUOTED,
  redisAddress,
  redisConfirm,
  reviewers,
  secret,
  text,
} from './values.ts';

export type Command = 'start' | 'doctor' | 'people';

interface Row {
  readonly name: string;
  /** Markdown, one line. */
  readonly meaning: string;
  /** `start`, `people`: by that command. `http`, `socket`: in that mode, see `slackMode`. Absent: not. */
  readonly required?: 'always' | 'start' | 'people' | 'http' | 'socket';
  /** Not required if gatepost.yaml provides it. */
  readonly orFile?: true;
  /** The value can also be in a file that `…_FILE` names. */
  readonly isSecret?: true;
  /** The lower-case name takes precedence, even if empty. */
  readonly orLowerCase?: true;
  /** The default, for docs/configuration.md. */
  readonly default?: string;
  /** Parses the value without surrounding white space. */
  readonly value: z.ZodType<unknown, string>;
}

const LOG_LEVELS = [
  'trace',
  'debug',
  'info',
  'warn',
  'error',
  'fatal',
  'silent',
] as const satisfies readonly LogLevel[];

const ROWS = [
  {
    name: 'SLACK_BOT_TOKEN',
    meaning: 'The bot token, `xoxb-…` (OAuth & Permissions)',
    required: 'always',
    isSecret: true,
    value: secret,
  },
  {
    name: 'SLACK_SIGNING_SECRET',
    meaning: 'The signing secret (Basic Information)',
    required: 'http',
    isSecret: true,
    value: z.string(),
  },
  {
    name: 'SLACK_MODE',
    meaning: "How Slack's requests arrive: [`http` or `socket`](setup.md#http-or-socket-mode)",
    default: '`socket` with `SLACK_APP_TOKEN` alone, otherwise `http`',
    value: oneOf('http', 'socket'),
  },
  {
    name: 'SLACK_APP_TOKEN',
    meaning: 'The app-level token, `xapp-…`, with `connections:write`',
    required: 'socket',
    isSecret: true,
    value: appToken,
  },
  {
    name: 'SERVICE_URL',
    meaning: "The service's base address, without `/api/…`",
    required: 'people',
    default: 'otherwise only own gates',
    value: address,
  },
  {
    name: 'GATEPOST_KEYS',
    meaning:
      'Encryption keys as `id:base64(32 bytes)`, comma-separated; the first encrypts, all decrypt',
    required: 'start',
    isSecret: true,
    value: encryptionKeys,
  },
  {
    name: 'GATEPOST_INTAKE_SECRET',
    meaning: 'The Bearer token that automations send; two, comma-separated, during rotation',
    required: 'start',
    isSecret: true,
    orFile: true,
    value: intakeSecrets('bearer'),
  },
  {
    name: 'GATEPOST_SOURCE_NAME',
    meaning: 'Who asks, in messages, where a request names nobody',
    value: text,
  },
  {
    name: 'GATEPOST_CHANNEL',
    meaning: 'Id of the channel for approvals',
    required: 'always',
    orFile: true,
    value: channelId,
  },
  {
    name: 'GATEPOST_REVIEWERS',
    meaning: 'Who can decide: ids of people and user groups, comma-separated, or `channel`',
    default: 'nobody',
    value: reviewers,
  },
  {
    name: 'GATEPOST_ADMINISTRATORS',
    meaning: 'Who gets alerts and manages accounts: ids of people and user groups, comma-separated',
    default: 'nobody: alerts are only logged',
    value: administrators,
  },
  {
    name: 'GATEPOST_OUTCOME_CHANNEL',
    meaning: 'Id of another channel where outcomes are announced',
    value: channelId,
  },
  {
    name: 'SERVICE_API_KEY',
    meaning: "The service's API key, for work items and test cases",
    isSecret: true,
    value: secret,
  },
  {
    name: 'SCIM_TOKEN',
    meaning:
      "Token for the service's accounts; without it no account is checked and no user id is sent",
    required: 'people',
    isSecret: true,
    value: secret,
  },
  {
    name: 'REDIS_URL',
    meaning:
      '[Redis](operations.md#redis), standalone, with Sentinel or as a Cluster, instead of `DATA_DIR`',
    isSecret: true,
    value: redisAddress,
  },
  {
    name: 'REDIS_CONFIRM',
    meaning:
      'How durably a click is stored before it is acknowledged: `aof`, `replicas=1` or `off`',
    default: '`aof` if Redis supports it, otherwise `off`',
    value: redisConfirm,
  },
  {
    name: 'REDIS_STRICT',
    meaning: '`1`: do not start without Redis, or on one that can lose records',
    default: '`0`: it warns',
    value: oneOf('1', '0'),
  },
  {
    name: 'DATA_DIR',
    meaning: 'Folder of the embedded store',
    default: '`./data`',
    value: z.string(),
  },
  { name: 'HOST', meaning: 'Address to listen on', default: '`0.0.0.0`', value: z.string() },
  {
    name: 'PORT',
    meaning: 'Port to listen on; 0 picks a free one',
    default: '`3000`',
    value: port,
  },
  {
    name: 'LOG_LEVEL',
    meaning: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
    default: '`info`',
    value: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`),
  },
  {
    name: 'LOG_FORMAT',
    meaning: '`json`, one object a line, or `pretty` for reading along',
    default: '`json`',
    value: oneOf('json', 'pretty'),
  },
  {
    name: 'AUDIT_LOG',
    meaning:
      '[Where the audit log is also written](operations.md#out-of-the-house): `stdout`, or a file',
    value: z.string(),
  },
  {
    name: 'SLACK_API_URL',
    meaning: "Address of Slack's Web API",
    default: "Slack's own",
    value: address,
  },
  {
    name: 'HTTPS_PROXY',
    meaning: '[Proxy](operations.md#network) to https addresses, `http://user:password@host:port`',
    orLowerCase: true,
    default: 'that of `HTTP_PROXY`',
    value: proxyAddress,
  },
  {
    name: 'HTTP_PROXY',
    meaning: 'Proxy to http addresses, loopback included',
    orLowerCase: true,
    value: proxyAddress,
  },
  {
    name: 'NO_PROXY',
    meaning:
      'Hosts reached directly: `example.com` with its subdomains, `host:port`, `10.0.0.0/8`, or `*`',
    orLowerCase: true,
    value: noProxyList,
  },
  {
    name: 'GATEPOST_CONFIG',
    meaning: 'Path to `gatepost.yaml`',
    value: z.string(),
  },
] as const satisfies readonly Row[];

export type VariableName = (typeof ROWS)[number]['name'];

interface Variable extends Row {
  readonly name: VariableName;
}

/** All environment variables, in the order in which people set them. docs/configuration.md shows this table. */
export const VARIABLES: readonly Variable[] = ROWS;

/** The values; undefined: missing or invalid. */
export type Values = {
  readonly [Each in (typeof ROWS)[number] as Each['name']]: z.output<Each['value']> | undefined;
};

export interface VariableProblem {
  readonly name: VariableName | Lowercase<VariableName> | `${VariableName}_FILE`;
  /** A sentence without the value. */
  readonly message: string;
}

/** The variables whose value can also be in a file. */
export const SECRETS: readonly VariableName[] = VARIABLES.flatMap(({ name, isSecret }) =>
  isSecret ? [name] : [],
);

/**
 * The environment with the secrets that files hold, and without the variables that name these files. A secret whose
 * file has a problem counts as set.
 */
export function withSecretFiles(
  env: Env,
  names: readonly VariableName[] = SECRETS,
  readFile?: ReadFile,
): { readonly env: Env; readonly problems: readonly VariableProblem[] } {
  const inFiles = names.filter((name) => lookUp(env, fileVariable(name)) !== undefined);
  if (inFiles.length === 0) return { env, problems: [] };
  const all = { ...env };
  const problems: VariableProblem[] = [];
  for (const name of inFiles) {
    const file = fileVariable(name);
    const { value = UNREAD, problem } = secretIn(env, name, readFile);
    if (problem !== undefined) problems.push({ name: file, message: problem });
    all[name] = value;
    delete all[file];
  }
  return { env: all, problems };
}

const UNREAD = '-';

/** SLACK_MODE; without it, Socket Mode if only that has its secret. */
export function slackMode(env: Env): string {
  const isSocket = lookUp(env, 'SLACK_APP_TOKEN') && !lookUp(env, 'SLACK_SIGNING_SECRET');
  return lookUp(env, 'SLACK_MODE') ?? (isSocket ? 'socket' : 'http');
}

/** The name that counts: for some variables the lower-case one, if set. */
function spelledIn(env: Env, { name, orLowerCase }: Variable): VariableProblem['name'] {
  return orLowerCase ? lowerCased(env, name) : name;
}

/**
 * Reads these variables, or all, and lists what is invalid or missing for a command. `env`: the environment with the
 * secrets that files hold.
 */
export function readVariables(
  given: Env,
  command: Command,
  names: readonly VariableName[] = VARIABLES.map(({ name }) => name),
  readFile?: ReadFile,
): { readonly values: Values; readonly problems: readonly VariableProblem[]; readonly env: Env } {
  const secrets = SECRETS.filter((name) => names.includes(name));
  const { env, problems: ofFiles } = withSecretFiles(given, secrets, readFile);
  const problems = [...ofFiles];
  const rows = VARIABLES.filter(({ name }) => names.includes(name));
  const values = rows.map((row) => {
    const { value } = row;
    if (ofFiles.some((each) => each.name === fileVariable(row.name))) return [row.name, undefined];
    const name = spelledIn(env, row);
    const given = lookUp(env, name);
    if (given === undefined) {
      if (isRequired(row, env, command)) problems.push({ name, message: requirement(row, env) });
      return [row.name, undefined];
    }
    if (isQuoted(given)) {
      problems.push({ name, message: QUOTED });
      return [row.name, undefined];
    }
    const parsed = value.safeParse(given);
    if (!parsed.success) problems.push({ name, message: parsed.error.issues[0]?.message ?? '' });
    return [row.name, parsed.data];
  });
  if (names.includes('REDIS_STRICT') && !isRedisGiven(env)) problems.push(NO_REDIS);
  return { values: Object.fromEntries(values) as Values, problems, env }; // as: each name was parsed by its own row
}

/** REDIS_STRICT means that no record may be lost, which a local folder cannot guarantee. */
function isRedisGiven(env: Env): boolean {
  return lookUp(env, 'REDIS_URL') !== undefined || lookUp(env, 'REDIS_STRICT') !== '1';
}

const NO_REDIS: VariableProblem = { name: 'REDIS_URL', message: 'is required: REDIS_STRICT is 1' };

/** What the file may provide is checked after reading it. */
function isRequired({ required, orFile }: Variable, env: Env, command: Command): boolean {
  if (orFile && lookUp(env, 'GATEPOST_CONFIG') !== undefined) return false;
  return required === 'always' || required === command || required === slackMode(env);
}

function requirement({ name }: Variable, env: Env): string {
  const isOpen = name === 'SLACK_SIGNING_SECRET' && lookUp(env, 'SLACK_MODE') === undefined;
  return isOpen ? 'is required, or SLACK_APP_TOKEN for Socket Mode' : 'is required';
}

const REQUIRED = {
  always: 'required',
  start: 'required by `start`',
  people: 'required by `people`',
  http: 'required over HTTP',
  socket: 'required in Socket Mode',
} as const;

/** The table for docs/configuration.md, as Markdown. */
export function variablesTable(): string {
  const rows = VARIABLES.map((it) => {
    const by = it.required === undefined ? [] : [REQUIRED[it.required]];
    const file = it.orFile ? ['or `gatepost.yaml`'] : [];
    const first = [...by, ...file, ...(it.default === undefined ? [] : [it.default])].join(', ');
    return `| \`${it.name}\` | ${first || 'none'} | ${it.meaning} |`;
  });
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}
