import type { Message } from '../wire.ts';
import type { Conversation } from './conversation.ts';
import type { Events } from './events.ts';
import { bot } from './seed.ts';
import { nextTs, type World } from './world.ts';

/** Sends events about messages to the app, including its own. */
export interface Telling {
  readonly world: World;
  readonly now: () => number;
  readonly tell: Events['tell'];
}

/** For a new message. */
export function tellWritten(message: Message, conversation: Conversation, { tell }: Telling): void {
  if (!conversation.members.has(bot.userId)) return;
  const told = { ...message, channel: conversation.id };
  tell({ ...told, channel_type: kindOf(conversation) }, conversation);
  tellMetadata(message, conversation, tell);
  const isMention = message.text.includes(`<@${bot.userId}>`) && conversation.directTo === null;
  if (isMention && message.bot_id === undefined) {
    tell({ ...told, type: 'app_mention' }, conversation);
  }
}

function tellMetadata(
  { metadata, ts, user, team, app_id, bot_id }: Message,
  { id }: Conversation,
  tell: Events['tell'],
): void {
  if (metadata === undefined) return;
  tell({
    type: 'message_metadata_posted',
    app_id,
    bot_id,
    user_id: user,
    team_id: team,
    channel_id: id,
    message_ts: ts,
    metadata,
  });
}

/** For a changed message. */
export function tellChanged(
  message: Message,
  before: Message,
  conversation: Conversation,
  telling: Telling,
): void {
  const facts = { message, previous_message: before };
  telling.tell(hidden('message_changed', facts, conversation, telling), conversation);
}

/** For a deleted message. */
export function tellDeleted(before: Message, conversation: Conversation, telling: Telling): void {
  if (!conversation.members.has(bot.userId)) return;
  const facts = { deleted_ts: before.ts, previous_message: before };
  telling.tell(hidden('message_deleted', facts, conversation, telling), conversation);
}

function hidden(
  subtype: string,
  facts: Readonly<Record<string, unknown>>,
  conversation: Conversation,
  { world, now }: Telling,
) {
  return {
    type: 'message',
    subtype,
    hidden: true,
    channel: conversation.id,
    channel_type: kindOf(conversation),
    ts: nextTs(world, now()),
    ...facts,
  } as const;
}

function kindOf({ directTo, private: isPrivate }: Conversation): string {
  return directTo !== null ? 'im' : isPrivate ? 'group' : 'channel';
}
