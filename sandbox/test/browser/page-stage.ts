import type { Page } from 'playwright-core';
import { afterEach, beforeEach } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../sandbox.ts';
import { startSandbox } from '../../start-sandbox.ts';
import { type Answer, type Received, type Receiver, startReceiver } from '../receiver.ts';
import { type OneBrowser, oneBrowser } from './one-browser.ts';

export const channel = 'C0DEPLOYS';

/** The page of a sandbox in a browser, with a bot that answers as the test says. */
export interface PageStage {
  sandbox: Sandbox;
  /** What the bot received. */
  app: Receiver;
  page: Page;
  /** The bot's answer; by default it accepts everything. */
  answer: (request: Received) => Answer | null | Promise<Answer>;
  readonly browser: OneBrowser;
  /** Payloads of the interactions that the bot received, in the order of arrival. */
  // biome-ignore lint/suspicious/noExplicitAny: each test reads the members it is about
  readonly payloads: (type: string) => any[];
}

/** A new one before every test. @param options the sandbox's own, such as a manifest */
export function pageStage(options: SandboxOptions = {}): PageStage {
  // Filled in before each test.
  const stage = {
    browser: oneBrowser(),
    payloads: (type) => payloadsOf(stage.app.received).filter((payload) => payload.type === type),
  } as PageStage;
  beforeEach(async () => {
    stage.answer = ({ path }) =>
      path === '/v1/approvals' ? { status: 202, body: '{"id":"0.r1"}' } : { status: 200 };
    stage.app = await startReceiver((request) => stage.answer(request));
    stage.sandbox = await startSandbox({ botUrl: stage.app.url, ...options });
    stage.page = await stage.browser.open(stage.sandbox.url);
  });
  afterEach(async () => {
    await stage.page.close();
    await stage.sandbox.close();
    await stage.app[Symbol.asyncDispose]();
  });
  return stage;
}

function payloadsOf(received: readonly Received[]) {
  return received.map(({ body }) => JSON.parse(new URLSearchParams(body).get('payload') ?? '{}'));
}

/** Messages of the open channel. */
export function log({ page }: Pick<PageStage, 'page'>) {
  return page.getByRole('log', { name: /^Messages (in #|with )/ });
}

/** A message with a button, showing a state. */
export function message(state: string) {
  return {
    channel,
    text: state,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Deploy 4.2' } },
      { type: 'section', text: { type: 'mrkdwn', text: state } },
      { type: 'section', fields: [{ type: 'mrkdwn', text: '*Version*\n`4.2`' }] },
      {
        type: 'actions',
        elements: [
          { type: 'button', action_id: 'yes', text: { type: 'plain_text', text: 'Approve' } },
        ],
      },
    ],
  };
}
