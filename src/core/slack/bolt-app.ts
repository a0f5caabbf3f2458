/**
 * Slack: Bolt's app, behind signatures (`endpoint.ts`) or Socket Mode (`socket-receiver.ts`) and one boundary that
 * handles every failure (`boundary.ts`); posts (`outbox.ts`), replies to one person (`replies.ts`), modals, and
 * look-ups of people (`lookup.ts`).
 */

import { App } from '@slack/bolt';
import type { Logger } from 'pino';
import type { GiveWay } from '../lib/give-way.ts';
import type { Timers } from '../lib/timers.ts';
import type { SlackReply } from './acknowledgement.ts';
import { createBoundary, type IncomingEvent } from './boundary.ts';
import type { SlackClient } from './call-slack.ts';
import { answerSlack, refuseSlack, type SlackRequest } from './endpoint.ts';
import { askIdentity, type SlackIdentity } from './identity.ts';
import { createListeners, type Listeners } from './listeners.ts';
import type { Replies } from './replies.ts';
import { slackLogger } from './slack-logger.ts';

interface SlackAppNeeds {
  /** Called with the reason for each refused request. */
  readonly onRefused: (refusal: string) => void;
  /** What a person reads who used a switched-off command, button or form with this id. */
  readonly offSentence: (id: string) => string | undefined;
  /** Verifies what `handle` receives. */
  readonly signingSecret: string;
  readonly client: SlackClient;
  readonly replies: Replies;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Short and random: a person can read it aloud, and an administrator can search the log for it. */
  readonly newReference: () => string;
  readonly timers: Timers;
  readonly giveWay: GiveWay;
}

export interface SlackApp {
  /**
   * Bolt's app, as documented by Bolt; features listen through `listeners`. `args.client` has no token: use Gatepost's
   * clients.
   */
  readonly bolt: App;
  readonly listeners: Listeners;
  /** Asks Slack who the bot is, for about half a minute. Until then requests fail. Throws SlackStartError. */
  init(): Promise<SlackIdentity>;
  /** The response to a request whose headers alone show that it is not Slack's, before its body is read. */
  refuse(request: Pick<SlackRequest, 'headers'>): SlackReply | undefined;
  /** Answers one request to `POST /slack/events`, with the acknowledgement. Never rejects. */
  handle(request: SlackRequest): Promise<SlackReply>;
  /** Answers one Socket Mode envelope, without checking a signature. */
  deliver(event: IncomingEvent): Promise<SlackReply>;
  /** Required scopes that Slack did not grant; empty when Slack does not say what it granted. */
  missingScopes(required: readonly string[]): string[];
  /** Requests whose listeners are running, acknowledged or not. */
  readonly inFlight: number;
  /** Waits until no listener runs. False: one was still running at the deadline. */
  drain(withinMs: number): Promise<boolean>;
}

/** Bolt without its server: requests come in through `handle`, from Gatepost's own server with its own body limit. */
export function createSlackApp(needs: SlackAppNeeds): SlackApp {
  let identity: SlackIdentity | undefined;
  const bolt = createBolt(needs, () => identity);
  const listeners = createListeners(bolt);
  const boundary = createBoundary({
    ...needs,
    process: (event) =>
      (identity === undefined ? undefined : listeners.press(event)) ?? bolt.processEvent(event),
  });
  const endpoint = { ...needs, deliver: boundary.deliver };
  return {
    bolt,
    listeners,
    async init() {
      identity = await askIdentity(needs);
      return identity;
    },
    refuse: (request) => refuseSlack(request, needs),
    handle: (request) => answerSlack(request, endpoint),
    deliver: boundary.deliver,
    missingScopes(required) {
      const granted = identity?.scopes;
      return granted ? required.filter((scope) => !granted.includes(scope)) : [];
    },
    get inFlight() {
      return boundary.inFlight;
    },
    drain: boundary.drain,
  };
}

function createBolt(needs: SlackAppNeeds, identity: () => SlackIdentity | undefined): App {
  const app = new App({
    receiver: { init() {}, start: async () => {}, stop: async () => {} },
    authorize: async () => {
      const bot = identity();
      if (bot === undefined) throw new Error('The bot does not know yet who it is');
      return { botUserId: bot.botUserId, ...(bot.botId !== null && { botId: bot.botId }) };
    },
    convoStore: false,
    logger: slackLogger(needs.logger),
  });
  app.error(async (error) => {
    // Back to the boundary, which called `processEvent`. Bolt wraps errors that are not its own.
    throw error.original ?? error;
  });
  return app;
}
