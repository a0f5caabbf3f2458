import { joinChannel } from './change-channels.ts';
import { notSent } from './deliver-twice.ts';
import type { Events } from './events.ts';
import type { Delivery, Typed } from './user-actions.ts';
import { knownConversation, type Memory } from './world.ts';

/**
 * Slack's own command `/invite @name`: the person is the inviter. undefined: the text is not that command, or names
 * nobody.
 */
export function inviteByCommand(
  { user, channel, text }: Typed,
  needs: {
    readonly memory: Memory;
    readonly tell: Events['tell'];
    readonly changed: () => void;
  },
): Delivery | undefined {
  const [, name] = /^\/invite @?(.+)$/.exec(text.trim()) ?? [];
  if (name === undefined) return undefined;
  const { world } = needs.memory;
  const invited = [...world.users.values()].find(
    (each) => !each.deleted && [each.name, each.real_name].includes(name),
  );
  if (invited === undefined) return undefined;
  const conversation = knownConversation(needs.memory, channel);
  if (!conversation.members.has(user)) throw new Error(`${user} is not in ${channel}.`);
  if (conversation.archived) return { ...notSent, shown: 'This channel is archived.' };
  if (!conversation.members.has(invited.id)) {
    joinChannel(conversation, invited.id, { world, tell: needs.tell, inviter: user });
    needs.changed();
  }
  return notSent;
}
