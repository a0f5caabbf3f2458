import type { webApi } from '@slack/bolt';
import { RemoteFailure } from '../lib/failure.ts';
import type { Pause } from '../lib/pause.ts';
import { slackFailure } from './slack-failure.ts';

/** As much of the web client as is used. */
export type SlackClient = Pick<webApi.WebClient, 'apiCall'>;

/** Limited by channel and not as a method: whoever posts minds the turns of a channel. */
const LIMITED_BY_CHANNEL = 'chat.postMessage';
/** Slack did not say how long. */
const REST_MS = 2_000;

/**
 * A client that leaves a method alone for as long as Slack said with its 429. A call meanwhile fails
 * as Slack would refuse it, with the time that is left. `restOf` gives the rest of a method: Slack
 * counts the calls of all clients together.
 */
export function restingClient(client: SlackClient, restOf: (method: string) => Pause): SlackClient {
  return {
    async apiCall(method, options) {
      const rest = restOf(method);
      const leftMs = Math.ceil(rest.leftMs());
      if (leftMs > 0) throw new RemoteFailure(method, { ...LIMITED, retryAfterMs: leftMs });
      try {
        return await client.apiCall(method, options);
      } catch (error) {
        const failure = slackFailure(method, error);
        const isLimited = failure.status === 429 && method !== LIMITED_BY_CHANNEL;
        if (isLimited) rest.set(failure.retryAfterMs ?? REST_MS);
        throw failure;
      }
    },
  };
}

/** What Slack would answer. */
const LIMITED = { class: 'refused', code: 'ratelimited', status: 429 } as const;
