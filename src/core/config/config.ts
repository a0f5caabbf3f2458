import type { Proxies } from '../lib/proxies.ts';

/** Where the store is, and the keys that it is signed with. */
export type StoreConfig = Pick<Config, 'store' | 'keys'>;

/** Everything Gatepost is told, read once and checked; see `read-config.ts`. */
export interface Config {
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
  readonly identityUserId: 'id' | 'externalId' | 'none';
  /** Which addresses in Slack people are found by. */
  readonly identityEmails: EmailRule;
  /** Slack workspaces allowed besides the bot's own. */
  readonly teams: readonly string[];
  /** Who is told of trouble, by Slack ids. */
  readonly administrators: NamedPeople;
  /** Names that the interface does not show; `defaultDialect` says what holds without them. */
  readonly dialect: {
    readonly approval: {
      readonly status?: string;
      readonly prompt?: string;
      readonly resolvedAt?: string;
      readonly auth: 'none' | 'bearer';
    };
    readonly task?: {
      /** Begins with a slash and does not end with one. */
      readonly path: string;
      readonly item?: string;
      readonly id?: string;
      readonly key?: string;
      readonly title?: string;
      readonly updatedAt?: string;
      readonly status?: string;
      readonly projectId?: string;
      readonly subItems?: string;
    };
  };
  readonly move: {
    readonly source: MoveSource;
    /** Who may move items between all projects. */
    readonly who: Reviewers;
    /** Who may besides, between some. */
    readonly rules: readonly MoveRule[];
    /** Ids of the projects that items may be moved between; empty: all of the catalogue. */
    readonly projects: readonly string[];
    /** What happens to a move of somebody the service does not know. */
    readonly identity: IdentityRule;
    readonly announce: AnnouncePlace;
  };
  readonly cases: {
    readonly who: Reviewers;
    /** What happens to a test case of somebody the service does not know. */
    readonly identity: IdentityRule;
    readonly announce: AnnouncePlace;
  };
  readonly accounts: {
    /** Whether administrators are told when somebody is deactivated in Slack and has an account still. */
    readonly tellOfLeavers: boolean;
  };
  readonly catalogue: {
    readonly projects: readonly CatalogueProject[];
    readonly testProjects: readonly CatalogueTestProject[];
  };
  readonly links: {
    /** With `{key}`, and perhaps `{spaceSlug}` and `{projectSlug}`; null: work items are not linked. */
    readonly task: string | null;
    /** With `{id}`, and perhaps `{testProjectId}`; null: test cases are not linked. */
    readonly testCase: string | null;
  };
  /** The way out, for every request of every command. */
  readonly proxies: Proxies;
  readonly http: { readonly host: string; readonly port: number };
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly budgetPerMinute: number;
  readonly watchMaxAgeMs: number;
  readonly retention: { readonly doneMs: number; readonly auditMs: number };
}

/** Where something is announced: false: nowhere; true: in the channel of the command; or a channel's id. */
type AnnouncePlace = boolean | string;

/** What a click has reached when it is acknowledged; `auto`: the file on disk where Redis can tell, otherwise `off`. */
export type RedisConfirm = 'auto' | 'aof' | 'off' | { readonly replicas: number };

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** `json`: a line of JSON for each message; `pretty`: for people who read along. */
type LogFormat = 'json' | 'pretty';

export interface EncryptionKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

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
  /** What it may send. */
  readonly kinds: readonly SourceKind[];
  /** Where it is told what becomes of its requests; absent: it asks. */
  readonly callback?: SourceCallback;
}

interface SourceCallback {
  /** https, or http on loopback. */
  readonly url: string;
  /** `whsec_…`; two while rotating: both sign. */
  readonly secrets: readonly string[];
}

/** approval: a token of the service. gate: an own gate. task: a work item. */
type SourceKind = 'approval' | 'gate' | 'task';

export type SourceAuth =
  | { readonly kind: 'bearer' }
  /** The secret is the value of this header. */
  | { readonly kind: 'header'; readonly name: string }
  /** Every request is signed with the secret. */
  | { readonly kind: 'standard-webhooks' };

/** Where an approval goes and who can decide. */
export interface Route {
  readonly name: string;
  readonly channel: string;
  readonly outcomes: {
    readonly thread: boolean;
    readonly channel: string | null;
    readonly requester: boolean;
  };
  readonly reviewers: Reviewers;
  readonly quorum: number;
  readonly selfApproval: boolean;
  readonly guests: boolean;
  readonly reason: { readonly approve: ReasonRule; readonly reject: ReasonRule };
  /** Slack asks once more before an approval counts. */
  readonly confirm: boolean;
  /** What happens to a ballot of somebody the service does not know. */
  readonly identity: IdentityRule;
  /** Reminders in the thread: the first after this time, each further one after twice the last. */
  readonly remind: { readonly afterMs: number | null; readonly times: number };
}

/** Of somebody the service does not know: `require` refuses them, `omit` does without their account. */
export type IdentityRule = 'require' | 'omit';

/** `any`: unconfirmed addresses count too, those of full members of our own workspace or organisation. */
export type EmailRule = 'confirmed' | 'any';

/** Whether whoever decides is asked for a reason. */
export type ReasonRule = 'none' | 'optional' | 'required';

export interface NamedPeople {
  /** Slack user ids. */
  readonly users: readonly string[];
  /** Slack user group ids. */
  readonly groups: readonly string[];
}

export interface Reviewers extends NamedPeople {
  /** Anyone in the channel. */
  readonly channel: boolean;
}

/** Who may move items from some projects to some, by their ids; an empty list stands for all. */
export interface MoveRule {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly who: Reviewers;
}

/** Where a work item is read that is to be moved. */
type MoveSource = 'push' | 'http' | 'manual' | 'none';

/** A project that work items can be moved to, with the names people know it by. */
export interface CatalogueProject extends Named {
  /** The slug of its Space. */
  readonly space: string | null;
  /** Its own slug, as links have it. */
  readonly slug: string | null;
  /** Its default workflow. */
  readonly statuses: readonly Named[];
  readonly types: readonly CatalogueType[];
}

/** A type of work items; without statuses of its own it has those of its project. */
interface CatalogueType extends Named {
  readonly statuses: readonly Named[];
}

/** A test project that test cases can be created in, with the names people know it by. */
export interface CatalogueTestProject extends Named {
  /** The slug of its Space. */
  readonly space: string;
  readonly suites: readonly Named[];
}

/** Something of the service, and what people call it. */
export interface Named {
  readonly id: string;
  readonly name: string;
}
