import * as z from 'zod';
import { RemoteFailure } from '../lib/failure.ts';
import type { Pause } from '../lib/pause.ts';
import { waitFor } from '../lib/wait-for.ts';

/** Slack's Web API (https://docs.slack.dev/apis/web-api): each call is sent once. See `web-clients.ts`. */
export interface SlackClient {
  /** Returns an `ok` answer. Undefined and null members are not sent. Throws RemoteFailure. */
  apiCall(method: string, parameters?: Record<string, unknown>): Promise<unknown>;
}

/** What a 429 says. */
export const RATE_LIMIT = { class: 'refused', code: 'ratelimited', status: 429 } as const;

/** For an answer that is not read. */
export const anyAnswer = z.unknown();

/**
 * Calls one Web API method and parses its answer. Undefined members are not sent. Throws RemoteFailure: also
 * `ambiguous` with code `aborted` when the signal fires first (the request itself ends with its client's timeout), and
 * `unreadable`. Define `answer` once: zod compiles a schema on first use.
 */
export async function callSlack<Answer>(
  client: SlackClient,
  method: string,
  parameters: Readonly<Record<string, unknown>>,
  answer: z.ZodType<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  if (signal?.aborted) throw new RemoteFailure(method, { class: 'not-sent', code: 'aborted' });
  const call = client.apiCall(method, encoded(parameters));
  const parsed = answer.safeParse(await waitFor(call, method, { signal }));
  if (parsed.success) return parsed.data;
  throw new RemoteFailure(method, { class: 'unreadable', code: 'unreadable_answer', status: 200 });
}

/** Objects and arrays are sent as JSON. Slack's client would do it too, but first copy each of them for a debug line. */
function encoded(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters)) {
    const isJson = typeof value === 'object' && value !== null;
    written[name] = isJson ? JSON.stringify(value) : value;
  }
  return written;
}

/** Rate-limited per channel, not per method: posts are paced by channel. */
const LIMITED_BY_CHANNEL = 'chat.postMessage';
/** Used when Slack does not say how long. */
const REST_MS = 2_000;

/**
 * A client that pauses a method for as long as Slack's 429 said. A call during the pause fails like the 429, with the
 * time that is left. `restOf` gives the pause of a method: Slack counts all clients together.
 */
export function restingClient(client: SlackClient, restOf: (method: string) => Pause): SlackClient {
  return {
    async apiCall(method, options) {
      const rest = restOf(method);
      const leftMs = Math.ceil(rest.leftMs());
      if (leftMs > 0) throw new RemoteFailure(method, { ...RATE_LIMIT, retryAfterMs: leftMs });
      try {
        return await client.apiCall(method, options);
      } catch (error) {
        const isLimited = error instanceof RemoteFailure && error.status === 429;
        if (isLimited && method !== LIMITED_BY_CHANNEL) rest.set(error.retryAfterMs ?? REST_MS);
        throw error;
      }
    },
  };
}
