import { isObject } from '../../exchange.ts';
import type { Message } from '../../wire.ts';
import { type Args, jsonArg, textArg } from '../args.ts';
import { completeBlocks } from '../complete-blocks.ts';
import { addMessage, type Conversation, changeMessage } from '../conversation.ts';
import { contentErrors, readBlocks, readMetadata } from '../message-content.ts';
import { tellChanged, tellWritten } from '../message-events.ts';
import { Refusal } from '../refusal.ts';
import { author, bot } from '../seed.ts';
import type { MethodWorld, WebMethod, WebMethods } from '../web-method.ts';
import { nextTs } from '../world.ts';
import { authorArguments, ownAuthor, parentOf, postTarget, writingErrors } from './chat.ts';
import { findConversation } from './conversations.ts';

/** Text of one call. */
const mostMarkdown = 12_000;

/** The text that a call adds: Markdown, as it is, and that of its chunks. undefined: it has neither. */
function readMarkdown(args: Args, at: MethodWorld): string | undefined {
  const chunks = jsonArg(args, 'chunks', 'invalid_chunks');
  const isGiven = textArg(args, 'markdown_text') !== '' || chunks !== undefined;
  if (!isGiven) return undefined;
  if (chunks !== undefined && !Array.isArray(chunks)) throw new Refusal('invalid_chunks');
  const texts = (chunks ?? []).map((chunk: unknown) => {
    if (!isObject(chunk) || typeof chunk.type !== 'string') throw new Refusal('invalid_chunks');
    if (chunk.type === 'markdown_text' && typeof chunk.text === 'string') return chunk.text;
    if (chunk.type === 'markdown_text') throw new Refusal('invalid_chunks');
    at.note(`a chunk ${chunk.type} is not shown here`);
    return '';
  });
  const text = textArg(args, 'markdown_text') + texts.join('');
  if (text.length > mostMarkdown) throw new Refusal('msg_too_long');
  return text;
}

const streamed = ['chunks', 'markdown_text'];

const start: WebMethod = {
  scope: 'chat:write',
  required: ['channel', 'thread_ts'],
  optional: [...streamed, ...authorArguments, 'recipient_team_id', 'recipient_user_id'],
  ignored: ['task_display_mode'],
  errors: [
    ...writingErrors,
    'invalid_chunks',
    'missing_recipient_team_id',
    'missing_recipient_user_id',
    'msg_too_long',
  ],
  run: (args, at) => {
    const conversation = postTarget(at, textArg(args, 'channel'));
    const parent = parentOf(args, conversation);
    // Everybody in a channel sees it: Slack wants to know whom it answers.
    for (const who of conversation.directTo === null ? ['team', 'user'] : []) {
      if (!textArg(args, `recipient_${who}_id`)) throw new Refusal(`missing_recipient_${who}_id`);
    }
    const message: Message = {
      type: 'message',
      ts: nextTs(at.world, at.now()),
      ...author,
      ...ownAuthor(args, at),
      text: readMarkdown(args, at) ?? '',
      streaming_state: 'in_progress',
      ...(parent && { thread_ts: parent.thread_ts ?? parent.ts }),
    };
    addMessage(conversation, message);
    tellWritten(message, conversation, at);
    return { channel: conversation.id, ts: message.ts };
  },
};

const ownErrors = [
  'channel_not_found',
  'invalid_chunks',
  'message_not_found',
  'message_not_in_streaming_state',
  'message_not_owned_by_app',
  'msg_too_long',
];

/** Throws unless it is a message that the app is still writing. */
function openStream(args: Args, at: MethodWorld): { conversation: Conversation; message: Message } {
  const conversation = findConversation(at.world, textArg(args, 'channel'));
  const message = conversation.byTs.get(textArg(args, 'ts'));
  if (!message || message.subtype === 'tombstone') throw new Refusal('message_not_found');
  if (message.bot_id !== bot.botId) throw new Refusal('message_not_owned_by_app');
  if (message.streaming_state !== 'in_progress')
    throw new Refusal('message_not_in_streaming_state');
  return { conversation, message };
}

const append: WebMethod = {
  scope: 'chat:write',
  required: ['channel', 'ts'],
  optional: streamed,
  errors: [...ownErrors, 'no_text'],
  run: (args, at) => {
    const { conversation, message } = openStream(args, at);
    const text = readMarkdown(args, at);
    if (text === undefined) throw new Refusal('no_text');
    changeMessage(conversation, { ...message, text: message.text + text });
    return { channel: conversation.id, ts: message.ts };
  },
};

const stop: WebMethod = {
  scope: 'chat:write',
  required: ['channel', 'ts'],
  optional: [...streamed, 'blocks', 'metadata'],
  ignored: ['session_status'],
  errors: [
    ...ownErrors,
    ...contentErrors.filter((error) => error !== 'no_text' && error !== 'too_many_attachments'),
  ],
  run: (args, at) => {
    const { conversation, message: before } = openStream(args, at);
    const text = before.text + (readMarkdown(args, at) ?? '');
    const blocks = readBlocks(args, 'msg_too_long');
    const metadata = readMetadata(args);
    const message: Message = {
      ...before,
      text,
      streaming_state: 'completed',
      ...(blocks && { blocks: completeBlocks(blocks, at.world) }),
      ...(metadata && { metadata }),
    };
    changeMessage(conversation, message);
    tellChanged(message, before, conversation, at);
    return { channel: conversation.id, ts: message.ts, message };
  },
};

const setStatus: WebMethod = {
  scope: 'chat:write',
  required: ['channel_id', 'status', 'thread_ts'],
  mayBeEmpty: ['status'],
  ignored: ['loading_messages', ...authorArguments],
  errors: ['channel_not_found'],
  run: (args, at) => {
    findConversation(at.world, textArg(args, 'channel_id'));
    if (textArg(args, 'status')) at.note('a status is not shown here');
    return {};
  },
};

/** Answers that grow while the app writes them. */
export const streamMethods: WebMethods = {
  'assistant.threads.setStatus': setStatus,
  'chat.appendStream': append,
  'chat.startStream': start,
  'chat.stopStream': stop,
};
