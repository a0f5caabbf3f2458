import type { Message } from '../../wire.ts';
import { type Args, flagArg, textArg } from '../args.ts';
import { addMessage, type Conversation, changeMessage, deleteMessage } from '../conversation.ts';
import { contentErrors, readContent } from '../message-content.ts';
import { tellChanged, tellDeleted, tellWritten } from '../message-events.ts';
import { Refusal } from '../refusal.ts';
import { author, bot } from '../seed.ts';
import type { MethodWorld, WebMethod, WebMethods } from '../web-method.ts';
import { addEphemeral, directConversation, nextTs } from '../world.ts';
import { findConversation, writableConversation } from './conversations.ts';

/** Arguments of every method that writes a message, and those of them without effect here. */
export const contentArguments = ['attachments', 'blocks', 'text'];
export const ignoredArguments = ['as_user', 'link_names', 'parse'];
export const authorArguments = ['icon_emoji', 'icon_url', 'username'];
export const threadArguments = ['reply_broadcast', 'thread_ts'];

/** Errors about the place where a message is to be written. */
export const writingErrors = [
  'cannot_reply_to_message',
  'channel_not_found',
  'is_archived',
  'messages_tab_disabled',
  'not_in_channel',
];

/** Checks everything about a message that a call wants to write. Throws, or returns what writes it. */
export function prepareMessage(
  args: Args,
  at: MethodWorld,
  limits: Parameters<typeof readContent>[2],
): { readonly conversation: Conversation; readonly write: () => Message } {
  const conversation = postTarget(at, textArg(args, 'channel'));
  const content = readContent(args, at.world, limits);
  const parent = parentOf(args, conversation);
  const isBroadcast = parent !== undefined && flagArg(args, 'reply_broadcast');
  const own = ownAuthor(args, at);
  const write = (): Message => {
    const message: Message = {
      type: 'message',
      ...(isBroadcast && { subtype: 'thread_broadcast' }),
      ts: nextTs(at.world, at.now()),
      ...author,
      ...own,
      ...content,
      ...(parent && { thread_ts: parent.thread_ts ?? parent.ts }),
    };
    addMessage(conversation, message);
    tellWritten(message, conversation, at);
    return message;
  };
  return { conversation, write };
}

/** A name and a picture of this message alone. Without the scope Slack ignores them. */
export function ownAuthor(args: Args, at: MethodWorld): Pick<Message, 'username' | 'icons'> {
  const [emoji, image, username] = authorArguments.map((name) => textArg(args, name));
  if (!emoji && !image && !username) return {};
  if (!at.hasScope('chat:write.customize')) {
    at.note('username and icon have no effect without the scope chat:write.customize');
    return {};
  }
  const icons = emoji ? { emoji } : image ? { image_64: image } : undefined;
  return { ...(username && { username }), ...(icons && { icons }) };
}

const postMessage: WebMethod = {
  scope: 'chat:write',
  required: ['channel'],
  optional: [...contentArguments, ...threadArguments, ...authorArguments, 'metadata'],
  ignored: [...ignoredArguments, 'mrkdwn', 'unfurl_links', 'unfurl_media'],
  errors: [...contentErrors, ...writingErrors, 'msg_blocks_too_long'],
  run: (args, at) => {
    const { conversation, write } = prepareMessage(args, at, { tooMuch: 'msg_blocks_too_long' });
    const waitMs = at.pacer.take(conversation.id, at.now());
    if (waitMs > 0) throw new Refusal('ratelimited', { waitMs });
    const message = write();
    return { channel: conversation.id, ts: message.ts, message };
  },
};

/** Throws the errors of `chat.update`: it knows neither `is_archived` nor `not_in_channel`. */
function ownMessage(at: MethodWorld, args: Args) {
  const conversation = findConversation(at.world, textArg(args, 'channel'));
  if (conversation.archived) throw new Refusal('is_inactive');
  const message = conversation.byTs.get(textArg(args, 'ts'));
  if (!message || message.subtype === 'tombstone') throw new Refusal('message_not_found');
  const isIn = conversation.members.has(bot.userId);
  if (!isIn || message.bot_id !== bot.botId) throw new Refusal('cant_update_message');
  if (message.streaming_state === 'in_progress') throw new Refusal('streaming_state_conflict');
  const ageMs = at.now() - Number(message.ts) * 1000;
  const { editWindowMs } = at.world;
  if (editWindowMs !== null && ageMs > editWindowMs) throw new Refusal('edit_window_closed');
  return { conversation, message };
}

