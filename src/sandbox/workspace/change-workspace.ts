import type { Message } from '../wire.ts';
import {
  addMessage,
  type Conversation,
  createConversation,
  deleteMessage,
} from './conversation.ts';
import { knownConversation, type Memory } from './memory.ts';
import { bot, team } from './seed.ts';
import type { Saying, UserPatch, Workspace } from './workspace-handle.ts';
import { nextTs, putUser, type World } from './world.ts';

type Changings = Pick<
  Workspace,
  | 'say'
  | 'deleteMessage'
  | 'createChannel'
  | 'archive'
  | 'inviteBot'
  | 'kickBot'
  | 'setUser'
  | 'setUserGroup'
>;

/** The part of the handle that does what people and administrators of a workspace do. */
export function changeWorkspace(needs: {
  readonly memory: Memory;
  readonly now: () => number;
  readonly changed: () => void;
}): Changings {
  const { memory, now } = needs;
  const change = <Result>(work: () => Result): Result => {
    const result = work();
    needs.changed();
    return result;
  };
  const inChannel = (channel: string, work: (conversation: Conversation) => void): void =>
    change(() => work(knownConversation(memory, channel)));

  return {
    say: (saying) =>
      change(() => say(memory.world, knownConversation(memory, saying.channel), saying, now())),
    deleteMessage: (channel, ts) =>
      inChannel(channel, (conversation) => {
        const message = conversation.byTs.get(ts);
        if (!message) throw new Error(`There is no message ${ts} in ${channel}.`);
        deleteMessage(conversation, message);
      }),
    createChannel: (id, members) =>
      change(() => {
        const { conversations } = memory.world;
        if (conversations.has(id)) throw new Error(`There is a channel ${id} already.`);
        const seed = { id, name: id.toLowerCase(), members: [...members, bot.userId] };
        conversations.set(id, createConversation(seed));
      }),
    archive: (channel) =>
      inChannel(channel, (conversation) => {
        conversation.archived = true;
      }),
    inviteBot: (channel) => inChannel(channel, ({ members }) => members.add(bot.userId)),
    kickBot: (channel) => inChannel(channel, ({ members }) => members.delete(bot.userId)),
    setUser: (id, patch) => change(() => setUser(memory.world, id, patch)),
    setUserGroup: (id, patch) =>
      change(() => {
        const group = memory.world.userGroups.get(id);
        if (!group) throw new Error(`There is no user group ${id}.`);
        Object.assign(group, patch);
      }),
  };
}

function say(world: World, conversation: Conversation, saying: Saying, now: number): Message {
  const { user, text, threadTs } = saying;
  if (!conversation.members.has(user)) throw new Error(`${user} is not in ${conversation.id}.`);
  const message: Message = {
    type: 'message',
    ts: nextTs(world, now),
    user,
    team: world.users.get(user)?.team_id ?? team.id,
    text,
    ...(threadTs && { thread_ts: threadTs }),
  };
  addMessage(conversation, message);
  return message;
}

function setUser(world: World, id: string, patch: UserPatch): void {
  const user = world.users.get(id);
  if (!user) throw new Error(`There is no person ${id}.`);
  putUser(world, { ...user, ...patch, profile: { ...user.profile, ...patch.profile } });
}
