import { createSlackFetch } from './slack-fetch.ts';

const SLACK = 'https://slack.com/api/';

/**
 * What time it is at Slack, to the second, by the header of any answer; null: it does not say. Rejects
 * when there is no answer. `apiUrl` null: Slack's own.
 */
export async function askServerTime(
  apiUrl: string | null,
  signal: AbortSignal,
): Promise<number | null> {
  const answer = await createSlackFetch()(`${apiUrl ?? SLACK}api.test`, { method: 'POST', signal });
  const at = Date.parse(answer.headers.get('date') ?? '');
  return Number.isNaN(at) ? null : at;
}
