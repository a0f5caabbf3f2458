import type { Message } from '../../wire.ts';
import { type Args, cursorArg, cursorOf, flagArg, limitArg, textArg } from '../args.ts';
import { type Conversation, type Range, scopeFor, shownMessage, within } from '../conversation.ts';
import { findConversation, joinedConversation } from '../find-conversation.ts';
import { Refusal } from '../refusal.ts';
import type { MethodWorld, WebMethod, WebMethods } from '../web-method.ts';
import { directConversation } from '../world.ts';

const open: WebMethod = {
  scope: 'im:write',
  run: (args, at) => {
    const users = textArg(args, 'users').split(',').filter(Boolean);
    if (textArg(args, 'channel')) {
      return { channel: { id: findConversation(at.world, textArg(args, 'channel')).id } };
    }
    if (users.length === 0) throw new Refusal('users_list_not_supplied');
    if (users.length > 1) throw new Refusal('too_many_users');
    const user = at.world.users.get(users[0] ?? '');
    if (!user) throw new Refusal('user_not_found');
    if (user.deleted) throw new Refusal('user_disabled');
    if (user.is_bot) throw new Refusal('cannot_dm_bot');
    return { channel: { id: directConversation(at.world, user.id).id } };
  },
};

function seen(at: MethodWorld, args: Args, right: 'read' | 'history'): Conversation {
  const conversation = findConversation(at.world, textArg(args, 'channel'));
  at.needScope(scopeFor(conversation, right));
  return conversation;
}

const members: WebMethod = {
  required: ['channel'],
  run: (args, at) => {
    const all = [...seen(at, args, 'read').members];
    const start = Number(cursorArg(args) || 0);
    const end = start + limitArg(args, 100, 1000);
    const next = end < all.length ? cursorOf(String(end)) : '';
    return { members: all.slice(start, end), response_metadata: { next_cursor: next } };
  },
};

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

/** Slack leaves metadata out unless it is asked for. */
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

/** Newest first; a cursor stands for the `ts` before which the next page ends. */
const history: WebMethod = {
  required: ['channel'],
  run: (args, at) => {
    seen(at, args, 'history');
    const conversation = joinedConversation(at.world, textArg(args, 'channel'));
    const limit = limitArg(args, 100, 999);
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

/** Oldest first, the parent in front of the first page; a cursor stands for the last `ts` that was given. */
const replies: WebMethod = {
  required: ['channel', 'ts'],
  run: (args, at) => {
    seen(at, args, 'history');
    const conversation = joinedConversation(at.world, textArg(args, 'channel'));
    const ts = textArg(args, 'ts');
    if (!conversation.byTs.has(ts)) throw new Refusal('thread_not_found');
    const all = conversation.replies.get(ts) ?? [];
    const limit = limitArg(args, 1000, 1000);
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

export const conversationMethods: WebMethods = {
  'conversations.open': open,
  'conversations.members': members,
  'conversations.history': history,
  'conversations.replies': replies,
};
