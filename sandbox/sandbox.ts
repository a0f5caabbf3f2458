/**
 * The sandbox to try Gatepost in: an imitated Slack (`slack-sandbox.ts`), an imitated service (`service/`), an
 * automation, and a panel on the page that shows both (`backstage/`), on one port. It imports nothing of the product
 * except in `demo.ts`, which starts the real bot.
 */

import type { Automation } from './automation/automation.ts';
import type { Credentials } from './credentials.ts';
import type { Service } from './service/service-handle.ts';
import type { SlackSandbox, SlackSandboxOptions } from './slack-sandbox.ts';

/**
 * The handle of a running sandbox: an imitation of Slack, of the collaboration service and of an automation, on one
 * port of this machine. `startSandbox` in `start-sandbox.ts` creates it. Times are milliseconds since 1970, ids as
 * Slack writes them.
 */
export interface Sandbox extends SlackSandbox {
  /** For `SERVICE_URL`. */
  readonly serviceUrl: string;
  /** The bot's credentials. They survive `reset()`. */
  readonly credentials: Credentials;
  readonly service: Service;
  readonly automation: Automation;
  /** Sets where the bot listens; can be called again after it moved. */
  connectBot(bot: BotAddress): void;
}

export interface SandboxOptions extends Omit<SlackSandboxOptions, 'credentials' | 'requestUrl'> {
  /** Base address of the bot: its events are at `/slack/events`, its intake at `/v1/approvals`. */
  readonly botUrl?: string;
  /** The app's manifest as YAML; default `manifest.yml` of this project. */
  readonly manifest?: string;
}

/** What a pipeline asks, by the names of its options. */
export interface Asked {
  readonly title: string;
  readonly message?: string;
  readonly key?: string;
  readonly 'requested-by'?: string;
}

export interface BotAddress {
  /** null: the bot uses Socket Mode. */
  readonly eventsUrl: string | null;
  readonly intakeUrl: string;
  /** Routes in the bot's configuration; the page lets the automation name them. `title` says what is special. */
  readonly routes?: readonly { readonly id: string; readonly title: string }[];
  /** Runs the bot's own `ask`, which waits for a decision, in a terminal; returns its exit code. */
  readonly runAsk?: (asked: Asked, onOutput: (text: string) => void) => Promise<number>;
  /** What `runAsk` asks as soon as the bot is connected. */
  readonly opening?: Asked;
  /** How to set the bot up elsewhere, as text; the page leads to it after the tour. */
  readonly guide?: () => Promise<string>;
  /** For a terminal outside the page, which shows them to be copied. They may contain the intake's secret. */
  readonly commands?: readonly { readonly title: string; readonly command: string }[];
  /** Stops the bot, resets the sandbox, and starts the bot without data; used by the page's “Begin again”. */
  readonly startOver?: (emptyWorld: () => void) => Promise<void>;
}
