/**
 * How Gatepost is assembled: what exists (`features.ts`) and what runs for it (`wiring.ts`), the features' dependencies
 * (this file), the loop over their records (`loop.ts`), and their handlers for Slack and HTTP (`handlers.ts`). `app.ts`
 * calls them in order. There is no logic here.
 */

import type { Logger } from 'pino';
import type { IntakeCore } from '../approvals/ways-in/intake-calls.ts';
import { createWaiting } from '../approvals/ways-in/waiting.ts';
import { createAlertNow } from '../core/alerts/alert-now.ts';
import { type RaiseAlert, raiseAlert } from '../core/alerts/raise-alert.ts';
import type { Config } from '../core/config/config.ts';
import { createCallbacks } from '../core/http/callbacks.ts';
import type { Connect } from '../core/http/exchange.ts';
import type { Metrics } from '../core/http/metrics.ts';
import { createCallers } from '../core/identity-tokens/callers.ts';
import { ageClock } from '../core/lib/clock.ts';
import type { GiveWay } from '../core/lib/give-way.ts';
import type { SecretBox } from '../core/lib/secret-box.ts';
import type { OnCall } from '../core/lib/seen-call.ts';
import type { System } from '../core/lib/system.ts';
import type { Timing } from '../core/lib/timing.ts';
import { createDirectory } from '../core/people/directory.ts';
import { createPostingQueue } from '../core/posts/posting-queue.ts';
import type { ServiceClient } from '../core/service/service-client.ts';
import { createSlackApp, type SlackApp } from '../core/slack/bolt-app.ts';
import { type Boundary, createBoundary } from '../core/slack/boundary.ts';
import { createHomeTab } from '../core/slack/home-tab.ts';
import { HttpReceiver } from '../core/slack/http-receiver.ts';
import { askIdentity, type SlackIdentity } from '../core/slack/identity.ts';
import { createSlackLinks } from '../core/slack/links.ts';
import { createLookup } from '../core/slack/lookup.ts';
import { createModals } from '../core/slack/modals.ts';
import { createNames } from '../core/slack/names.ts';
import { createOutbox } from '../core/slack/outbox.ts';
import { createPermalinks } from '../core/slack/permalink.ts';
import { createReplies } from '../core/slack/replies.ts';
import { missingScopes } from '../core/slack/scopes.ts';
import type { SlackReceiver } from '../core/slack/slack-receiver.ts';
import { createThreadReader } from '../core/slack/thread.ts';
import { createWebClients } from '../core/slack/web-clients.ts';
import { type Store, StoreError } from '../core/store/store.ts';
import type { StoreHealth } from '../core/store/watched-store.ts';
import { featureOf } from './features.ts';

/** The dependencies of everything else. */
export interface BaseDependencies extends System {
  readonly version: string;
  readonly config: Config;
  readonly logger: Logger;
  readonly timing: Timing;
  /** The network. */
  readonly connect: Connect;
  /** Watched by `health`. */
  readonly store: Store;
  readonly metrics: Metrics;
  readonly onSlackCall: OnCall;
  readonly health: StoreHealth;
  readonly service: ServiceClient;
  readonly box: SecretBox;
  readonly giveWay: GiveWay;
  readonly refreshCatalogue: () => Promise<void>;
}

