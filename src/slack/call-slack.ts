import type { z } from 'zod';
import { RemoteFailure } from '../lib/failure.ts';
import { waitFor } from '../lib/wait-for.ts';
import type { SlackClient } from './resting-client.ts';
import { slackFailure } from './slack-failure.ts';

/**
 * Calls one method of Slack's Web API and reads its answer by a schema. Members that are undefined
 * are not sent. Throws RemoteFailure: also `ambiguous` with code `aborted` when the signal fires
 * first (the request itself ends with its client's timeout), and `unreadable`.
 */
export async function callSlack<Answer>(
  client: SlackClient,
  method: string,
  parameters: Readonly<Record<string, unknown>>,
  answer: z.ZodType<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  if (signal?.aborted) throw new RemoteFailure(method, { class: 'not-sent', code: 'aborted' });
  const call = client.apiCall(method, { ...parameters }).catch((error: unknown) => {
    throw slackFailure(method, error);
  });
  const parsed = answer.safeParse(await waitFor(call, method, { signal }));
  if (parsed.success) return parsed.data;
  throw new RemoteFailure(method, { class: 'unreadable', code: 'unreadable_answer', status: 200 });
}
