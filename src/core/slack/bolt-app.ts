/**
 * Slack: Bolt's app, whose requests come in by HTTP (`http-receiver.ts`) or Socket Mode (`socket-receiver.ts`) and pass
 * one global middleware (this file) to the features' listeners, with a boundary that handles every failure
 * (`boundary.ts`); posts (`outbox.ts`), replies to one person (`replies.ts`), modals, and look-ups of people
 * (`lookup.ts`).
 */

import { type AnyMiddlewareArgs, App, type Middleware } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Boundary } from './boundary.ts';
import type { SlackIdentity } from './identity.ts';
import { incomingIn } from './incoming.ts';
import type { Listeners } from './listeners.ts';
import type { PayloadKind } from './payload.ts';
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
  const { listeners, middleware } = createListeners(bolt, boundary);
  bolt.use(middleware);
  return { bolt, listeners, receiver, boundary };
}

/**
 * Bolt tries each of its own listeners on every request: ninety of them take over 0.1 ms of a processor, and 1.5 ms on
 * Node 20. So those of one id are found here, by a global middleware. Others, such as those of events, stay Bolt's.
 */
export function createListeners(
  app: Pick<App, 'event'>,
  boundary: Pick<Boundary, 'around'>,
): { readonly listeners: Listeners; readonly middleware: Middleware<AnyMiddlewareArgs> } {
  const found = new Map<string, (args: never) => Promise<void>>();
  const listen =
    (kind: PayloadKind) =>
    (id: string, listener: (args: never) => Promise<void>): void =>
      void found.set(`${kind} ${id}`, listener);
  return {
    listeners: {
      command: listen('command'),
      shortcut: listen('shortcut'),
      action: listen('action'),
      options: listen('options'),
      view: listen('view'),
      event: app.event.bind(app),
    },
    middleware(args) {
      const incoming = incomingIn(args.context);
      const { kind, id } = incoming.payload;
      const listener = found.get(`${kind} ${id}`);
      // as: it listens to this kind
      return boundary.around(incoming, () => listener?.(args as never) ?? args.next());
    },
  };
}
