import type { Message } from '../../wire.ts';
import { type Args, flagArg, textArg } from '../args.ts';
import { addMessage, type Conversation } from '../conversation.ts';
import { findConversation, writableConversation } from '../find-conversation.ts';
import { readContent } from '../message-content.ts';
import { Refusal } from '../refusal.ts';
import { author, bot } from '../seed.ts';
import type { MethodWorld, WebMethod, WebMethods } from '../web-method.ts';
import { addEphemeral, directConversation, nextTs } from '../world.ts';

/** A channel, or the direct messages of a person when a person's id stands there. */
function postTarget(at: MethodWorld, id: string): Conversation {
  if (!/^[UW]/.test(id)) return writableConversation(at.world, id);
  const user = at.world.users.get(id);
  if (!user || user.deleted) throw new Refusal('channel_not_found');
  if (user.is_bot) throw new Refusal('cannot_dm_bot');
  return directConversation(at.world, id);
}

const postMessage: WebMethod = {
  scope: 'chat:write',
  required: ['channel'],
  run: (args, at) => {
    const conversation = postTarget(at, textArg(args, 'channel'));
    const content = readContent(args, at.world, { text: 40_000, tooMuch: 'msg_blocks_too_long' });
    const threadTs = textArg(args, 'thread_ts');
    const parent = conversation.byTs.get(threadTs);
    if (threadTs && !parent) throw new Refusal('thread_not_found');
    const waitMs = at.pacer.take(conversation.id, at.now());
    if (waitMs > 0) throw new Refusal('ratelimited', { waitMs });
    const message: Message = {
      type: 'message',
      ...(flagArg(args, 'reply_broadcast') && { subtype: 'thread_broadcast' }),
      ts: nextTs(at.world, at.now()),
      ...author,
      ...content,
      ...(parent && { thread_ts: parent.thread_ts ?? parent.ts }),
    };
    addMessage(conversation, message);
    return { channel: conversation.id, ts: message.ts, message };
  },
};

/** Throws what `chat.update` answers: it knows neither `is_archived` nor `not_in_channel`. */
function ownMessage(at: MethodWorld, args: Args) {
  const conversation = findConversation(at.world, textArg(args, 'channel'));
  if (conversation.archived) throw new Refusal('is_inactive');
  const message = conversation.byTs.get(textArg(args, 'ts'));
  if (!message || message.subtype === 'tombstone') throw new Refusal('message_not_found');
  const isIn = conversation.members.has(bot.userId);
  if (!isIn || message.bot_id !== bot.botId) throw new Refusal('cant_update_message');
  return { conversation, message };
}

const update: WebMethod = {
  scope: 'chat:write',
  required: ['channel', 'ts'],
  run: (args, at) => {
    const { conversation, message: before } = ownMessage(at, args);
    const content = readContent(args, at.world, { text: 4_000, tooMuch: 'msg_too_long' });
    const { blocks: _, ...kept } = before;
    const message: Message = {
      ...kept,
      ...content,
      edited: { user: bot.userId, ts: nextTs(at.world, at.now()) },
    };
    conversation.byTs.set(message.ts, message);
    return { channel: conversation.id, ts: message.ts, text: message.text, message };
  },
};

const postEphemeral: WebMethod = {
  scope: 'chat:write',
  required: ['channel', 'user'],
  run: (args, at) => {
    const conversation = writableConversation(at.world, textArg(args, 'channel'));
    const to = textArg(args, 'user');
    if (!conversation.members.has(to)) throw new Refusal('user_not_in_channel');
    const { metadata: _, ...content } = readContent(args, at.world, {
      text: 40_000,
      tooMuch: 'msg_too_long',
    });
    const threadTs = textArg(args, 'thread_ts');
    const ts = nextTs(at.world, at.now());
    addEphemeral(at.world, {
      type: 'message',
      ts,
      ...author,
      ...content,
      ...(threadTs && { thread_ts: threadTs }),
      channel: conversation.id,
      to,
    });
    return { message_ts: ts };
  },
};

const getPermalink: WebMethod = {
  required: ['channel', 'message_ts'],
  run: (args, at) => {
    const conversation = findConversation(at.world, textArg(args, 'channel'));
    const message = conversation.byTs.get(textArg(args, 'message_ts'));
    if (!message) throw new Refusal('message_not_found');
    const thread = message.thread_ts
      ? `?thread_ts=${message.thread_ts}&cid=${conversation.id}`
      : '';
    const mark = `p${message.ts.replace('.', '')}`;
    return {
      channel: conversation.id,
      permalink: `${at.url}/archives/${conversation.id}/${mark}${thread}`,
    };
  },
};

export const chatMethods: WebMethods = {
  'chat.postMessage': postMessage,
  'chat.update': update,
  'chat.postEphemeral': postEphemeral,
  'chat.getPermalink': getPermalink,
};
