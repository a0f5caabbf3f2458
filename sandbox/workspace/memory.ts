import type { Conversation } from './conversation.ts';
import type { World } from './world.ts';

/** Holds the world that is replaced when the sandbox goes back to its seed. */
export interface Memory {
  world: World;
}

/** Throws for a test or a page that names a channel that is not there. */
export function knownConversation({ world }: Memory, channel: string): Conversation {
  const conversation = world.conversations.get(channel);
  if (!conversation) throw new Error(`There is no channel ${channel}.`);
  return conversation;
}
