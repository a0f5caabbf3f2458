import type { Conversation } from './conversation.ts';
import { Refusal } from './refusal.ts';
import { bot } from './seed.ts';
import type { World } from './world.ts';

/** Throws `channel_not_found`; a private channel that the bot is not in does not exist for it. */
export function findConversation(world: World, id: string): Conversation {
  const found = world.conversations.get(id);
  if (!found || (found.private && !found.members.has(bot.userId))) {
    throw new Refusal('channel_not_found');
  }
  return found;
}

/** The same, and the bot has to be in it: `not_in_channel`. */
export function joinedConversation(world: World, id: string): Conversation {
  const found = findConversation(world, id);
  if (!found.members.has(bot.userId)) throw new Refusal('not_in_channel');
  return found;
}

/** The same, and it has to be open: `is_archived`. */
export function writableConversation(world: World, id: string): Conversation {
  const found = findConversation(world, id);
  if (found.archived) throw new Refusal('is_archived');
  return joinedConversation(world, id);
}
