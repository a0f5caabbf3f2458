/**
 * Slack: Bolt's app, whose requests come in by HTTP (`http-receiver.ts`) or Socket Mode (`socket-receiver.ts`) and pass
 * the boundary that handles every failure (`boundary.ts`) to the features' listeners (`listeners.ts`); posts
 * (`outbox.ts`), replies to one person (`replies.ts`), modals, and look-ups of people (`lookup.ts`).
 */

import { App } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Boundary } from './boundary.ts';
import type { SlackIdentity } from './identity.ts';
import { createListeners, type Listeners } from './listeners.ts';
import { slackLogger } from './slack-logger.ts';
import type { SlackReceiver } from './slack-receiver.ts';

interface SlackAppNeeds {
  readonly me: Pick<SlackIdentity, 'botUserId' | 'botId'>;
  readonly receiver: SlackReceiver;
  readonly boundary: Boundary;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface SlackApp extends Pick<SlackAppNeeds, 'receiver' | 'boundary'> {
  /** Bolt's app, as documented by Bolt. `args.client` has no token: use Gatepost's clients. */
  readonly bolt: App;
  /** For features. */
  readonly listeners: Listeners;
}

/** Bolt's app, to be started once features listen. */
export function createSlackApp({ me, receiver, boundary, logger }: SlackAppNeeds): SlackApp {
  const { botUserId, botId } = me;
  const bolt = new App({
    receiver,
    authorize: async () => ({ botUserId, ...(botId !== null && { botId }) }),
    convoStore: false,
    logger: slackLogger(logger),
  });
  const { listeners, dispatch } = createListeners(bolt);
  for (const middleware of [...boundary.middleware, dispatch]) bolt.use(middleware);
  return { bolt, listeners, receiver, boundary };
}
