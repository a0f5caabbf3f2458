import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { createAutomation } from './automation/automation.ts';
import { createChanges } from './changes.ts';
import { newCredentials, uuidOf } from './credentials.ts';
import type { Exchange } from './exchange.ts';
import { createPage } from './page/page.ts';
import type { BotAddress, Sandbox, SandboxOptions } from './sandbox.ts';
import { serve } from './serve.ts';
import { createService } from './service/service.ts';
import { systemTimers } from './timers.ts';
import { overHttp } from './workspace/deliver.ts';
import { type Manifest, readManifest } from './workspace/manifest.ts';
import { createWorkspace } from './workspace/workspace.ts';

/** Starts a sandbox and gives its handle when it listens. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const manifest = await readManifest(options.manifest);
  const listen = options.serve ?? serve;
  const serving = await listen(options.port ?? 0, options.host ?? '127.0.0.1');
  const closing = new AbortController();
  // Every answer that is held back listens to it.
  setMaxListeners(0, closing.signal);
  const parts = createParts(options, manifest, serving.url, closing.signal);
  const { workspace, service, changes } = parts;

  const close = async (): Promise<void> => {
    if (closing.signal.aborted) return;
    closing.abort();
    changes.close();
    page.reset();
    await serving.close();
  };
  const reset = (): void => {
    workspace.reset();
    service.reset();
    page.reset();
    changes.notify();
  };
  const sandbox: Sandbox = {
    url: serving.url,
    slackApiUrl: `${serving.url}/slack/api/`,
    serviceUrl: `${serving.url}/service`,
    credentials: parts.credentials,
    workspace: workspace.handle,
    service: service.handle,
    automation: parts.automation,
    connectBot: parts.connectBot,
    until: changes.until,
    reset,
    close,
    [Symbol.asyncDispose]: close,
  };
  const page = createPage({ sandbox, changes, now: parts.now, bot: parts.bot });
  serving.upgradeWith(workspace.upgrade);
  serving.answerWith((exchange) => route(exchange, { ...parts, page }));
  return sandbox;
}

/** Slack tells again at once, after a minute and after five. */
const slackRetriesMs = [0, 60_000, 300_000];

function createParts(
  options: SandboxOptions,
  manifest: Manifest,
  url: string,
  closed: AbortSignal,
) {
  const { now = Date.now, random = randomBytes, postRate = { perSecond: 1, burst: 5 } } = options;
  const { timers = systemTimers, post = overHttp } = options;
  const text = (bytes: number): string => random(bytes).toString('base64url');
  const changes = createChanges();
  const credentials = newCredentials(text);
  const shared = { ...credentials, now, timers, changes, closed };
  const bot = { address: options.botUrl === undefined ? null : addressOf(options.botUrl) };
  const connected = (): BotAddress => {
    if (!bot.address) throw new Error('No bot is connected to the sandbox: call connectBot first.');
    return bot.address;
  };
  const service = createService({
    ...shared,
    randomToken: () => text(32),
    randomUuid: () => uuidOf(random(16)),
  });
  return {
    now,
    changes,
    credentials,
    service,
    workspace: createWorkspace({
      ...shared,
      url,
      post,
      postRate,
      randomId: () => random(12).toString('hex'),
      manifest,
      scopes: options.scopes ?? manifest.scopes,
      enterprise: options.enterprise ?? null,
      eventRetriesMs: options.eventRetriesMs ?? slackRetriesMs,
      patienceMs: options.patienceMs ?? 3_000,
      written: options.onMessage ?? (() => undefined),
      isBotConnected: () => bot.address !== null,
      eventsUrl: () => connected().eventsUrl,
    }),
    automation: createAutomation({
      service: service.handle,
      intakeSecret: credentials.intakeSecret,
      intakeUrl: () => connected().intakeUrl,
    }),
    bot: () => bot.address,
    connectBot: (address: BotAddress): void => {
      bot.address = address;
    },
  };
}

interface Parts extends Pick<ReturnType<typeof createParts>, 'workspace' | 'service'> {
  readonly page: ReturnType<typeof createPage>;
}

async function route(exchange: Exchange, { workspace, service, page }: Parts): Promise<void> {
  const { path } = exchange;
  const behind = (start: string): string => path.slice(start.length);
  if (path.startsWith('/slack/')) return workspace.answer(exchange, behind('/slack'));
  if (path.startsWith('/service/')) return service.answer(exchange, behind('/service'));
  if (await page.answer(exchange)) return;
  exchange.respond({ status: 404, body: { error: 'There is nothing here.' } });
}

function addressOf(botUrl: string): BotAddress {
  const base = botUrl.replace(/\/$/, '');
  return { eventsUrl: `${base}/slack/events`, intakeUrl: `${base}/v1/approvals` };
}
