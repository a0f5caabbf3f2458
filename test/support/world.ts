import type { Asked, Question } from '../../sandbox/automation/automation.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import type { Message } from '../../sandbox/wire.ts';
import type { Delivery } from '../../sandbox/workspace/user-actions.ts';
import { startApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/app/configuration.ts';
import { createLogger } from '../../src/app/logger.ts';
import type { App } from '../../src/app/serve.ts';
import type { Config } from '../../src/core/config/config.ts';
import { type Clock, systemClock } from '../../src/core/lib/clock.ts';
import { type Timing, timingAt } from '../../src/core/lib/timing.ts';
import { botAddress, botEnvironment } from './bot-config.ts';
import { notedStore } from './memory-store.ts';

/**
 * How long the workspace waits for an acknowledgement. With Slack's 3 s a busy machine would fail stories that are not
 * about that. How soon the bot acknowledges is measured in proof/bench.
 */
const SLACK_PATIENCE_MS = 60_000;

/** Never opened. */
const NO_FOLDER = '/nowhere';

export const DEPLOYS = 'C0DEPLOYS';
export const OUTCOMES = 'C0OUTCOMES';

const NO_REASON = { approve: 'none', reject: 'none' } as const;

export interface WorldOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Changes what the environment cannot express: routes, ages, budgets. */
  readonly config?: (config: Config) => Config;
  readonly sandbox?: SandboxOptions;
  /** The bot's clock, for durations and ages. */
  readonly clock?: Clock;
  /**
   * How long the bot waits, as a share of the real time, and Slack between two posts, and until it sends an event again.
   * Default: a tenth. Deadlines of calls are at least three seconds, and times named by others are not scaled: see
   * `Timing`.
   */
  readonly scale?: number;
  /** The same for the time between two polls. Default: the real time, so that no poll does what a story waits for. */
  readonly pollScale?: number;
  /** Changes single times. */
  readonly timing?: (timing: Timing) => Timing;
  /** Called with the sandbox before the bot starts. */
  readonly before?: (sandbox: Sandbox) => void;
}

/**
 * A sandbox with the real bot in it, in this process, on the store in memory unless `env` names a folder or a Redis: all
 * pass the same contract tests, and this one costs stories neither files nor flushes.
 */
export interface World extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly app: App;
  /** The bot's timing. */
  readonly timing: Timing;
  /** All log lines of the bot so far. */
  readonly log: readonly string[];
  /** Everything that the bot ever handed to its store; empty if `env` names a folder or a Redis. */
  readonly stored: readonly (readonly unknown[])[];
  /** The automation asks; resolves when its message is there. */
  ask(question?: Question): Promise<Asked & { readonly ts: string }>;
  /** A person presses a button of the message. */
  click(user: string, ts: string, label: string): Promise<Delivery>;
  /** A person chooses an option of the message's menu. */
  pick(user: string, ts: string, option: string): Promise<Delivery>;
  /** The message as a person reads it: the texts of its blocks and buttons, one per line. */
  read(ts: string): string;
  /** Waits until the message matches. */
  until(ts: string, pattern: RegExp): Promise<string>;
  /** Private replies to the person, in all channels, oldest first; titles without their links. */
  told(user: string): string[];
}

/** A request's title, as a link to its message. */
const LINKED_TITLE = /\*<[^|>]*\/archives\/[^|>]*\|([^>]*)>\*/g;

/** A decided request is soon no longer listed, unless the story needs it. */
const LISTED_MS = 1_000;

/** Keeps decided requests listed for longer than a story. */
export function listing(config: Config): Config {
  return { ...config, retention: { ...config.retention, decidedMs: 86_400_000 } };
}

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const { clock = systemClock, scale = 0.1, pollScale = 1 } = options;
  const { polls, probeEveryMs } = timingAt(pollScale);
  const scaled = { ...timingAt(scale), polls, probeEveryMs };
  const timing = options.timing?.(scaled) ?? scaled;
  const postRate = { perSecond: 1_000 / timing.postEveryMs, burst: 5 };
  const eventRetriesMs = [0, 60_000 * scale, 300_000 * scale];
  const sandbox = await startPatientSandbox({ postRate, eventRetriesMs, ...options.sandbox });
  options.before?.(sandbox);
  const log: string[] = [];
  const env = botEnvironment(sandbox, { DATA_DIR: NO_FOLDER, ...options.env });
  const noted = notedStore();
  const isNoted = env.REDIS_URL === undefined && env.DATA_DIR === NO_FOLDER;
  const read = readConfig(env, { command: 'start' });
  if (!read.ok) throw new Error(`bad configuration: ${JSON.stringify(read.problems)}`);
  // Stories that are not about reasons press a button, and have decided.
  const routes = read.config.routes.map((route) => ({ ...route, reason: NO_REASON }));
  const retention = { ...read.config.retention, decidedMs: LISTED_MS };
  const changed = { ...read.config, retention };
  const given = options.env?.GATEPOST_CONFIG ? changed : { ...changed, routes };
  const config = options.config?.(given) ?? given;
  const logger = createLogger(config.logLevel, { write: (line: string) => log.push(line) });
  const edges = isNoted ? { openStore: noted.openStore } : {};
  const app = await startApp({ config, logger, clock, timing, ...edges });
  sandbox.connectBot(botAddress(app.url));
  return {
    sandbox,
    app,
    timing,
    log,
    stored: noted.given,
    ...driving(sandbox),
    async [Symbol.asyncDispose]() {
      await app.stop();
      await sandbox.close();
    },
  };
}

