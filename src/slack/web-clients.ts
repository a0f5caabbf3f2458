import { webApi } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { createPause, type Pause } from '../lib/pause.ts';
import { type OnCall, seenCall } from '../lib/seen-call.ts';
import type { Timing } from '../lib/timing.ts';
import { restingClient, type SlackClient } from './call-slack.ts';
import { slackFailure } from './slack-failure.ts';
import { createSlackFetch } from './slack-fetch.ts';
import { slackLogger } from './slack-logger.ts';

interface WebClients {
  /** Views and words to one person: 2 s, nothing is repeated. */
  readonly interactive: SlackClient;
  /** Messages that stay: as long as a step may take, nothing is repeated, because a repeated post is posted twice. */
  readonly outbox: SlackClient;
  /** Questions about people and groups: 2 s for each page. */
  readonly lookup: SlackClient;
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
  { clock, timing }: { readonly clock: Pick<Clock, 'monotonic'>; readonly timing: Timing },
): WebClients {
  const fetch = createSlackFetch();
  const rests = new Map<string, Pause>();
  const restOf = (method: string) => {
    const rest = rests.get(method) ?? createPause(clock);
    rests.set(method, rest);
    return rest;
  };
  const client = (timeout: number) => {
    const asked = { ...clientOptions(options, timeout), fetch };
    const seen = { monotonic: () => clock.monotonic(), onCall: options.onCall };
    return restingClient(seenClient(new webApi.WebClient(options.botToken, asked), seen), restOf);
  };
  return { interactive: client(2_000), outbox: client(timing.stepMs), lookup: client(2_000) };
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
 * One try, an end, and no waiting: a rate limit is an error that says when to come back. Without a
 * queue of its own the client sends at once, so that nothing is sent after its time.
 */
export function clientOptions(
  options: Omit<WebClientsOptions, 'botToken'>,
  timeout: number,
): webApi.WebClientOptions {
  return {
    ...(options.apiUrl !== null && { slackApiUrl: options.apiUrl }),
    // Kept by the client itself.
    timeout,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    maxRequestConcurrency: Number.POSITIVE_INFINITY,
    allowAbsoluteUrls: false,
    logger: slackLogger(options.logger),
  };
}
