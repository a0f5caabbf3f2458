import type { Proxies } from '../lib/proxies.ts';
import type { FileSettings, RouteSection } from './file.ts';
import type { EncryptionKey, NamedPeople, RedisConfirm } from './values.ts';

export type { IdentityRule, RouteEscalation } from './file.ts';
export type { Need } from './needs.ts';
export type { EncryptionKey, NamedPeople, RedisConfirm, Reviewers } from './values.ts';

/** Where the store is, and the keys that it is signed with. */
export type StoreConfig = Pick<Config, 'store' | 'keys'>;

/** What gatepost.yaml alone says, as `fileShape` reads it. */
type FromFile = Pick<
  FileSettings,
  'teams' | 'dialect' | 'move' | 'cases' | 'accounts' | 'catalogue' | 'links'
>;

/** The complete configuration, read once and checked; see `read-config.ts`. */
export interface Config extends FromFile {
  readonly slack: {
    readonly botToken: string;
    /** How Slack's requests arrive: to our address, or over connections that we open. */
    readonly mode: 'http' | 'socket';
    /** May be empty in Socket Mode. */
    readonly signingSecret: string;
    /** May be empty over HTTP. */
    readonly appToken: string;
    /** null: Slack's own. Always ends with a slash. */
    readonly apiUrl: string | null;
  };
  /** null: own gates alone. */
  readonly service: {
    /** Without a slash at its end; may hold a path. */
    readonly baseUrl: string;
    readonly apiKey: string | null;
    readonly scimToken: string | null;
  } | null;
  readonly store:
    | {
        readonly kind: 'redis';
        /** As `parseRedisAddress` takes it. */
        readonly url: string;
        readonly confirm: RedisConfirm;
        /** Do not start on a Redis that can lose records. */
        readonly strict: boolean;
      }
    | { readonly kind: 'embedded'; readonly folder: string };
  /** The first encrypts, all decrypt. */
  readonly keys: readonly EncryptionKey[];
  readonly sources: readonly Source[];
  readonly routes: readonly Route[];
  /** Service user ids by Slack user id. */
  readonly identityOverrides: Readonly<Record<string, string>>;
  /** Which of an account's ids goes to the service as `userId` (Interface 4.4). */
  readonly identityUserId: FileSettings['identity']['userId'];
  /** Which addresses in Slack people are found by. */
  readonly identityEmails: EmailRule;
  /** Administrators to alert, by Slack ids. */
  readonly administrators: NamedPeople;
  /** The way out, for every request of every command. */
  readonly proxies: Proxies;
  readonly http: { readonly host: string; readonly port: number };
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly budgetPerMinute: number;
  readonly watchMaxAgeMs: number;
  readonly retention: {
    readonly doneMs: number;
    /** At most `doneMs`. */
    readonly decidedMs: number;
    readonly auditMs: number;
  };
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** `json`: a line of JSON for each message; `pretty`: for people who read along. */
type LogFormat = 'json' | 'pretty';

/** Whoever may send to the intake. */
export interface Source {
  readonly id: string;
  /** What people call it; absent: its id. */
  readonly name?: string;
  /** The one way in which it shows its secret. */
  readonly auth: SourceAuth;
  /** One, or two while rotating; `whsec_…` for Standard Webhooks. */
  readonly secrets: readonly string[];
  /** Names of routes it may use; the first is used when a request names none. */
  readonly routes: readonly string[];
  /** Channels a request may name itself. */
  readonly channels: readonly string[];
  /** approval: a token of the service. gate: an own gate. task: a work item. */
  readonly kinds: FileSettings['sources'][number]['kinds'];
  /** Where it is told what becomes of its requests; absent: it asks. */
  readonly callback?: SourceCallback;
}

interface SourceCallback {
  /** https, or http on loopback. */
  readonly url: string;
  /** `whsec_…`; two while rotating: both sign. */
  readonly secrets: readonly string[];
}

export type SourceAuth =
  | { readonly kind: 'bearer' }
  /** The secret is the value of this header. */
  | { readonly kind: 'header'; readonly name: string }
  /** Every request is signed with the secret. */
  | { readonly kind: 'standard-webhooks' };

/** Where an approval goes and who can decide. */
export type Route = RouteSection & { readonly name: string };

/** `any`: unconfirmed addresses count too, those of full members of our own workspace or organisation. */
export type EmailRule = FileSettings['identity']['emails'];

/** Whether whoever decides is asked for a reason. */
export type ReasonRule = Route['reason']['approve'];

/** Who may move items from some projects to some. */
export type MoveRule = FileSettings['move']['rules'][number];

/** A project that work items can be moved to, with the names people know it by. */
export type CatalogueProject = FileSettings['catalogue']['projects'][number];

/** A test project that test cases can be created in, with the names people know it by. */
export type CatalogueTestProject = FileSettings['catalogue']['testProjects'][number];

/** Something of the service, and what people call it. */
export type Named = CatalogueProject['statuses'][number];
