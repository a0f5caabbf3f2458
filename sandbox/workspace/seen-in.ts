import type { EphemeralMessage, Message } from '../wire.ts';
import type { World } from './world.ts';

/** A message that the person sees in the channel, ephemeral ones included. */
export function seenIn(
  world: World,
  user: string,
  channel: string,
  ts: string,
): Message | EphemeralMessage | undefined {
  const conversation = world.conversations.get(channel);
  if (!conversation?.members.has(user)) return undefined;
  const mine = world.ephemerals.get(user) ?? [];
  return (
    conversation.byTs.get(ts) ?? mine.find((words) => words.ts === ts && words.channel === channel)
  );
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
