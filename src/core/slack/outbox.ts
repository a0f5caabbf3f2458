import type { KnownBlock } from '@slack/types';
import * as z from 'zod';
import { RemoteFailure } from '../lib/failure.ts';
import type { Timers } from '../lib/timers.ts';
import type { Timing } from '../lib/timing.ts';
import type { SlackClient } from './call-slack.ts';
import { anyAnswer, callSlack } from './call-slack.ts';
import { isOwnMessage, type OwnIds } from './identity.ts';

/** Which post of which record a message is: stored in its metadata, so that it can be found again. */
export interface PostMetadata {
  readonly record: string;
  /** `message`, `overflow`, `outcome`, … */
  readonly post: string;
  /** The outcome a message states, and the ids of the people it credits, comma-separated. */
  readonly status?: string | undefined;
  readonly credit?: string | undefined;
  readonly by?: string | undefined;
  /** Whom they decided for: pairs of ids, comma-separated. */
  readonly for?: string | undefined;
  /** Who of them approved their own request, then who reviewed that and when, comma-separated. */
  readonly self?: string | undefined;
  /** Their own request: that became known only afterwards. */
  readonly late?: string | undefined;
  /** The run that claimed what was approved, or `-` if something was reported without a claim. */
  readonly claim?: string | undefined;
}

/** A message: `text` is escaped markup, for notifications and screen readers; the blocks are what is shown. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
}

export interface NewPost {
  readonly channel: string;
  readonly threadTs?: string;
  /** Also shown in the channel; only with `threadTs`. */
  readonly replyBroadcast?: boolean;
  /** Escaped markup; with blocks, only for notifications and screen readers. */
  readonly text: string;
  readonly blocks?: readonly KnownBlock[];
  readonly metadata: PostMetadata;
}

export interface Update {
  readonly channel: string;
  readonly ts: string;
  readonly text: string;
  /** Without blocks Slack removes the message's: pass an empty list to remove them on purpose. */
  readonly blocks: readonly KnownBlock[];
  /** Default: the message keeps its metadata. */
  readonly metadata?: PostMetadata;
}

