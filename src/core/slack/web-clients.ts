import { webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Connect } from '../http/exchange.ts';
import type { Clock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { createPause, type Pause } from '../lib/pause.ts';
import { type OnCall, seenCall } from '../lib/seen-call.ts';
import type { Timers } from '../lib/timers.ts';
import type { Timing } from '../lib/timing.ts';
import { restingClient, type SlackClient } from './call-slack.ts';
import { slackFailure, UNREADABLE } from './slack-failure.ts';
import { createSlackFetch, slackConnections } from './slack-fetch.ts';
import { slackLogger } from './slack-logger.ts';

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

/** Three of Slack's clients, because their deadlines differ. */
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
  const client = (ms: number) => {
    const fetch = createSlackFetch(connections, { ms, timers });
    const dated: webApi.FetchFunction = async (...request) => {
      const answer = await fetch(...request);
      onDate(answer.headers.get('date') ?? '');
      return answer;
    };
    const api = new webApi.WebClient(options.botToken, clientOptions({ ...options, fetch: dated }));
    const apiCall: SlackClient['apiCall'] = (method, parameters) =>
      seenCall(method, () => callOnce(api, method, parameters), seen);
    return restingClient({ apiCall }, restOf);
  };
  return {
    interactive: client(2_000),
    outbox: client(timing.stepMs),
    lookup: client(2_000),
    slackNow,
  };
}

/** One try, no queue, no waiting: a rate limit is an error that says when to try again. */
export function clientOptions({
  apiUrl,
  logger,
  fetch,
}: Pick<WebClientsOptions, 'apiUrl' | 'logger'> & {
  readonly fetch: webApi.FetchFunction;
}): webApi.WebClientOptions {
  return {
    ...(apiUrl !== null && { slackApiUrl: apiUrl }),
    fetch,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    maxRequestConcurrency: Number.POSITIVE_INFINITY,
    allowAbsoluteUrls: false,
    logger: slackLogger(logger),
  };
}

async function callOnce(
  api: webApi.WebClient,
  method: string,
  parameters?: Record<string, unknown>,
): Promise<unknown> {
  const answer = await api.apiCall(method, parameters).catch((error: unknown) => {
    throw slackFailure(method, error);
  });
  // Slack's client lets through what it unpacks, and any `ok` but false.
  if (answer.ok !== true) throw new RemoteFailure(method, UNREADABLE);
  return answer;
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