/** Asks Slack who Gatepost is. Rejects with SlackStartError. */
export async function createDependencies(
  base: BaseDependencies,
): Promise<{ dependencies: Omit<IntakeCore, 'reconciler'>; slack: SlackApp }> {
  const { config, logger, clock, timers, random, timing, connect, store, service } = base;
  const onCall = base.onSlackCall;
  const clients = createWebClients({ ...config.slack, logger, onCall }, base);
  const replies = createReplies({
    client: clients.interactive,
    apiUrl: config.slack.apiUrl,
    clock,
    timers,
    onCall,
    connect,
  });
  const newReference = () => random.bytes(4).toString('hex');
  const me = await askIdentity({ client: clients.lookup, logger, timers });
  warnOfScopes(me, logger);
  const offSentence = (id: string) => (config.service === null ? featureOf(id)?.off : undefined);
  const boundary = createBoundary({ ...base, replies, newReference, offSentence });
  const receiver = await receiverOf(base, boundary);
  const slack = createSlackApp({ me, receiver, boundary, logger });
  const { administrators } = config;
  const ages = ageClock(clock);
  const { isOfOrganisation } = me;
  const asking = { client: clients.lookup, isOfOrganisation, clock: ages };
  const lookup = createLookup({ ...asking, timers, timing });
  const workspace = { team: me.teamId, enterprise: me.enterpriseId, teams: config.teams };
  const alertNow = createAlertNow({
    ...{ replies, lookup, logger, administrators, clock, timers, timing },
    signal: base.health.stopped,
    onAlert: (cause) => base.metrics.count('alert', { cause }),
  });
  const raise: RaiseAlert = async (news) => {
    try {
      await raiseAlert({ store, administrators }, news);
    } catch (error) {
      // If only part of the store is unavailable, the alert is sent without it.
      if (!(error instanceof StoreError) || !base.health.isPartlyAway) throw error;
      alertNow(news);
    }
  };
  const links = createSlackLinks({ workspaceUrl: me.workspaceUrl, lookup, timers });
  const dependencies = {
    ...base,
    raise,
    alertNow,
    directory: createDirectory({
      users: service.users,
      config,
      workspace,
      store,
      raise,
      clock: ages,
      timers,
    }),
    replies,
    queue: createPostingQueue(clock, timing),
    callbacks: createCallbacks({
      sources: config.sources,
      clock,
      timers,
      connect,
      onEnded: (result) => base.metrics.count('callback', { result }),
    }),
    callers: createCallers({
      ...config,
      connect,
      clock,
      timers,
      onToken: (result) => base.metrics.count('identityToken', { result }),
      onTrouble(alert) {
        raise(alert).catch((error: unknown) => {
          logger.warn({ err: error }, 'could not alert administrators');
        });
      },
    }),
    waiting: createWaiting({ store, timers, logger }),
    lookup,
    ages,
    outbox: createOutbox({
      client: clients.outbox,
      me,
      timers,
      timing,
      storeNow: () => store.now(),
      slackNow: clients.slackNow,
    }),
    modals: createModals(clients.interactive),
    homeTab: createHomeTab(clients.interactive),
    permalink: createPermalinks({ client: clients.lookup, clock, links }),
    readThread: createThreadReader({ client: clients.lookup, me, timers, timing }),
    names: createNames({ lookup, client: clients.lookup, clock, timers }),
    links,
    newReference,
    workspace,
  };
  return { dependencies, slack };
}

function warnOfScopes({ scopes }: SlackIdentity, logger: Logger): void {
  if (scopes === null) return;
  const missing = missingScopes(scopes).map(([scope, why]) => `${scope}: ${why}`);
  if (missing.length > 0) logger.warn({ missing }, 'Slack did not grant every scope');
}

/** How requests come from Slack. */
async function receiverOf(base: BaseDependencies, boundary: Boundary): Promise<SlackReceiver> {
  const { clock, metrics, config } = base;
  const onAnswered = (tookMs: number) => metrics.took('acknowledgement', null, tookMs);
  const needs = { ...base, boundary, onAnswered };
  if (config.slack.mode === 'http') {
    return new HttpReceiver({
      ...needs,
      signingSecret: config.slack.signingSecret,
      now: () => clock.now(),
      onRefused: (refusal) => metrics.count('slackRefused', { refusal }),
    });
  }
  // With Slack's library for it, which is as large as Bolt.
  const { SocketReceiver } = await import('../core/slack/socket-receiver.ts');
  // So that the metric exists from the start.
  metrics.set('connected', null, 0);
  const onConnected = (count: number) => metrics.set('connected', null, count);
  return new SocketReceiver({ ...needs, ...config.slack, proxies: config.proxies, onConnected });
}
