import * as z from 'zod';
import type { Timers } from '../lib/timers.ts';
import type { Timing } from '../lib/timing.ts';
import { callSlack, type SlackClient } from './call-slack.ts';
import { isOwnMessage, type OwnIds } from './identity.ts';
import { messageMarkup } from './message-markup.ts';

/** A message of a thread. */
export interface ThreadMessage {
  /** Its author's id; null: an app, or nobody Slack names. */
  readonly user: string | null;
  /** An app's name, not escaped; null: it has none. */
  readonly name: string | null;
  /** Everything people read in it, as Slack markup. */
  readonly markup: string;
}

export interface Thread {
  /** What people and other apps wrote, oldest first; without our own messages, and what Slack itself notes. */
  readonly messages: readonly ThreadMessage[];
  /** False: it has more than were read. */
  readonly isWhole: boolean;
}

/**
 * Reads a thread; `ts`: its first message. Throws RemoteFailure within 5 s: `missing_scope` with the scope as detail,
 * `channel_not_found` or `not_in_channel` where the bot is not.
 */
export type ReadThread = (channel: string, ts: string) => Promise<Thread>;

const PAGE_SIZE = 200;
/** Far more than a description holds. */
const PAGES_MAX = 5;

const word = z.string().optional().catch(undefined);
const page = z.looseObject({
  messages: z.array(
    z.looseObject({
      ts: z.string(),
      ...{ user: word, app_id: word, bot_id: word, subtype: word, username: word },
      bot_profile: z.looseObject({ name: word }).optional().catch(undefined),
    }),
  ),
  has_more: z.boolean().optional(),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
});
type Message = z.infer<typeof page>['messages'][number];

/** Messages that somebody wrote; the other kinds are notes of Slack, such as that a message was deleted. */
const WRITTEN: ReadonlySet<string | undefined> = new Set([
  ...[undefined, 'bot_message', 'file_share', 'me_message', 'thread_broadcast'],
]);

/** `me`: our own ids. */
export function createThreadReader({
  client,
  me,
  timers,
  timing,
}: {
  readonly client: SlackClient;
  readonly me: OwnIds;
  readonly timers: Timers;
  readonly timing: Timing;
}): ReadThread {
  return async (channel, ts) => {
    const ends = timers.deadline(timing.stepMs);
    // Slack can repeat the first message on every page.
    const found = new Map<string, Message>();
    let cursor: string | undefined;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const asked = { channel, ts, limit: PAGE_SIZE, cursor };
      const answer = await callSlack(client, 'conversations.replies', asked, page, ends);
      for (const message of answer.messages) found.set(message.ts, message);
      cursor = answer.response_metadata?.next_cursor || undefined;
      if (cursor === undefined)
        return { messages: writtenIn(found, me), isWhole: !answer.has_more };
    }
    return { messages: writtenIn(found, me), isWhole: false };
  };
}

function writtenIn(found: ReadonlyMap<string, Message>, me: OwnIds): readonly ThreadMessage[] {
  return [...found.values()]
    .filter((message) => WRITTEN.has(message.subtype) && !isOwnMessage(me, message))
    .map((message) => ({
      user: (message.bot_id === undefined && message.user) || null,
      name: message.username || message.bot_profile?.name || null,
      markup: messageMarkup(message),
    }))
    .filter(({ markup }) => markup.trim() !== '');
}
