import type { Message } from '../../wire.ts';
import { type Args, cursorArg, cursorOf, flagArg, limitArg, textArg } from '../args.ts';
import { type Conversation, type Range, shownMessage, within } from '../conversation.ts';
import { Refusal } from '../refusal.ts';
import { bot } from '../seed.ts';
import type { WebMethod, WebMethods } from '../web-method.ts';
import { seenConversation } from './conversations.ts';

function readRange(args: Args): Range {
  const bound = (name: 'oldest' | 'latest'): string => {
    const text = textArg(args, name);
    if (text !== '' && !/^\d+(\.\d+)?$/.test(text)) throw new Refusal(`invalid_ts_${name}`);
    return text;
  };
  return {
    oldest: bound('oldest'),
    latest: bound('latest'),
    inclusive: flagArg(args, 'inclusive'),
  };
}

/** Slack omits metadata unless it is requested. */
function shown(conversation: Conversation, list: readonly string[], args: Args) {
  const all = flagArg(args, 'include_all_metadata');
  return list.flatMap((ts) => {
    const message = conversation.byTs.get(ts);
    if (!message) return [];
    const { metadata, ...rest }: Message = message;
    return [shownMessage(conversation, all && metadata ? { ...rest, metadata } : rest)];
  });
}

function page(messages: readonly unknown[], next: string | undefined) {
  return {
    messages,
    has_more: next !== undefined,
    ...(next !== undefined && { response_metadata: { next_cursor: cursorOf(next) } }),
  };
}

const looking = {
  required: ['channel'],
  optional: ['cursor', 'include_all_metadata', 'inclusive', 'latest', 'limit', 'oldest'],
  errors: ['channel_not_found', 'invalid_cursor', 'invalid_ts_latest', 'invalid_ts_oldest'],
};

/** Newest first; a cursor encodes the `ts` before which the next page ends. */
const history: WebMethod = {
  ...looking,
  errors: [...looking.errors, 'not_in_channel'],
  run: (args, at) => {
    const conversation = seenConversation(at, args, 'history');
    if (!conversation.members.has(bot.userId)) throw new Refusal('not_in_channel');
    const limit = limitArg(args, { usual: 100, most: 999 });
    const [start, rangeEnd] = within(conversation.roots, readRange(args));
    const cursor = cursorArg(args);
    const before = { oldest: '', latest: cursor, inclusive: false };
    const end = cursor ? Math.min(rangeEnd, within(conversation.roots, before)[1]) : rangeEnd;
    const from = Math.max(start, end - limit);
    const list = conversation.roots.slice(from, Math.max(from, end)).reverse();
    const next = from > start ? conversation.roots[from] : undefined;
    return page(shown(conversation, list, args), next);
  },
};

/** Oldest first, the parent before the first page; a cursor encodes the last `ts` returned. */
const replies: WebMethod = {
  ...looking,
  required: ['channel', 'ts'],
  errors: [...looking.errors, 'thread_not_found'],
  run: (args, at) => {
    const conversation = seenConversation(at, args, 'history');
    const ts = textArg(args, 'ts');
    // Slack documents no separate error for threads of a channel that the app is not in.
    if (!conversation.members.has(bot.userId)) throw new Refusal('channel_not_found');
    if (!conversation.byTs.has(ts)) throw new Refusal('thread_not_found');
    const all = conversation.replies.get(ts) ?? [];
    const limit = limitArg(args, { usual: 1_000, most: 1_000 });
    const cursor = cursorArg(args);
    const [rangeStart, end] = within(all, readRange(args));
    const behind = { oldest: cursor, latest: '', inclusive: false };
    const start = cursor ? Math.max(rangeStart, within(all, behind)[0]) : rangeStart;
    const room = cursor ? limit : limit - 1;
    const list = all.slice(start, Math.min(end, start + room));
    const next = start + room < end ? (list.at(-1) ?? ts) : undefined;
    return page(shown(conversation, cursor ? list : [ts, ...list], args), next);
  },
};

export const messageMethods: WebMethods = {
  'conversations.history': history,
  'conversations.replies': replies,
};
