/**
 * The world to try Gatepost in: an imitated Slack (`slack-sandbox.ts`), an imitated service (`service/`), an
 * automation, and a panel on the page that shows both (`backstage/`), on one port. It imports nothing of the
 * product but for `demo.ts`, which starts the real bot in it.
 */

import type { Automation } from './automation/automation.ts';
import type { Credentials } from './credentials.ts';
import type { Service } from './service/service-handle.ts';
import type { SlackSandbox, SlackSandboxOptions } from './slack-sandbox.ts';

/**
 * The handle of a running sandbox: an imitation of Slack's workspace, of the collaboration service and of an automation, on one
 * port of this machine. `startSandbox` in `start-sandbox.ts` makes it. Times are milliseconds since 1970, ids as Slack writes them.
 */
export interface Sandbox extends SlackSandbox {
  /** For `SERVICE_URL`. */
  readonly serviceUrl: string;
  /** What the bot is configured with. They stay the same over `reset()`. */
  readonly credentials: Credentials;
  readonly service: Service;
  readonly automation: Automation;
  /** Says where the bot listens; may be said again after it moved. */
  connectBot(bot: BotAddress): void;
}

export interface SandboxOptions extends Omit<SlackSandboxOptions, 'credentials' | 'requestUrl'> {
  /** Base address of the bot: its events are at `/slack/events`, its intake at `/v1/approvals`. */
  readonly botUrl?: string;
  /** The app's manifest as YAML; default `manifest.yml` of this project. */
  readonly manifest?: string;
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
  readonly startOver?: (emptyWorld: () => void) => Promise<void>;
}
