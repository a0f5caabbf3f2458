import { webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Connect } from '../http/exchange.ts';
import type { Clock } from '../lib/clock.ts';
import { createPause, type Pause } from '../lib/pause.ts';
import { type OnCall, seenCall } from '../lib/seen-call.ts';
import type { Timers } from '../lib/timers.ts';
import type { Timing } from '../lib/timing.ts';
import { restingClient, type SlackClient } from './call-slack.ts';
import { slackFailure } from './slack-failure.ts';
import { createSlackFetch, slackConnections } from './slack-fetch.ts';
import { slackLogger } from './slack-logger.ts';

interface WebClients {
  /** Views and words to one person: 2 s, nothing is repeated. */
  readonly interactive: SlackClient;
  /** Messages that stay: as long as a step may take, nothing is repeated, because a repeated post is posted twice. */
  readonly outbox: SlackClient;
  /** Questions about people and groups: 2 s for each page. */
  readonly lookup: SlackClient;
  /** What time it is at Slack, to the second, by the header of its last answer; null: it did not say. */
  readonly slackNow: () => number | null;
}

export interface WebClientsOptions {
  readonly botToken: string;
  /** null: Slack's own. */
  readonly apiUrl: string | null;
  readonly logger: Pick<Logger, 'warn'>;
  /** Told of every call. */
  readonly onCall?: OnCall | undefined;
}

/** Three clients, because what a person waits for ends sooner than what stays. */
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
  const { timed, slackNow } = serverTime(clock);
  const rests = new Map<string, Pause>();
  const restOf = (method: string) => {
    const rest = rests.get(method) ?? createPause(clock);
    rests.set(method, rest);
    return rest;
  };
  const client = (ms: number) => {
    const fetch = timed(createSlackFetch({ connections, deadline: { ms, timers } }));
    const asked = { ...clientOptions(options), fetch };
    const seen = { monotonic: () => clock.monotonic(), onCall: options.onCall };
    return restingClient(seenClient(new webApi.WebClient(options.botToken, asked), seen), restOf);
  };
  return {
    interactive: client(2_000),
    outbox: client(timing.stepMs),
    lookup: client(2_000),
    slackNow,
  };
}

/** What time it is at Slack, by the answers that come through `timed`. */
function serverTime(clock: Pick<Clock, 'monotonic'>) {
  let said: { readonly at: number; readonly tick: number } | null = null;
  const timed =
    (fetch: webApi.FetchFunction): webApi.FetchFunction =>
    async (address, options) => {
      const answer = await fetch(address, options);
      const at = Date.parse(answer.headers.get('date') ?? '');
      if (!Number.isNaN(at)) said = { at, tick: clock.monotonic() };
      return answer;
    };
  const slackNow = () => (said === null ? null : said.at + (clock.monotonic() - said.tick));
  return { timed, slackNow };
}

/** Tells of each call, by its method. */
function seenClient(client: SlackClient, seen: Parameters<typeof seenCall>[2]): SlackClient {
  const apiCall: SlackClient['apiCall'] = (method, options) => {
    const call = () =>
      client.apiCall(method, options).catch((error: unknown) => {
        throw slackFailure(method, error);
      });
    return seenCall(method, call, seen);
  };
  return { apiCall };
}

/**
 * One try, and no waiting: a rate limit is an error that says when to come back. Without a
 * queue of its own the client sends at once, so that nothing is sent after its time.
 */
export function clientOptions(
  options: Omit<WebClientsOptions, 'botToken'>,
): webApi.WebClientOptions {
  return {
    ...(options.apiUrl !== null && { slackApiUrl: options.apiUrl }),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    maxRequestConcurrency: Number.POSITIVE_INFINITY,
    allowAbsoluteUrls: false,
    logger: slackLogger(options.logger),
  };
}
