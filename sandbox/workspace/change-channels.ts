import { type ChangeNeeds, changing, inChannel } from './change-workspace.ts';
import { type Conversation, createConversation } from './conversation.ts';
import type { EventType } from './event-kinds.ts';
import { bot, team } from './seed.ts';
import type { Workspace } from './workspace-handle.ts';
import { administratorOf, type World } from './world.ts';

type ChannelChanges = Pick<
  Workspace,
  | 'createChannel'
  | 'archive'
  | 'unarchive'
  | 'rename'
  | 'share'
  | 'invite'
  | 'remove'
  | 'inviteBot'
  | 'kickBot'
>;

/** The part of the handle that changes channels. */
export function changeChannels(needs: ChangeNeeds): ChannelChanges {
  const { memory, tell } = needs;
  const administrator = () => administratorOf(memory.world);
  const invite = (channel: string, user: string, inviter = administrator()): void =>
    inChannel(needs, channel, (conversation) => {
      if (conversation.members.has(user)) return;
      joinChannel(conversation, user, { world: memory.world, tell, inviter });
    });
  const remove = (channel: string, user: string): void =>
    inChannel(needs, channel, (conversation) => {
      if (!conversation.members.delete(user)) return;
      if (user === bot.userId) {
        // The app gets a different event if it is itself the one removed.
        const type = ofKind(conversation, 'left');
        tell({ type, channel: conversation.id, actor_id: administrator() }, conversation);
      } else if (isBotIn(conversation)) {
        tell(memberEvent('member_left_channel', conversation, user, memory.world), conversation);
      }
    });
  const setArchived = (channel: string, archived: boolean): void =>
    inChannel(needs, channel, (conversation) => {
      if (conversation.archived === archived) return;
      conversation.archived = archived;
      if (!canSee(conversation)) return;
      const type = ofKind(conversation, archived ? 'archive' : 'unarchive');
      tell({ type, channel: conversation.id, user: administrator() }, conversation);
    });

  return {
    createChannel: (id, members, name = id.toLowerCase()) =>
      changing(needs, () => {
        const { conversations } = memory.world;
        if (conversations.has(id)) throw new Error(`There is a channel ${id} already.`);
        const seed = { id, name, members: [...members, bot.userId] };
        conversations.set(id, createConversation(seed, memory.world.written));
      }),
    archive: (channel) => setArchived(channel, true),
    unarchive: (channel) => setArchived(channel, false),
    rename: (channel, name) =>
      inChannel(needs, channel, (conversation) => {
        conversation.name = name;
        if (!canSee(conversation)) return;
        const type = ofKind(conversation, 'rename');
        tell({ type, channel: { id: conversation.id, name, created: 0 } }, conversation);
      }),
    share: (channel) =>
      inChannel(needs, channel, (conversation) => {
        conversation.shared = true;
      }),
    invite: (channel, user) => invite(channel, user),
    remove,
    inviteBot: (channel, by) => invite(channel, bot.userId, by),
    kickBot: (channel) => remove(channel, bot.userId),
  };
}

/** Adds a member to a channel, and tells the app if it is in the channel. */
export function joinChannel(
  conversation: Conversation,
  user: string,
  {
    world,
    tell,
    inviter,
  }: Pick<ChangeNeeds, 'tell'> & { readonly world: World; readonly inviter?: string },
): void {
  conversation.members.add(user);
  if (!isBotIn(conversation)) return;
  const event = memberEvent('member_joined_channel', conversation, user, world);
  tell({ ...event, ...(inviter !== undefined && { inviter }) }, conversation);
}

function isBotIn({ members }: Conversation): boolean {
  return members.has(bot.userId);
}

/** The app gets events of every public channel, and of private ones it is in. */
function canSee(conversation: Conversation): boolean {
  return !conversation.private || isBotIn(conversation);
}

/** Private channels have events of their own. */
function ofKind(
  conversation: Conversation,
  what: 'archive' | 'left' | 'rename' | 'unarchive',
): EventType {
  return conversation.private ? `group_${what}` : `channel_${what}`;
}

function memberEvent(
  type: 'member_joined_channel' | 'member_left_channel',
  conversation: Conversation,
  user: string,
  { users }: World,
) {
  return {
    type,
    user,
    channel: conversation.id,
    channel_type: conversation.private ? 'G' : 'C',
    team: users.get(user)?.team_id ?? team.id,
  };
}
