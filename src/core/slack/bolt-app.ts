/**
 * Slack: Bolt's own app behind a boundary that answers for every failure (`boundary.ts`), signatures
 * (`endpoint.ts`) or Socket Mode (`socket-receiver.ts`) before it; posts (`outbox.ts`), replies to one person
 * (`replies.ts`), modals, and what Slack knows of people (`lookup.ts`).
 */

import { App } from '@slack/bolt';
import type { Logger } from 'pino';
import type { GiveWay } from '../lib/give-way.ts';
import type { Timers } from '../lib/timers.ts';
import type { SlackReply } from './acknowledgement.ts';
import { createBoundary, type IncomingEvent } from './boundary.ts';
import { answerSlack, refuseSlack, type SlackRequest } from './endpoint.ts';
import { askIdentity, type SlackIdentity } from './identity.ts';
import { createListeners, type Listeners } from './listeners.ts';
import type { Replies } from './replies.ts';
import { slackLogger } from './slack-logger.ts';
import type { SlackClient } from './web-api.ts';

interface SlackAppNeeds {
  /** Told why, of each request that is refused. */
  readonly onRefused: (refusal: string) => void;
  /** What a person reads who used a command, button or form of this id, where that is switched off. */
  readonly offSentence: (id: string) => string | undefined;
  /** Of what comes to `handle`. */
  readonly signingSecret: string;
  readonly client: SlackClient;
  readonly replies: Replies;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Short and random: a person reads it aloud, an administrator finds it in the log. */
  readonly newReference: () => string;
  readonly timers: Timers;
  readonly giveWay: GiveWay;
}

export interface SlackApp {
  /**
   * What listens for features (`listeners.ts`), as Bolt documents it. `args.client` has no token: use the clients
   * of Gatepost.
   */
  readonly bolt: App;
  readonly listeners: Listeners;
  /**
   * Asks Slack who the bot is, for about half a minute. Requests before it are answered as failures.
   * Throws SlackStartError.
   */
  init(): Promise<SlackIdentity>;
  /** The answer to one that its headers alone show not to be Slack's, before its body is read. */
  refuse(request: Pick<SlackRequest, 'headers'>): SlackReply | undefined;
  /** Answers one request to `POST /slack/events`. Resolves with the acknowledgement; never rejects. */
  handle(request: SlackRequest): Promise<SlackReply>;
  /** Answers what an envelope of Socket Mode holds; the same, without a signature. */
  deliver(event: IncomingEvent): Promise<SlackReply>;
  /** Required scopes that Slack did not grant; none when Slack does not say what it granted. */
  missingScopes(required: readonly string[]): string[];
  /** Requests whose listeners run, acknowledged or not. */
  readonly inFlight: number;
  /** Waits until no listener runs. False: one still ran when the time was over. */
  drain(withinMs: number): Promise<boolean>;
}

/**
 * Bolt without its server: requests come in by `handle`, so that an own server with an own limit on
 * bodies stands in front.
 */
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
    // Back to the boundary, which called `processEvent`. Bolt wraps what is no error of its own.
    throw error.original ?? error;
  });
  return app;
}
