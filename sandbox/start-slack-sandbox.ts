import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { type Changes, createChanges } from './changes.ts';
import type { Exchange } from './exchange.ts';
import { answerApps } from './page/apps-page.ts';
import { createPage } from './page/page.ts';
import type { PagePanel } from './page/page-panel.ts';
import { serve } from './serve.ts';
import type { SlackCredentials, SlackSandbox, SlackSandboxOptions } from './slack-sandbox.ts';
import { systemTimers, type Timers } from './timers.ts';
import { overHttp } from './workspace/deliver.ts';
import { openManifest, readManifest } from './workspace/manifest.ts';
import { bot, standardSeed, withoutApp } from './workspace/seed.ts';
import { createWorkspace } from './workspace/workspace.ts';

export type { SlackCredentials, SlackSandbox, SlackSandboxOptions } from './slack-sandbox.ts';
export type { RequestUrls } from './workspace/request-urls.ts';
export { namedSeed, type Seed, standardSeed } from './workspace/seed.ts';
export type * from './workspace/user-actions.ts';
export type { Call, Workspace, WorkspaceFault } from './workspace/workspace-handle.ts';

/** Dependencies of another imitation on the same port. */
export interface ExtensionContext {
  readonly sandbox: SlackSandbox;
  readonly changes: Changes;
  readonly closed: AbortSignal;
  readonly now: () => number;
  readonly timers: Timers;
  readonly random: (bytes: number) => Buffer;
}

/** An imitation on the same port and page, such as a service that the app calls. */
export interface Extension<Handle extends SlackSandbox> {
  /** The workspace's handle, with its own additions. */
  readonly handle: Handle;
  /** It handles requests whose path starts with this. */
  readonly path: string;
  readonly answer: (exchange: Exchange) => Promise<void>;
  /** What it adds to the page. */
  readonly panel: PagePanel;
  readonly reset: () => void;
}

/**
 * Starts a workspace; resolves with its handle once it listens. @param extend creates another imitation on the same
 * port and page
 */
export async function startSlackSandbox(options?: SlackSandboxOptions): Promise<SlackSandbox>;
export async function startSlackSandbox<Handle extends SlackSandbox>(
  options: SlackSandboxOptions,
  extend: (context: ExtensionContext) => Extension<Handle>,
): Promise<Handle>;
export async function startSlackSandbox(
  options: SlackSandboxOptions = {},
  extend?: (context: ExtensionContext) => Extension<SlackSandbox>,
): Promise<SlackSandbox> {
  const { manifest: given, patienceMs = 3_000, isInstalled = true } = options;
  const seeded = options.seed ?? standardSeed;
  const seed = isInstalled ? seeded : withoutApp(seeded);
  const { now = Date.now, random = randomBytes, timers = systemTimers } = options;
  const manifest = given === undefined ? openManifest : readManifest(given);
  const listen = options.serve ?? serve;
  const serving = await listen(options.port ?? 0, options.host ?? '127.0.0.1');
  const { url } = serving;
  const closing = new AbortController();
  const closed = closing.signal;
  // Every delayed answer listens to it.
  setMaxListeners(0, closed);
  const changes = createChanges();
  const credentials = { ...newCredentials(random), ...options.credentials };
  let requestUrl = options.requestUrl;
  const workspace = createWorkspace({
    ...credentials,
    url,
    now,
    timers,
    changes,
    closed,
    manifest,
    seed,
    patienceMs,
    post: options.post ?? overHttp,
    postRate: options.postRate === undefined ? { perSecond: 1, burst: 5 } : options.postRate,
    hasTierLimits: options.hasTierLimits ?? false,
    randomId: () => random(12).toString('hex'),
    scopes: options.scopes ?? manifest.scopes,
    isInstalled,
    enterprise: options.enterprise ?? null,
    eventRetriesMs: options.eventRetriesMs ?? slackRetriesMs,
    written: options.onMessage ?? (() => undefined),
    called: options.onCall ?? (() => undefined),
    delivered: options.onDelivery ?? (() => undefined),
    isAppConnected: () => requestUrl !== undefined,
    requestUrl: () => {
      if (requestUrl === undefined) throw new Error('No app is connected: call connectApp first.');
      return requestUrl;
    },
  });
  const close = async (): Promise<void> => {
    if (closed.aborted) return;
    closing.abort();
    changes.close();
    page.reset();
    await serving.close();
  };
  const sandbox: SlackSandbox = {
    url,
    slackApiUrl: `${url}/slack/api/`,
    credentials,
    workspace: workspace.handle,
    connectApp: (to) => {
      requestUrl = to;
    },
    until: changes.until,
    reset: () => {
      workspace.reset();
      extension?.reset();
      page.reset();
      changes.notify();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  const extension = extend?.({ sandbox, changes, closed, now, timers, random });
  const page = createPage({ sandbox, changes, now, panel: extension?.panel });
  serving.upgradeWith(workspace.upgrade);
  serving.answerWith(async (exchange) => {
    const { path, headers } = exchange;
    if (isForSlack(headers.host)) {
      // Slack's other addresses, such as hooks.slack.com, are unknown methods.
      const isMethod = path.startsWith('/api/');
      return workspace.answer(exchange, isMethod ? path : `/api/${headers.host}`);
    }
    if (path.startsWith('/slack/')) return workspace.answer(exchange, path.slice('/slack'.length));
    if (extension && path.startsWith(extension.path)) return extension.answer(exchange);
    if (path === '/apps') return answerApps(exchange, sandbox);
    if (await page.answer(exchange)) return;
    exchange.respond({ status: 404, body: { error: 'There is nothing here.' } });
  });
  return extension?.handle ?? sandbox;
}

/** Requests of an app whose connections to Slack lead here: see `child/preload.cjs`. */
function isForSlack(host = ''): boolean {
  return /(^|\.)slack\.com(:443)?$/i.test(host);
}

/** Slack retries at once, after one minute and after five. */
const slackRetriesMs = [0, 60_000, 300_000];

/** New ones at every start. */
function newCredentials(random: (bytes: number) => Buffer): SlackCredentials {
  const text = (): string => random(24).toString('base64url');
  return {
    botToken: `xoxb-${text()}`,
    appToken: `xapp-1-${bot.appId}-${text()}`,
    signingSecret: random(16).toString('hex'),
  };
}
