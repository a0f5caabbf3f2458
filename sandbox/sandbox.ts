/**
 * The world to try Gatepost in: an imitated Slack (`workspace/`), an imitated service (`service/`), an
 * automation, and a page for a browser, on one port. It imports nothing of the product but for `demo.ts`,
 * which starts the real bot in it.
 */

import type { Automation } from './automation/automation.ts';
import type { Until } from './changes.ts';
import type { Credentials } from './credentials.ts';
import type { serve } from './serve.ts';
import type { Service } from './service/service-handle.ts';
import type { Timers } from './timers.ts';
import type { Message } from './wire.ts';
import type { Post } from './workspace/deliver.ts';
import type { PostRate } from './workspace/post-pacer.ts';
import type { Workspace } from './workspace/workspace-handle.ts';
import type { Enterprise } from './workspace/world.ts';

/**
 * The handle of a running sandbox: an imitation of Slack's workspace, of the collaboration service and of an automation, on one
 * port of this machine. `startSandbox` in `start-sandbox.ts` makes it. Times are milliseconds since 1970, ids as Slack writes them.
 */
export interface Sandbox extends AsyncDisposable {
  /** Without a slash at its end; the page is there. */
  readonly url: string;
  /** For `SLACK_API_URL`; ends with a slash. */
  readonly slackApiUrl: string;
  /** For `SERVICE_URL`. */
  readonly serviceUrl: string;
  /** What the bot is configured with. They stay the same over `reset()`. */
  readonly credentials: Credentials;
  readonly workspace: Workspace;
  readonly service: Service;
  readonly automation: Automation;
  /** Says where the bot listens; may be said again after it moved. */
  connectBot(bot: BotAddress): void;
  /** Waits until the predicate gives something truthy, looking again after every change anywhere in the sandbox. */
  readonly until: Until;
  /** Back to the seed: people, channels, approvals, variants; faults and records of calls are gone. */
  reset(): void;
  close(): Promise<void>;
}

export interface SandboxOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Base address of the bot: its events are at `/slack/events`, its intake at `/v1/approvals`. */
  readonly botUrl?: string;
  readonly now?: () => number;
  /** What it waits by, besides the page and the connections of Socket Mode. */
  readonly timers?: Timers;
  /** How requests come in; default over HTTP, at `host` and `port`. */
  readonly serve?: typeof serve;
  /** How Slack's requests go to the bot; default over HTTP. */
  readonly post?: Post;
  /** Random bytes for tokens and credentials. */
  readonly random?: (bytes: number) => Buffer;
  /** The app's manifest as YAML; default `manifest.yml`. Its scopes, commands, shortcuts and events are what the workspace knows. */
  readonly manifest?: string;
  /** Granted scopes; default those of the manifest. */
  readonly scopes?: readonly string[];
  /** The organization the team belongs to; default none. */
  readonly enterprise?: Enterprise;
  /** Posts per channel: default 1 per second after a burst of 5; null switches it off. */
  readonly postRate?: PostRate | null;
  /** What is waited before each further delivery of an event that was not acknowledged; default at once, 1 and 5 minutes. */
  readonly eventRetriesMs?: readonly number[];
  /** How long Slack waits for an acknowledgement, and lets a modal be opened; default 3,000 ms as Slack does. */
  readonly patienceMs?: number;
  /** Told of every message as it is written or changed, for whoever keeps all that it ever said. */
  readonly onMessage?: (message: Message, channel: string) => void;
}

export interface BotAddress {
  /** null: the bot is in Socket Mode. */
  readonly eventsUrl: string | null;
  readonly intakeUrl: string;
  /** Routes that the bot is configured with; the page lets the automation name them. `title` says what is special. */
  readonly routes?: readonly { readonly id: string; readonly title: string }[];
  /** Runs the bot's own command that asks for an approval and waits, in a terminal; gives its exit code. */
  readonly runAsk?: (title: string, onOutput: (text: string) => void) => Promise<number>;
  /** For a terminal of one's own: the page shows them to be copied. They can hold the secret of the intake. */
  readonly commands?: readonly { readonly title: string; readonly command: string }[];
  /** Stops the bot, has the world emptied, and starts the bot without memories; the page's “Begin again” uses it. */
  readonly beginAnew?: (emptyWorld: () => void) => Promise<void>;
}
