import { z } from 'zod';
import { RemoteFailure } from '../lib/failure.ts';
import { callSlack } from './call-slack.ts';
import { metadataSchema, type PartMetadata } from './part-metadata.ts';
import type { SlackClient } from './resting-client.ts';

export interface Search {
  readonly channel: string;
  readonly threadTs?: string;
  /** Milliseconds since the epoch: nothing older is looked at. */
  readonly sinceAt: number;
  readonly matches: PartMetadata;
}

export interface SearchNeeds {
  readonly client: SlackClient;
  /** Who we are: another app's message with our metadata is not ours. null: not known. */
  readonly botId: () => string | null;
}

const SEARCH_MS = 5_000;
const PAGE_SIZE = 200;
/** Slack's clock and the store's need not agree. */
const CLOCK_SKEW_MS = 120_000;

const historyPage = z.looseObject({
  messages: z.array(
    z.looseObject({
      ts: z.string(),
      bot_id: z.string().optional().catch(undefined),
      metadata: metadataSchema,
    }),
  ),
  has_more: z.boolean().optional(),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
});
type Message = z.infer<typeof historyPage>['messages'][number];

/**
 * The `ts` of our message that carries the metadata; undefined: it is certainly not there. Throws
 * RemoteFailure, also when the time ends before the history does: not found would be a guess.
 */
export async function findPart(
  { client, botId }: SearchNeeds,
  search: Search,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const method = search.threadTs ? 'conversations.replies' : 'conversations.history';
  const deadline = AbortSignal.timeout(SEARCH_MS);
  const ends = signal ? AbortSignal.any([signal, deadline]) : deadline;
  const isOurs = (message: Message) =>
    (botId() === null || message.bot_id === botId()) && carries(message, search.matches);
  let cursor: string | undefined;
  do {
    const page = await callSlack(
      client,
      method,
      {
        channel: search.channel,
        ts: search.threadTs,
        oldest: slackTime(search.sinceAt - CLOCK_SKEW_MS),
        inclusive: true,
        include_all_metadata: true,
        limit: PAGE_SIZE,
        cursor,
      },
      historyPage,
      ends,
    );
    const found = page.messages.find(isOurs);
    if (found) return found.ts;
    cursor = page.response_metadata?.next_cursor || undefined;
    if (cursor === undefined && page.has_more) {
      throw new RemoteFailure(method, { class: 'unreadable', code: 'cursor_missing', status: 200 });
    }
  } while (cursor !== undefined);
  return undefined;
}

/**
 * The metadata of our message; undefined: it has none, or is not there. Throws RemoteFailure.
 */
export async function readPart(
  { client, botId }: SearchNeeds,
  { channel, ts }: { readonly channel: string; readonly ts: string },
  signal?: AbortSignal,
): Promise<PartMetadata | undefined> {
  const place = { channel, oldest: ts, latest: ts, inclusive: true, limit: 1 };
  const page = await callSlack(
    client,
    'conversations.history',
    { ...place, include_all_metadata: true },
    historyPage,
    signal,
  );
  const message = page.messages.find((each) => each.ts === ts);
  const isOurs = botId() === null || message?.bot_id === botId();
  return isOurs ? message?.metadata?.event_payload : undefined;
}

function carries({ metadata }: Message, { record, part }: PartMetadata): boolean {
  const found = metadata?.event_payload;
  return found?.record === record && found.part === part;
}

/** Seconds with six decimals, as in a `ts`. */
function slackTime(epochMs: number): string {
  return (Math.max(epochMs, 0) / 1000).toFixed(6);
}