/** A sandbox that waits longer than by default. */
export async function startPatientSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox({ patienceMs: SLACK_PATIENCE_MS, ...options });
}

/** How a story drives a sandbox and reads what people see in it. */
export function driving(
  sandbox: Sandbox,
): Pick<World, 'ask' | 'click' | 'pick' | 'read' | 'until' | 'told'> {
  const { workspace } = sandbox;
  const read = (ts: string) => readable(workspace.message(DEPLOYS, ts));
  return {
    async ask(question = {}) {
      const asked = await askUntilTaken(sandbox, question);
      const message = await sandbox.until(
        () => messageOf(workspace.messages(question.channel ?? DEPLOYS), asked.id),
        { what: 'the message' },
      );
      return { ...asked, ts: message.ts };
    },
    click: (user, ts, label) => workspace.click({ user, channel: DEPLOYS, ts, label }),
    pick: (user, ts, value) =>
      workspace.choose({ user, channel: DEPLOYS, ts, input: 'More actions', value }),
    read,
    async until(ts, pattern) {
      await sandbox.until(() => pattern.test(read(ts)), { what: String(pattern) });
      return read(ts);
    },
    told: (user) =>
      [...workspace.ephemerals(user), ...workspace.directMessages(user)].map(({ text }) =>
        text.replaceAll(LINKED_TITLE, '*$1*'),
      ),
  };
}

/** Somebody approves. A slow machine may not accept every press in time: people who see that press again. */
export async function approve(
  { click, read }: Pick<World, 'click' | 'read'>,
  user: string,
  ts: string,
): Promise<Delivery> {
  let delivery = await click(user, ts, 'Approve');
  while (delivery.status === 503 && !/Approved by/.test(read(ts))) {
    delivery = await click(user, ts, 'Approve');
  }
  return delivery;
}

/** A slow machine may refuse it: an automation retries, as it is told to. */
export async function askUntilTaken({ automation }: Sandbox, question: Question): Promise<Asked> {
  let asked = await automation.ask(question);
  for (let tries = 1; asked.status === 503 && tries < 5; tries += 1) {
    asked = await automation.ask({ ...question, token: asked.token });
  }
  if (asked.id === '') throw new Error(`the intake answered ${asked.status}`);
  return asked;
}

/** The message of a record, by its metadata. */
export function messageOf(messages: readonly Message[], record: string): Message | undefined {
  return messages.find(({ metadata }) => {
    const { record: of, post } = metadata?.event_payload ?? {};
    return of === record && typeof post === 'string' && post.startsWith('message');
  });
}

/** All texts of a message's blocks, in order. */
export function readable(message: Message | undefined): string {
  return message === undefined ? '(no message)' : textsOf(message.blocks).join('\n');
}

/** All visible texts of blocks, in order. */
export function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (typeof value !== 'object' || value === null) return [];
  if ('type' in value && RICH.has(String(value.type))) return [richText(value)];
  // A menu's options are invisible until it is opened.
  if ('type' in value && value.type === 'overflow') return [];
  const isOpen = 'type' in value && value.type === 'checkboxes';
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'text' && typeof inner === 'string') return [inner];
    return UNSEEN.has(name) && !(isOpen && name === 'options') ? [] : textsOf(inner);
  });
}

/** Visible only after a press. */
const UNSEEN = new Set(['confirm', 'options']);

/** Texts on lines of their own. */
const RICH = new Set(['rich_text_section', 'rich_text_quote', 'rich_text_preformatted']);

/** Rich text as markup. */
function richText(value: object): string {
  const { elements = [] } = value as { elements?: readonly Record<string, unknown>[] }; // as: checked when it was sent
  return elements
    .map(({ type, text, url, user_id, usergroup_id }) => {
      if (type === 'user') return `<@${user_id}>`;
      if (type === 'usergroup') return `<!subteam^${usergroup_id}>`;
      return String(text ?? url ?? '');
    })
    .join('');
}
