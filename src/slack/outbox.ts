import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { callSlack } from './call-slack.ts';
import { checkLimits } from './check-limits.ts';
import { findPart, readPart, type Search, type SearchNeeds } from './find-part.ts';
import { messageSchema } from './limits.ts';
import { metadataOf, type PartMetadata } from './part-metadata.ts';
import type { SlackClient } from './resting-client.ts';

export type { Search };

export interface Post {
  readonly channel: string;
  readonly threadTs?: string;
  /** Also shown in the channel; with `threadTs` only. */
  readonly replyBroadcast?: boolean;
  /** Markup, escaped; for notifications and screen readers where there are blocks. */
  readonly text: string;
  readonly blocks?: readonly KnownBlock[];
  readonly metadata: PartMetadata;
}

export interface Update {
  readonly channel: string;
  readonly ts: string;
  readonly text: string;
  /** Without blocks Slack removes those of the message: give an empty list to mean it. */
  readonly blocks: readonly KnownBlock[];
  /** Without it the message keeps what it has. */
  readonly metadata?: PartMetadata;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Messages that stay. Every call ends within 5 s and throws RemoteFailure; nothing is repeated. */
export interface Outbox {
  post(post: Post, options?: CallOptions): Promise<{ channel: string; ts: string }>;
  update(update: Update, options?: CallOptions): Promise<void>;
  /** The `ts` of the message that carries the metadata; undefined: it is certainly not there. */
  findByMetadata(search: Search, options?: CallOptions): Promise<string | undefined>;
  /** The metadata of our message; undefined: it has none, or is not there. */
  readMetadata(
    place: { readonly channel: string; readonly ts: string },
    options?: CallOptions,
  ): Promise<PartMetadata | undefined>;
  /** The channel id of the conversation with one person. */
  openDirectMessage(user: string, options?: CallOptions): Promise<string>;
}

export function createOutbox(needs: SearchNeeds): Outbox {
  const { client } = needs;
  return {
    post: (post, options) => postMessage(client, post, options?.signal),
    update: (update, options) => updateMessage(client, update, options?.signal),
    findByMetadata: (search, options) => findPart(needs, search, options?.signal),
    readMetadata: (place, options) => readPart(needs, place, options?.signal),
    async openDirectMessage(user, options) {
      const opened = z.looseObject({ channel: z.looseObject({ id: z.string() }) });
      const parameters = { users: user };
      const answer = await callSlack(
        client,
        'conversations.open',
        parameters,
        opened,
        options?.signal,
      );
      return answer.channel.id;
    },
  };
}

const posted = z.looseObject({ channel: z.string(), ts: z.string() });

async function postMessage(client: SlackClient, post: Post, signal?: AbortSignal) {
  checkLimits('chat.postMessage', messageSchema, post);
  const answer = await callSlack(
    client,
    'chat.postMessage',
    {
      channel: post.channel,
      text: post.text,
      blocks: post.blocks,
      thread_ts: post.threadTs,
      reply_broadcast: post.replyBroadcast,
      metadata: metadataOf(post.metadata),
      unfurl_links: false,
      unfurl_media: false,
    },
    posted,
    signal,
  );
  return { channel: answer.channel, ts: answer.ts };
}

async function updateMessage(client: SlackClient, update: Update, signal?: AbortSignal) {
  checkLimits('chat.update', messageSchema, update);
  const { channel, ts, text, blocks, metadata } = update;
  const parameters = { channel, ts, text, blocks, metadata: metadata && metadataOf(metadata) };
  await callSlack(client, 'chat.update', parameters, z.unknown(), signal);
}
