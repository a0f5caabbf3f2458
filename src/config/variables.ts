export interface Variable {
  readonly name: string;
  /** Markdown, one line. */
  readonly meaning: string;
  /** `start`, `people`: other commands do without it. `http`, `socket`: with that SLACK_MODE only. */
  readonly required: 'always' | 'start' | 'people' | 'http' | 'socket' | 'no';
  /** Not required where gatepost.yaml brings the like. */
  readonly orFile?: true;
  /** What holds without it; null: nothing. */
  readonly default: string | null;
}

/** Every environment variable, in the order in which a person sets them. The README shows this table. */
export const VARIABLES = [
  {
    name: 'SLACK_BOT_TOKEN',
    meaning: "The app's bot token, `xoxb-…` (OAuth & Permissions)",
    required: 'always',
    default: null,
  },
  {
    name: 'SLACK_SIGNING_SECRET',
    meaning: "The app's signing secret (Basic Information)",
    required: 'http',
    default: null,
  },
  {
    name: 'SLACK_MODE',
    meaning: 'How requests of Slack arrive: `http` or `socket`, see [below](#http-or-socket-mode)',
    required: 'no',
    default: 'http',
  },
  {
    name: 'SLACK_APP_TOKEN',
    meaning: 'The app-level token, `xapp-…`, with `connections:write` (Basic Information)',
    required: 'socket',
    default: null,
  },
  {
    name: 'SERVICE_URL',
    meaning: "The service's base address, without `/api/…`; plain http on loopback only",
    required: 'always',
    default: null,
  },
  {
    name: 'GATEPOST_KEYS',
    meaning:
      'Encryption keys as `id:base64(32 bytes)`, comma-separated; the first encrypts, all decrypt',
    required: 'start',
    default: null,
  },
  {
    name: 'GATEPOST_INTAKE_SECRET',
    meaning: 'What automations send as a Bearer token; two, comma-separated, while rotating',
    required: 'start',
    orFile: true,
    default: null,
  },
  {
    name: 'GATEPOST_CHANNEL',
    meaning: 'Id of the channel for approvals',
    required: 'always',
    orFile: true,
    default: null,
  },
  {
    name: 'GATEPOST_REVIEWERS',
    meaning:
      'Who may decide: ids of people and user groups, comma-separated, or `channel` for anyone in it',
    required: 'no',
    default: 'nobody may decide',
  },
  {
    name: 'GATEPOST_OUTCOME_CHANNEL',
    meaning: 'Id of a channel where outcomes are announced besides the thread',
    required: 'no',
    default: null,
  },
  {
    name: 'SERVICE_API_KEY',
    meaning:
      "The service's API key, to move work items and create test cases; to approvals it is sent only where `gatepost.yaml` says so",
    required: 'no',
    default: null,
  },
  {
    name: 'SCIM_TOKEN',
    meaning:
      'Token to look up people in the service; without it no account is checked and no user id is sent',
    required: 'people',
    default: null,
  },
  {
    name: 'REDIS_URL',
    meaning: 'Redis, [alone, with Sentinel or as a Cluster](docs/redis.md); wins over `DATA_DIR`',
    required: 'no',
    default: null,
  },
  {
    name: 'REDIS_CONFIRM',
    meaning: 'What a click has reached when it is acknowledged: `aof`, `replicas=1` or `off`',
    required: 'no',
    default: '`aof` where Redis can, otherwise `off`',
  },
  {
    name: 'REDIS_STRICT',
    meaning: '`1`: do not start on a Redis that can lose records',
    required: 'no',
    default: 'it warns',
  },
  {
    name: 'DATA_DIR',
    meaning: 'Folder of the embedded store',
    required: 'no',
    default: './data',
  },
  {
    name: 'HOST',
    meaning: 'Address to listen at',
    required: 'no',
    default: '0.0.0.0',
  },
  {
    name: 'PORT',
    meaning: 'Port to listen at; 0 takes a free one',
    required: 'no',
    default: '3000',
  },
  {
    name: 'LOG_LEVEL',
    meaning: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`',
    required: 'no',
    default: 'info',
  },
  {
    name: 'SLACK_API_URL',
    meaning: "Another address of Slack's Web API; plain http on loopback only",
    required: 'no',
    default: "Slack's own",
  },
  {
    name: 'GATEPOST_CONFIG',
    meaning:
      'Path of `gatepost.yaml`: further sources, routes and rules, see [its reference](docs/configuration.md)',
    required: 'no',
    default: null,
  },
] as const satisfies readonly Variable[];

export type VariableName = (typeof VARIABLES)[number]['name'];

const REQUIRED = {
  always: 'yes',
  start: 'by `start`',
  people: 'by `people`',
  http: 'over HTTP',
  socket: 'in Socket Mode',
  no: '',
} as const;

/** The table as Markdown, for the README. */
export function variablesTable(): string {
  const rows = VARIABLES.map((it: Variable) => {
    const required = REQUIRED[it.required] + (it.orFile ? ', or `gatepost.yaml`' : '');
    return `| \`${it.name}\` | ${it.meaning} | ${required} | ${it.default ?? ''} |`;
  });
  return ['| variable | meaning | required | default |', '|---|---|---|---|', ...rows].join('\n');
}
