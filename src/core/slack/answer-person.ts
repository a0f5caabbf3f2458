import type { BlockAction } from '@slack/bolt';
import { RemoteFailure } from '../lib/failure.ts';
import type { Replies, ResponseReply } from './replies.ts';

/** Somebody who just acted in Slack, and where. */
export interface Present {
  readonly user: string;
  readonly channel: string;
  readonly responseUrl: string | null;
}

/** Who pressed a button of a message. */
export function presentAt({ user, container, response_url }: BlockAction): Present {
  const responseUrl = response_url || null;
  return { user: user.id, channel: container.channel_id, responseUrl };
}

/**
 * Answers one person: by the response URL, if that fails where they are, and if that fails too (the bot may not be there)
 * by direct message. Throws RemoteFailure when all of them fail.
 */
export async function answerPerson(
  { replies }: { readonly replies: Replies },
  { user, channel, responseUrl }: Present,
  answer: ResponseReply,
): Promise<void> {
  if (responseUrl !== null && (await isSaid(replies.respondUrl(responseUrl, answer)))) return;
  const { replace, ...content } = answer;
  if (await isSaid(replies.ephemeral({ channel, user, ...content }))) return;
  await replies.direct({ user, ...content });
}

/** False: perhaps not. Better to tell the person twice than never. */
export function isSaid(saying: Promise<void>): Promise<boolean> {
  return saying.then(
    () => true,
    (error: unknown) => {
      if (error instanceof RemoteFailure) return false;
      throw error;
    },
  );
}
