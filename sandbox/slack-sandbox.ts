/**
 * A workspace to try a Slack app in: the imitated Slack (`workspace/`) and a page for a browser (`page/`), on one port
 * of this machine. Of an app it knows only the manifest.
 */

import type { Until } from './changes.ts';
import type { serve } from './serve.ts';
import type { Timers } from './timers.ts';
import type { Message } from './wire.ts';
import type { Post } from './workspace/deliver.ts';
import type { PostRate } from './workspace/post-pacer.ts';
import type { RequestUrls } from './workspace/request-urls.ts';
import type { Seed } from './workspace/seed.ts';
import type { Delivery } from './workspace/user-actions.ts';
import type { Call, Workspace } from './workspace/workspace-handle.ts';
import type { Enterprise } from './workspace/world.ts';

/**
 * The handle of a running workspace, created by `startSlackSandbox`. Times are milliseconds since 1970, ids as Slack
 * writes them.
 */
export interface SlackSandbox extends AsyncDisposable {
  /** Without a trailing slash; it is the address of the page. */
  readonly url: string;
  /** For `slackApiUrl` in Bolt's `clientOptions`; ends with a slash. */
  readonly slackApiUrl: string;
  /** The app's credentials. They survive `reset()`. */
  readonly credentials: SlackCredentials;
  readonly workspace: Workspace;
  /**
   * Sets where the app receives events, interactions and commands; null: in Socket Mode. Can be called again after it
   * moved.
   */
  connectApp(requestUrl: string | RequestUrls | null): void;
  /** Waits until the predicate returns something truthy; it is called after every change in the sandbox. */
  readonly until: Until;
  /** Restores the seed: people, channels, messages. Clears faults and recorded calls. */
  reset(): void;
  close(): Promise<void>;
}

export interface SlackCredentials {
  readonly botToken: string;
  /** For Socket Mode. */
  readonly appToken: string;
  readonly signingSecret: string;
}

export interface SlackSandboxOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** As for `connectApp`; without it nothing is delivered until that is called. */
  readonly requestUrl?: string | RequestUrls | null;
  /** Default: random. */
  readonly credentials?: Partial<SlackCredentials>;
  readonly now?: () => number;
  /** Delays and timeouts, except those of the page and of Socket Mode connections. */
  readonly timers?: Timers;
  /** How requests arrive; default over HTTP, at `host` and `port`. */
  readonly serve?: typeof serve;
  /** How Slack's requests reach the app; default over HTTP. */
  readonly post?: Post;
  /** Random bytes for tokens and credentials. */
  readonly random?: (bytes: number) => Buffer;
  /** The app's manifest, as YAML or JSON. Without one the app has every scope, event, tab and command. */
  readonly manifest?: string;
  /** Granted scopes; default those of the manifest. */
  readonly scopes?: readonly string[];
  /** false: the app does not exist until somebody creates it on `/apps`; default true. */
  readonly isInstalled?: boolean;
  /** The initial people, channels and user groups. */
  readonly seed?: Seed;
  /** The organization of the team; default none. */
  readonly enterprise?: Enterprise;
  /** Posts per channel: default 1 per second after a burst of 5; null turns the limit off. */
  readonly postRate?: PostRate | null;
  /** Also limits each method to its tier's calls per minute; default false. */
  readonly hasTierLimits?: boolean;
  /** Delays before each further delivery of an event that was not acknowledged; default none, 1 and 5 minutes. */
  readonly eventRetriesMs?: readonly number[];
  /** How long Slack waits for an acknowledgement, and a trigger can open a modal; default 3,000 ms as in Slack. */
  readonly patienceMs?: number;
  /** Called for every message that is written or changed. */
  readonly onMessage?: (message: Message, channel: string) => void;
  /** Called for every call of the app once it is answered. */
  readonly onCall?: (call: Call) => void;
  /** Called for every delivery to the app once it ended; `name` is “/todo” or “event message”. */
  readonly onDelivery?: (name: string, delivery: Delivery) => void;
}
