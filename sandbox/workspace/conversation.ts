import type { Message } from '../wire.ts';
import type { ChannelSeed } from './seed.ts';

/** A channel or a direct message with its messages. */
export interface Conversation {
  readonly id: string;
  name: string;
  /** The person, if it is a direct message. */
  readonly directTo: string | null;
  readonly private: boolean;
  archived: boolean;
  /** With another company. */
  shared: boolean;
  readonly members: Set<string>;
  readonly byTs: Map<string, Message>;
  /** `ts` of messages outside threads, ascending. */
  readonly roots: string[];
  /** `ts` of replies by the `ts` of their parent, ascending. */
  readonly replies: Map<string, string[]>;
  /** Called for every message that is written or changed. */
  readonly written: Written;
}

export type Written = (message: Message, channel: string) => void;

export function createConversation(
  seed: ChannelSeed & { readonly directTo?: string },
  written: Written,
): Conversation {
  return {
    id: seed.id,
    name: seed.name,
    directTo: seed.directTo ?? null,
    private: seed.private ?? false,
    archived: seed.archived ?? false,
    shared: false,
    members: new Set(seed.members),
    byTs: new Map(),
    roots: [],
    replies: new Map(),
    written,
  };
}

/** Messages must be added in the order of their `ts`. A broadcast reply is in the thread and in the channel. */
export function addMessage(conversation: Conversation, message: Message): void {
  changeMessage(conversation, message);
  const parent = message.thread_ts;
  if (parent === undefined) {
    conversation.roots.push(message.ts);
    return;
  }
  if (message.subtype === 'thread_broadcast') conversation.roots.push(message.ts);
  const replies = conversation.replies.get(parent);
  if (replies) replies.push(message.ts);
  else conversation.replies.set(parent, [message.ts]);
}

/** Replaces the message with the same `ts`. */
export function changeMessage(conversation: Conversation, message: Message): void {
  conversation.byTs.set(message.ts, message);
  conversation.written(message, conversation.id);
}

/** A parent leaves a tombstone as long as it has replies. */
export function deleteMessage(conversation: Conversation, message: Message): void {
  const replies = conversation.replies.get(message.ts) ?? [];
  if (replies.length > 0) conversation.byTs.set(message.ts, tombstone(message));
  else removeMessage(conversation, message);
}

/** What remains of a deleted message that has replies. */
function tombstone(message: Message): Message {
  return {
    type: 'message',
    subtype: 'tombstone',
    ts: message.ts,
    user: 'USLACKBOT',
    text: 'This message was deleted.',
    thread_ts: message.ts,
  };
}

function removeMessage(conversation: Conversation, message: Message): void {
  conversation.byTs.delete(message.ts);
  takeOut(conversation.roots, message.ts);
  takeOut(conversation.replies.get(message.thread_ts ?? '') ?? [], message.ts);
}

function takeOut(list: string[], ts: string): void {
  const place = firstAtLeast(list, ts);
  if (list[place] === ts) list.splice(place, 1);
}

/** A message as Slack shows it: a parent has the numbers of its thread. */
export function shownMessage(
  conversation: Conversation,
  message: Message,
): Record<string, unknown> {
  const replies = conversation.replies.get(message.ts) ?? [];
  if (replies.length === 0) return { ...message };
  const authors = new Set(replies.map((ts) => conversation.byTs.get(ts)?.user));
  return {
    ...message,
    thread_ts: message.ts,
    reply_count: replies.length,
    reply_users_count: authors.size,
    reply_users: [...authors],
    latest_reply: replies.at(-1),
    is_locked: false,
  };
}

export interface Range {
  readonly oldest: string;
  readonly latest: string;
  readonly inclusive: boolean;
}

/** Start and end (exclusive) of the `ts` within the range. Empty bounds are open. */
export function within(list: readonly string[], range: Range): readonly [number, number] {
  const { oldest, latest, inclusive } = range;
  const after = (ts: string): number => {
    const place = firstAtLeast(list, ts);
    return list[place] === ts ? place + 1 : place;
  };
  const start = oldest === '' ? 0 : inclusive ? firstAtLeast(list, oldest) : after(oldest);
  const end = latest === '' ? list.length : inclusive ? after(latest) : firstAtLeast(list, latest);
  return [start, Math.max(start, end)];
}

/** Index of the first `ts` that is not before the given one. */
function firstAtLeast(list: readonly string[], ts: string): number {
  const wanted = Number(ts);
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Number(list[middle]) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The scope that this kind of channel needs: `channels:read`, `groups:read`, `im:history`, … */
export function scopeFor(conversation: Conversation, right: 'read' | 'history'): string {
  if (conversation.directTo !== null) return `im:${right}`;
  return conversation.private ? `groups:${right}` : `channels:${right}`;
}
