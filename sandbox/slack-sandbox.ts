/**
 * A workspace to try a Slack app in: the imitated Slack (`workspace/`) and a page for a browser (`page/`),
 * on one port of this machine. It knows nothing of any app but what its manifest says.
 */

import type { Until } from './changes.ts';
import type { serve } from './serve.ts';
import type { Timers } from './timers.ts';
import type { Message } from './wire.ts';
import type { Post } from './workspace/deliver.ts';
import type { PostRate } from './workspace/post-pacer.ts';
import type { Seed } from './workspace/seed.ts';
import type { Delivery } from './workspace/user-actions.ts';
import type { Call, Workspace } from './workspace/workspace-handle.ts';
import type { Enterprise } from './workspace/world.ts';

/** The handle of a running workspace: `startSlackSandbox` makes it. Times are milliseconds since 1970, ids as Slack writes them. */
export interface SlackSandbox extends AsyncDisposable {
  /** Without a slash at its end; the page is there. */
  readonly url: string;
  /** For `slackApiUrl` in Bolt's `clientOptions`; ends with a slash. */
  readonly slackApiUrl: string;
  /** What the app is configured with. They stay the same over `reset()`. */
  readonly credentials: SlackCredentials;
  readonly workspace: Workspace;
  /** Says where the app takes events, interactions and commands; null: in Socket Mode. May be said again after it moved. */
  connectApp(requestUrl: string | null): void;
  /** Waits until the predicate gives something truthy, looking again after every change anywhere in the sandbox. */
  readonly until: Until;
  /** Back to the seed: people, channels, messages; faults and records of calls are gone. */
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
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** As for `connectApp`; without it nothing is delivered before that is called. */
  readonly requestUrl?: string | null;
  /** Default random ones. */
  readonly credentials?: Partial<SlackCredentials>;
  readonly now?: () => number;
  /** What it waits by, besides the page and the connections of Socket Mode. */
  readonly timers?: Timers;
  /** How requests come in; default over HTTP, at `host` and `port`. */
  readonly serve?: typeof serve;
  /** How Slack's requests go to the app; default over HTTP. */
  readonly post?: Post;
  /** Random bytes for tokens and credentials. */
  readonly random?: (bytes: number) => Buffer;
  /** The app's manifest, as YAML or JSON. Without one the app has every scope, event and tab, and every command. */
  readonly manifest?: string;
  /** Granted scopes; default those of the manifest. */
  readonly scopes?: readonly string[];
  /** People, channels and user groups at the beginning. */
  readonly seed?: Seed;
  /** The organization the team belongs to; default none. */
  readonly enterprise?: Enterprise;
  /** Posts per channel: default 1 per second after a burst of 5; null switches it off. */
  readonly postRate?: PostRate | null;
  /** Whether each method is limited to what its tier promises in a minute, too; default not. */
  readonly hasTierLimits?: boolean;
  /** What is waited before each further delivery of an event that was not acknowledged; default at once, 1 and 5 minutes. */
  readonly eventRetriesMs?: readonly number[];
  /** How long Slack waits for an acknowledgement, and lets a modal be opened; default 3,000 ms as Slack does. */
  readonly patienceMs?: number;
  /** Told of every message as it is written or changed. */
  readonly onMessage?: (message: Message, channel: string) => void;
  /** Told of every call of the app once it is answered. */
  readonly onCall?: (call: Call) => void;
  /** Told of what was delivered to the app, as “/todo” or “event message”, once that ended. */
  readonly onDelivery?: (name: string, delivery: Delivery) => void;
}
