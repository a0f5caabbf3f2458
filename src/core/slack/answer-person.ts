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

/** Answers one person: by the response URL, or where they are if that fails. Throws RemoteFailure when both fail. */
export async function answerPerson(
  { replies }: { readonly replies: Replies },
  { user, channel, responseUrl }: Present,
  answer: ResponseReply,
): Promise<void> {
  if (responseUrl !== null) {
    const isSaid = await replies.respondUrl(responseUrl, answer).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RemoteFailure) return false;
        throw error;
      },
    );
    if (isSaid) return;
  }
  const { replace, ...content } = answer;
  await replies.ephemeral({ channel, user, ...content });
}
