import type { Proxies } from '../lib/proxies.ts';
import type { FileSettings, RouteSection } from './file.ts';
import type { TokenRules } from './token-rules.ts';
import type { EncryptionKey, NamedPeople, RedisConfirm } from './values.ts';

export type { IdentityRule } from './file.ts';
export type { Place } from './places.ts';
export type { TokenRules } from './token-rules.ts';
export type { EncryptionKey, NamedPeople, RedisConfirm, Reviewers } from './values.ts';

/** Where the store is, and the keys that sign its audit log. */
export type StoreConfig = Pick<Config, 'store' | 'keys'>;

/** Settings that only gatepost.yaml has, as parsed by `fileShape`. */
type FromFile = Pick<
  FileSettings,
  'teams' | 'dialect' | 'move' | 'cases' | 'accounts' | 'links' | 'retention'
>;

/** Settings that only the environment has. */
export interface EnvironmentSettings {
  readonly slack: {
    readonly botToken: string;
    /** How Slack's requests arrive: at our address, or over connections we open. */
    readonly mode: 'http' | 'socket';
    /** May be empty in Socket Mode. */
    readonly signingSecret: string;
    /** May be empty over HTTP. */
    readonly appToken: string;
    /** null: Slack's own. Always ends with a slash. */
    readonly apiUrl: string | null;
  };
  /** null: own gates only. */
  readonly service: {
    /** Without a trailing slash; may contain a path. */
    readonly baseUrl: string;
    readonly apiKey: string | null;
    readonly scimToken: string | null;
  } | null;
  readonly store:
    | {
        readonly kind: 'redis';
        /** For `parseRedisAddress`. */
        readonly url: string;
        readonly confirm: RedisConfirm;
        /** Refuse to start on a Redis that can lose records. */
        readonly strict: boolean;
      }
    | { readonly kind: 'embedded'; readonly folder: string };
  /** The first one encrypts, all decrypt. */
  readonly keys: readonly EncryptionKey[];
  /** For the outgoing requests of every command. */
  readonly proxies: Proxies;
  readonly http: { readonly host: string; readonly port: number };
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** Where the audit log is written to. null: nowhere. */
  readonly auditLog: 'stdout' | { readonly file: string } | null;
}

/** The complete configuration, read once and checked; see `read-config.ts`. */
export interface Config extends FromFile, EnvironmentSettings {
  readonly sources: readonly Source[];
  readonly routes: readonly Route[];
  /** Service user ids by Slack user id. */
  readonly identityOverrides: Readonly<Record<string, string>>;
  /** Which of an account's ids is sent to the service as `userId` (Interface 4.4). */
  readonly identityUserId: FileSettings['identity']['userId'];
  /** Which Slack addresses are used to find people. */
  readonly identityEmails: EmailRule;
  /** Whose a login in another system is. Reloaded with the routes. */
  readonly identityLogins: FileSettings['identity']['logins'];
  /** Robots and schedules that count as known requesters, by `loginKey`. Reloaded with the routes. */
  readonly identityRobots: readonly string[];
  /** Administrators to alert, by Slack ids. */
  readonly administrators: NamedPeople;
  /** Names for ids: from gatepost.yaml, and of a running Gatepost also as automations reported. */
  readonly catalogue: {
    readonly projects: readonly CatalogueProject[];
    readonly testProjects: readonly CatalogueTestProject[];
  };
  readonly budgetPerMinute: number;
  readonly watchMaxAgeMs: number;
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** `json`: one JSON object per line; `pretty`: for people. */
type LogFormat = 'json' | 'pretty';

/** A sender of requests to the intake. */
export interface Source {
  readonly id: string;
  /** Its display name; absent: its id. */
  readonly name?: string;
  /** How it authenticates. */
  readonly auth: SourceAuth;
  /** One, or two during rotation; `whsec_…` for Standard Webhooks. None for `oidc`. */
  readonly secrets: readonly string[];
  /** Names of its routes; the first is the default. */
  readonly routes: readonly string[];
  /** Channels that its requests may name. */
  readonly channels: readonly string[];
  /** approval: a token of the service. gate: an own gate. task: a work item. catalogue: names of projects. */
  readonly kinds: FileSettings['sources'][number]['kinds'];
  /** With kind `catalogue`: ids of the projects and test projects it may describe. */
  readonly projects?: readonly string[];
  /** false: agents cannot ask with it (`/mcp`). */
  readonly agents?: boolean;
  /** Where it is told what happens to its requests; absent: it has to ask. */
  readonly callback?: SourceCallback;
}

interface SourceCallback {
  /** https, or http on loopback. */
  readonly url: string;
  /** `whsec_…`; during rotation two, which both sign. */
  readonly secrets: readonly string[];
}

export type SourceAuth =
  | { readonly kind: 'bearer' }
  /** The secret is this header's value. */
  | { readonly kind: 'header'; readonly name: string }
  /** Every request is signed with the secret. */
  | { readonly kind: 'standard-webhooks' }
  /** The secret is a part of the path, for callers that can send no header; for gates (`/v1/gates`) alone. */
  | { readonly kind: 'path' }
  /** Requests bring an identity token of this issuer. */
  | ({ readonly kind: 'oidc' } & TokenRules);

/** Where an approval is posted, and who can decide it. */
export type Route = RouteSection & { readonly name: string };

/** `any`: includes unverified addresses of full members of our own workspace or organisation. */
export type EmailRule = FileSettings['identity']['emails'];

/** Whether a reviewer is asked for a reason. */
export type ReasonRule = Route['reason']['approve'];

/** Who can move items between some projects. */
export type MoveRule = FileSettings['move']['rules'][number];

/** A project that work items can be moved to, with display names. */
export type CatalogueProject = FileSettings['catalogue']['projects'][number] & Reported;

/** A test project for new test cases, with display names. */
export type CatalogueTestProject = FileSettings['catalogue']['testProjects'][number] & Reported;

/** Absent: gatepost.yaml has it. */
interface Reported {
  readonly reported?: {
    readonly source: string;
    /** Milliseconds on the store's clock. */
    readonly at: number;
  };
}

/** An object of the service, with its display name. */
export type Named = CatalogueProject['statuses'][number];
