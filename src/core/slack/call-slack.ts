import type { webApi } from '@slack/bolt';
import { z } from 'zod';
import { RemoteFailure } from '../lib/failure.ts';
import type { Pause } from '../lib/pause.ts';
import { waitFor } from '../lib/wait-for.ts';
import { slackFailure } from './slack-failure.ts';

/** As much of the web client as is used. */
export type SlackClient = Pick<webApi.WebClient, 'apiCall'>;

/** For an answer of which nothing is read. */
export const anyAnswer = z.unknown();

/**
 * Calls one method of Slack's Web API and reads its answer by a schema. Members that are undefined
 * are not sent. Throws RemoteFailure: also `ambiguous` with code `aborted` when the signal fires
 * first (the request itself ends with its client's timeout), and `unreadable`. `answer` is made once:
 * zod compiles a schema when it is first used.
 */
export async function callSlack<Answer>(
  client: SlackClient,
  method: string,
  parameters: Readonly<Record<string, unknown>>,
  answer: z.ZodType<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  if (signal?.aborted) throw new RemoteFailure(method, { class: 'not-sent', code: 'aborted' });
  const call = client.apiCall(method, encoded(parameters)).catch((error: unknown) => {
    throw slackFailure(method, error);
  });
  const parsed = answer.safeParse(await waitFor(call, method, { signal }));
  if (parsed.success) return parsed.data;
  throw new RemoteFailure(method, { class: 'unreadable', code: 'unreadable_answer', status: 200 });
}

/**
 * What Slack takes as JSON is written as JSON here: what the client finds as an object it would copy and
 * write twice, once for a log that drops it.
 */
function encoded(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters)) {
    const isJson = typeof value === 'object' && value !== null;
    written[name] = isJson ? JSON.stringify(value) : value;
  }
  return written;
}

/** Limited by channel and not as a method: whoever posts minds the slots of a channel. */
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
