import type { Logger } from 'pino';
import type { Connect } from '../http/exchange.ts';
import type { Clock } from '../lib/clock.ts';
import { createPause, type Pause } from '../lib/pause.ts';
import { type OnCall, seenCall } from '../lib/seen-call.ts';
import type { Timers } from '../lib/timers.ts';
import type { Timing } from '../lib/timing.ts';
import { restingClient } from './call-slack.ts';
import { MAX_BODY_BYTES, SLACK_API, slackConnections } from './slack-fetch.ts';
import { slackLogger } from './slack-logger.ts';
import { createWebApi, type SlackClient } from './web-api.ts';

interface WebClients {
  /** For views and messages to one person: 2 s, no retries. */
  readonly interactive: SlackClient;
  /** For messages that stay: as long as a step, and no retries, because a repeated post would appear twice. */
  readonly outbox: SlackClient;
  /** For look-ups of people and groups: 2 s a page. */
  readonly lookup: SlackClient;
  /** Slack's time, to the second, from its last answer's header; null: it has none. */
  readonly slackNow: () => number | null;
}

export interface WebClientsOptions {
  readonly botToken: string;
  /** null: Slack's own. */
  readonly apiUrl: string | null;
  readonly logger: Pick<Logger, 'warn'>;
  /** Called for every call. */
  readonly onCall?: OnCall | undefined;
}

/** Three clients, because their deadlines differ. */
export function createWebClients(
  options: WebClientsOptions,
  {
    clock,
    timers,
    timing,
    connect,
  }: {
    readonly clock: Pick<Clock, 'monotonic'>;
    readonly timers: Timers;
    readonly timing: Timing;
    /** Default: the network. */
    readonly connect?: Connect;
  },
): WebClients {
  const connections = slackConnections(connect);
  const { onDate, slackNow } = serverTime(clock);
  const rests = new Map<string, Pause>();
  const restOf = (method: string) => {
    const rest = rests.get(method) ?? createPause(clock);
    rests.set(method, rest);
    return rest;
  };
  const seen = { monotonic: () => clock.monotonic(), onCall: options.onCall };
  const { warn } = slackLogger(options.logger);
  const client = (ms: number) => {
    const limits = { deadline: { ms, timers }, maxBodyBytes: MAX_BODY_BYTES };
    const { botToken, apiUrl } = options;
    const needs = { botToken, apiUrl: apiUrl ?? SLACK_API, connections, limits, warn, onDate };
    const api = createWebApi(needs);
    const apiCall: SlackClient['apiCall'] = (method, parameters) =>
      seenCall(method, () => api.apiCall(method, parameters), seen);
    return restingClient({ apiCall }, restOf);
  };
  return {
    interactive: client(2_000),
    outbox: client(timing.stepMs),
    lookup: client(2_000),
    slackNow,
  };
}

/** Slack's time, from the headers passed to `onDate`. */
function serverTime(clock: Pick<Clock, 'monotonic'>) {
  let said: { readonly at: number; readonly tick: number } | null = null;
  const onDate = (date: string) => {
    const at = Date.parse(date);
    if (!Number.isNaN(at)) said = { at, tick: clock.monotonic() };
  };
  const slackNow = () => (said === null ? null : said.at + (clock.monotonic() - said.tick));
  return { onDate, slackNow };
}