/** A message's current text, and which post it is. */
export interface Standing {
  readonly text: string;
  readonly metadata: PostMetadata | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Messages that stay. Every call throws RemoteFailure within 5 s; nothing is retried. */
export interface Outbox {
  post(post: NewPost, options?: CallOptions): Promise<{ channel: string; ts: string }>;
  update(update: Update, options?: CallOptions): Promise<void>;
  /** The `ts` of the message with this metadata; undefined: it certainly does not exist. */
  findByMetadata(search: Search, options?: CallOptions): Promise<string | undefined>;
  /** Our message as it is now; undefined: it does not exist. */
  readMessage(
    place: { readonly channel: string; readonly ts: string },
    options?: CallOptions,
  ): Promise<Standing | undefined>;
  /** The channel id of the direct messages with one person. */
  openDirectMessage(user: string, options?: CallOptions): Promise<string>;
}

export function createOutbox(needs: OutboxNeeds): Outbox {
  const { client } = needs;
  return {
    post: (post, options) => postMessage(client, post, options?.signal),
    update: (update, options) => updateMessage(client, update, options?.signal),
    findByMetadata: (search, options) => findPost(needs, search, options?.signal),
    readMessage: (place, options) => readPost(needs, place, options?.signal),
    async openDirectMessage(user, options) {
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

const opened = z.looseObject({ channel: z.looseObject({ id: z.string() }) });

const EVENT_TYPE = 'gatepost_post';

/** The metadata as sent with a message. */
function metadataOf(post: PostMetadata) {
  return { event_type: EVENT_TYPE, event_payload: post };
}

/** Our metadata as it comes back with a message; anything else is ignored. */
const metadataSchema = z
  .looseObject({
    event_type: z.literal(EVENT_TYPE),
    event_payload: z.looseObject({
      record: z.string(),
      post: z.string(),
      status: z.string().optional().catch(undefined),
      credit: z.string().optional().catch(undefined),
      by: z.string().optional().catch(undefined),
      for: z.string().optional().catch(undefined),
      self: z.string().optional().catch(undefined),
      late: z.string().optional().catch(undefined),
      claim: z.string().optional().catch(undefined),
    }),
  })
  .optional()
  .catch(undefined);

const posted = z.looseObject({ channel: z.string(), ts: z.string() });

async function postMessage(client: SlackClient, post: NewPost, signal?: AbortSignal) {
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
  const { channel, ts, text, blocks, metadata } = update;
  const parameters = { channel, ts, text, blocks, metadata: metadata && metadataOf(metadata) };
  await callSlack(client, 'chat.update', parameters, anyAnswer, signal);
}

export interface Search {
  readonly channel: string;
  readonly threadTs?: string;
  /** In the store's time, in milliseconds since the epoch: older messages are not searched. */
  readonly sinceAt: number;
  readonly matches: PostMetadata;
}

interface OutboxNeeds {
  readonly client: SlackClient;
  /** Our own ids: a message of another app with our metadata is not ours. */
  readonly me: OwnIds;
  readonly timers: Timers;
  readonly timing: Timing;
  readonly storeNow: () => number;
  /** Slack's time; null: Slack did not say. */
  readonly slackNow: () => number | null;
}

const PAGE_SIZE = 200;
/** Slack's clock and the store's may differ. */
const CLOCK_SKEW_MS = 120_000;
/** The store's clock never runs slower than this while it is being adjusted. */
const SLOWEST = 0.9;

const historyPage = z.looseObject({
  messages: z.array(
    z.looseObject({
      ts: z.string(),
      user: z.string().optional().catch(undefined),
      app_id: z.string().optional().catch(undefined),
      bot_id: z.string().optional().catch(undefined),
      text: z.string().optional().catch(undefined),
      metadata: metadataSchema,
    }),
  ),
  has_more: z.boolean().optional(),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
});
type Message = z.infer<typeof historyPage>['messages'][number];

/**
 * The `ts` of our message with this metadata; undefined: it certainly does not exist. Throws RemoteFailure, also when
 * time runs out before the whole history was read.
 */
async function findPost(
  needs: OutboxNeeds,
  search: Search,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { client, me, timers, timing } = needs;
  const oldest = slackTime(sinceAtSlack(needs, search) - CLOCK_SKEW_MS);
  const method = search.threadTs ? 'conversations.replies' : 'conversations.history';
  const deadline = timers.deadline(timing.stepMs);
  const ends = signal ? AbortSignal.any([signal, deadline]) : deadline;
  const isSought = (message: Message) =>
    isOwnMessage(me, message) && carries(message, search.matches);
  let cursor: string | undefined;
  do {
    const page = await callSlack(
      client,
      method,
      {
        channel: search.channel,
        ts: search.threadTs,
        oldest,
        inclusive: true,
        include_all_metadata: true,
        limit: PAGE_SIZE,
        cursor,
      },
      historyPage,
      ends,
    );
    const found = page.messages.find(isSought);
    if (found) return found.ts;
    cursor = page.response_metadata?.next_cursor || undefined;
    if (cursor === undefined && page.has_more) {
      throw new RemoteFailure(method, { class: 'unreadable', code: 'cursor_missing', status: 200 });
    }
  } while (cursor !== undefined);
  return undefined;
}

/**
 * The same moment on Slack's clock, or earlier. A store whose clock was set forward stays ahead for hours, and by its
 * time messages posted since then would be too old to be searched.
 */
function sinceAtSlack({ storeNow, slackNow }: OutboxNeeds, { sinceAt }: Search): number {
  const now = slackNow();
  if (now === null) return sinceAt;
  const ageMs = Math.max(0, storeNow() - sinceAt) / SLOWEST;
  return Math.min(sinceAt, now - ageMs);
}

/** Throws RemoteFailure. */
async function readPost(
  { client, me }: OutboxNeeds,
  { channel, ts }: { readonly channel: string; readonly ts: string },
  signal?: AbortSignal,
): Promise<Standing | undefined> {
  const place = { channel, oldest: ts, latest: ts, inclusive: true, limit: 1 };
  const page = await callSlack(
    client,
    'conversations.history',
    { ...place, include_all_metadata: true },
    historyPage,
    signal,
  );
  const message = page.messages.find((each) => each.ts === ts);
  if (message === undefined || !isOwnMessage(me, message)) return undefined;
  return { text: message.text ?? '', metadata: message.metadata?.event_payload };
}

function carries({ metadata }: Message, { record, post }: PostMetadata): boolean {
  const found = metadata?.event_payload;
  return found?.record === record && isOrFollows(found.post, post);
}

/** The store may have lost that it was posted again, under the next name. */
function isOrFollows(found: string, post: string): boolean {
  const [name, number] = postedAs(found);
  const [sought, least] = postedAs(post);
  return name === sought && number >= least;
}

function postedAs(post: string): [name: string, number: number] {
  const [, name = post, number = '0'] = /^(.+)-again-(\d+)$/.exec(post) ?? [];
  return [name, Number(number)];
}

/** Seconds with six decimals, like a `ts`. */
function slackTime(epochMs: number): string {
  return (Math.max(epochMs, 0) / 1000).toFixed(6);
}
