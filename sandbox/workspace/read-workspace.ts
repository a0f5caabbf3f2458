import type { View } from '../wire.ts';
import { shownView } from './act-payload.ts';
import { homeOf, modalOf } from './open-views.ts';
import { bot, team } from './seed.ts';
import { allSeenIn } from './seen-in.ts';
import type { Workspace } from './workspace-handle.ts';
import { directId, knownConversation, type Memory, type OpenView } from './world.ts';

type Readings = Pick<
  Workspace,
  | 'bot'
  | 'messages'
  | 'thread'
  | 'message'
  | 'ephemerals'
  | 'directMessages'
  | 'visibleTo'
  | 'modal'
  | 'modalErrors'
  | 'home'
  | 'user'
  | 'people'
  | 'channels'
  | 'userGroups'
>;

/** The part of the handle that reads. */
export function readWorkspace(memory: Memory): Readings {
  const conversation = (channel: string) => knownConversation(memory, channel);
  return {
    bot: { userId: bot.userId, botId: bot.botId, appId: bot.appId, teamId: team.id },
    messages: (channel) => [...conversation(channel).byTs.values()],
    thread: (channel, ts) => {
      const { byTs, replies } = conversation(channel);
      return [ts, ...(replies.get(ts) ?? [])].flatMap((each) => byTs.get(each) ?? []);
    },
    message: (channel, ts) => conversation(channel).byTs.get(ts),
    ephemerals: (user) => [...(memory.world.ephemerals.get(user) ?? [])],
    directMessages: (user) => {
      const direct = memory.world.conversations.get(directId(user));
      return direct ? [...direct.byTs.values()] : [];
    },
    visibleTo: (user, channel) => allSeenIn(memory.world, user, channel),
    modal: (user) => shownTo(modalOf(memory.world, user)),
    modalErrors: (user) => modalOf(memory.world, user)?.errors ?? {},
    home: (user) => shownTo(homeOf(memory.world, user)),
    user: (id) => memory.world.users.get(id),
    people: () => [...memory.world.users.values()],
    channels: () =>
      [...memory.world.conversations.values()].filter(({ directTo }) => directTo === null),
    userGroups: () => [...memory.world.userGroups.values()].filter(({ enabled }) => enabled),
  };
}

/** With the values that the person entered. */
function shownTo(open: OpenView | undefined): View | undefined {
  return open && shownView(open);
}
