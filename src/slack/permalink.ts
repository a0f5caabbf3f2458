import { z } from 'zod';
import { RemoteFailure } from '../lib/failure.ts';
import { callSlack } from './call-slack.ts';
import type { SlackClient } from './resting-client.ts';

/** A link to a message, or undefined when Slack gives none. */
export async function permalink(
  client: SlackClient,
  channel: string,
  ts: string,
): Promise<string | undefined> {
  const answer = z.looseObject({ permalink: z.url() });
  try {
    const parameters = { channel, message_ts: ts };
    return (await callSlack(client, 'chat.getPermalink', parameters, answer)).permalink;
  } catch (error) {
    if (error instanceof RemoteFailure) return undefined;
    throw error;
  }
}
