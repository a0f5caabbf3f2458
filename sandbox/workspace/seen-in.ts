import type { EphemeralMessage, Message } from '../wire.ts';
import type { Conversation } from './conversation.ts';
import type { World } from './world.ts';

/** A message that the person sees in the channel, including ephemeral ones. */
export function seenIn(
  world: World,
  user: string,
  channel: string,
  ts: string,
): Message | EphemeralMessage | undefined {
  const conversation = world.conversations.get(channel);
  if (conversation === undefined || !canLookInto(world, conversation, user)) return undefined;
  const mine = world.ephemerals.get(user) ?? [];
  return (
    conversation.byTs.get(ts) ?? mine.find((words) => words.ts === ts && words.channel === channel)
  );
}

/** Full members can open a public channel and press buttons there without being in it. */
function canLookInto(world: World, conversation: Conversation, user: string): boolean {
  if (conversation.members.has(user)) return true;
  const person = world.users.get(user);
  const isPublic = conversation.id.startsWith('C') && !conversation.private;
  if (person === undefined || !isPublic) return false;
  return !(person.deleted || person.is_bot || person.is_restricted || person.is_stranger);
}

/** Everything the person sees there, oldest first. */
export function allSeenIn(
  world: World,
  user: string,
  channel: string,
): (Message | EphemeralMessage)[] {
  const conversation = world.conversations.get(channel);
  if (!conversation?.members.has(user)) return [];
  const mine = (world.ephemerals.get(user) ?? []).filter((words) => words.channel === channel);
  const all = [...conversation.byTs.values(), ...mine];
  return all.sort((one, other) => Number(one.ts) - Number(other.ts));
}