const update: WebMethod = {
  scope: 'chat:write',
  required: ['channel', 'ts'],
  optional: [...contentArguments, 'metadata'],
  ignored: ignoredArguments,
  errors: [
    ...contentErrors,
    'cant_update_message',
    'channel_not_found',
    'edit_window_closed',
    'is_inactive',
    'message_not_found',
    'msg_too_long',
    'streaming_state_conflict',
  ],
  run: (args, at) => {
    const { conversation, message: before } = ownMessage(at, args);
    const limits = { mostText: 4_000, tooMuch: 'msg_too_long' };
    const content = readContent(args, at.world, limits);
    const { blocks: _, ...kept } = before;
    const message: Message = {
      ...kept,
      ...content,
      edited: { user: bot.userId, ts: nextTs(at.world, at.now()) },
    };
    changeMessage(conversation, message);
    tellChanged(message, before, conversation, at);
    return { channel: conversation.id, ts: message.ts, text: message.text, message };
  },
};

const remove: WebMethod = {
  scope: 'chat:write',
  required: ['channel', 'ts'],
  ignored: ['as_user'],
  errors: ['cant_delete_message', 'channel_not_found', 'message_not_found'],
  run: (args, at) => {
    const conversation = findConversation(at.world, textArg(args, 'channel'));
    const ts = textArg(args, 'ts');
    const message = conversation.byTs.get(ts);
    if (!message || message.subtype === 'tombstone') throw new Refusal('message_not_found');
    if (message.bot_id !== bot.botId) throw new Refusal('cant_delete_message');
    deleteMessage(conversation, message);
    tellDeleted(message, conversation, at);
    return { channel: conversation.id, ts };
  },
};

const postEphemeral: WebMethod = {
  scope: 'chat:write',
  required: ['channel', 'user'],
  optional: [...contentArguments, ...authorArguments, 'thread_ts'],
  ignored: ignoredArguments,
  errors: [
    ...writingErrors,
    'invalid_blocks',
    'invalid_blocks_format',
    'msg_too_long',
    'no_text',
    'too_many_attachments',
    'user_not_in_channel',
  ],
  run: (args, at) => {
    const conversation = writable(at, textArg(args, 'channel'));
    const to = textArg(args, 'user');
    if (!conversation.members.has(to)) throw new Refusal('user_not_in_channel');
    const limits = { mostText: 40_000, tooMuch: 'msg_too_long' };
    const content = readContent(args, at.world, limits);
    const parent = parentOf(args, conversation);
    const ts = nextTs(at.world, at.now());
    addEphemeral(at.world, {
      type: 'message',
      ts,
      ...author,
      ...ownAuthor(args, at),
      ...content,
      ...(parent && { thread_ts: parent.thread_ts ?? parent.ts }),
      channel: conversation.id,
      to,
    });
    return { message_ts: ts };
  },
};

const getPermalink: WebMethod = {
  required: ['channel', 'message_ts'],
  errors: ['channel_not_found', 'message_not_found'],
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
  'chat.delete': remove,
  'chat.postEphemeral': postEphemeral,
  'chat.getPermalink': getPermalink,
};

/** A channel, or the direct messages of a person if it is a person's id. */
export function postTarget(at: MethodWorld, id: string): Conversation {
  if (!/^[UW]/.test(id)) return writable(at, idOf(at, id));
  checkMessagesTab(at);
  const user = at.world.users.get(id);
  if (!user || user.deleted || user.is_bot) throw new Refusal('channel_not_found');
  return directConversation(at.world, id);
}

/** The id of a channel that is named by its name; anything else is returned unchanged. */
function idOf({ world }: MethodWorld, given: string): string {
  const name = given.replace(/^#/, '');
  const named = [...world.conversations.values()].find(
    (each) => each.directTo === null && each.name === name,
  );
  return world.conversations.has(given) ? given : (named?.id ?? given);
}

/** The same, but it has to be a channel's id. */
function writable(at: MethodWorld, id: string): Conversation {
  const conversation = writableConversation(at, id);
  if (conversation.directTo !== null) checkMessagesTab(at);
  return conversation;
}

function checkMessagesTab({ manifest }: MethodWorld): void {
  if (manifest.messagesTab === 'off') throw new Refusal('messages_tab_disabled');
}

/** The message that `thread_ts` names. If it is itself a reply, the new one joins its thread. */
export function parentOf(args: Args, { byTs }: Conversation): Message | undefined {
  const threadTs = textArg(args, 'thread_ts');
  const parent = byTs.get(threadTs);
  if (threadTs && !parent) throw new Refusal('cannot_reply_to_message');
  return parent;
}
