import type { Message, Reaction } from '../wire.ts';
import { type Conversation, changeMessage } from './conversation.ts';
import type { Events } from './events.ts';
import { bot } from './seed.ts';

/** False: the person has already reacted with it. */
export function addReaction(
  conversation: Conversation,
  message: Message,
  { name, user }: Reacting,
  tell: Events['tell'],
): boolean {
  if (hasReacted(message, name, user)) return false;
  const all = message.reactions ?? [];
  const isThere = all.some((each) => each.name === name);
  const added = isThere ? all : [...all, { name, users: [], count: 0 }];
  const reactions = added.map((each) =>
    each.name === name ? reactionOf(name, [...each.users, user]) : each,
  );
  changeMessage(conversation, { ...message, reactions });
  if (conversation.members.has(bot.userId)) {
    tell(eventOf('reaction_added', conversation, message, { name, user }), conversation);
  }
  return true;
}

/** False: the person has not reacted with it. */
export function removeReaction(
  conversation: Conversation,
  message: Message,
  { name, user }: Reacting,
  tell: Events['tell'],
): boolean {
  if (!hasReacted(message, name, user)) return false;
  const { reactions: before = [], ...rest } = message;
  const reactions = before
    .map((each) =>
      each.name === name
        ? reactionOf(
            name,
            each.users.filter((other) => other !== user),
          )
        : each,
    )
    .filter(({ count }) => count > 0);
  changeMessage(conversation, { ...rest, ...(reactions.length > 0 && { reactions }) });
  if (conversation.members.has(bot.userId)) {
    tell(eventOf('reaction_removed', conversation, message, { name, user }), conversation);
  }
  return true;
}

interface Reacting {
  readonly name: string;
  readonly user: string;
}

function hasReacted({ reactions = [] }: Message, name: string, user: string): boolean {
  return reactions.some((each) => each.name === name && each.users.includes(user));
}

function reactionOf(name: string, users: readonly string[]): Reaction {
  return { name, users, count: users.length };
}

function eventOf(
  type: 'reaction_added' | 'reaction_removed',
  { id: channel }: Conversation,
  { ts, user: item_user }: Message,
  { name: reaction, user }: Reacting,
) {
  return { type, user, reaction, item_user, item: { type: 'message', channel, ts } };
}
