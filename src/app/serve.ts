import type { Logger } from 'pino';
import type { Config } from '../core/config/config.ts';
import type { Reconciler } from '../core/engine/reconciler.ts';
import type { createHttpListener } from '../core/http/listener.ts';
import type { Metrics } from '../core/http/metrics.ts';
import { readBody } from '../core/http/read-body.ts';
import type { Route } from '../core/http/router.ts';
import type { System } from '../core/lib/system.ts';
import type { SlackApp } from '../core/slack/bolt-app.ts';
import { HttpReceiver } from '../core/slack/http-receiver.ts';
import type { Store } from '../core/store/store.ts';
import type { StoreHealth } from '../core/store/watched-store.ts';

export interface App {
  /** Its address, without a trailing slash. */
  readonly url: string;
  /** Resolves with the reason when nothing more will arrive from Slack; otherwise never. */
  readonly failed: Promise<unknown>;
  /** Takes no more work, finishes what is in progress within 25 s, and closes everything. */
  stop(): Promise<void>;
}

/** The total time for finishing at shutdown. */
const DRAIN_MS = 25_000;

interface ServeNeeds extends System {
  readonly config: Config;
  readonly logger: Logger;
  readonly store: Store;
  readonly health: StoreHealth;
  readonly metrics: Metrics;
  readonly slack: SlackApp;
  readonly reconciler: Reconciler;
  readonly routes: readonly Route[];
  /** For incoming requests. */
  readonly listen: typeof createHttpListener;
  /** Ends requests that are only waiting. */
  readonly onStopping: () => void;
  /** Closes the loop's dependencies, once nothing is in progress. */
  readonly close: () => Promise<void>;
}

/** Starts listening, and the loop. Rejects when the port is in use or Slack refuses the app token. */
export async function serve(needs: ServeNeeds): Promise<App> {
  const { config, logger, clock, timers, store, health } = needs;
  const { metrics, slack, reconciler, routes, close } = needs;
  const { bolt, receiver, boundary } = slack;
  let isReady = false;
  const listener = await needs.listen({
    ...config.http,
    routes: receiver instanceof HttpReceiver ? [slackRoute(receiver), ...routes] : routes,
    isReady: () => isReady && receiver.isConnected && health.isUp(),
    metrics,
    logger,
    timers,
  });
  const halt = async () => {
    isReady = false;
    needs.onStopping();
    const endAt = clock.monotonic() + DRAIN_MS;
    const left = () => Math.max(0, endAt - clock.monotonic());
    await Promise.all([bolt.stop(), listener.stop(left())]);
    await boundary.drain(left());
    await reconciler.stop(left());
  };
  reconciler.start();
  isReady = true;
  await bolt.start().catch(async (error: unknown) => {
    await halt();
    throw error;
  });
  const ask = `GATEPOST_URL=${listener.url} GATEPOST_INTAKE_SECRET=… gatepost ask --title "Deploy 4.2" --wait`;
  const facts = { url: listener.url, store: store.name, ask };
  logger.info(facts, receiver.isConnected ? 'ready' : 'not yet connected to Slack');
  return {
    url: listener.url,
    failed: receiver.failed,
    async stop() {
      await halt();
      await close();
    },
  };
}

/** Slack's payloads are far smaller. */
const SLACK_BODY_MAX = 1024 * 1024;

/** The receiver at Gatepost's own server. */
export function slackRoute(receiver: HttpReceiver): Route {
  return {
    method: 'POST',
    path: '/slack/events',
    async handle(request) {
      const { headers } = request;
      const body = await readBody(request, SLACK_BODY_MAX, () => receiver.refuse({ headers }));
      return Buffer.isBuffer(body) ? receiver.handle({ headers, body }) : body;
    },
  };
}
