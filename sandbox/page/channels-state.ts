import type { Sandbox } from '../sandbox.ts';
import type { EphemeralMessage, Message } from '../wire.ts';
import { bot, type ChannelSeed, channels, userGroups } from '../workspace/seed.ts';
import { type PageMemory, readKey } from './page-memory.ts';
import type { PageChannel, PageMessage, PagePerson } from './page-state.ts';

const shownMessages = 200;

/** Channels the person is in, then their own one with the bot. */
export function channelsState(me: PagePerson, sandbox: Sandbox, memory: PageMemory): PageChannel[] {
  const filled = (id: string) => ({
    id,
    messages: messagesIn(id, me, sandbox),
    readUpTo: memory.reads.get(readKey(me.id, id)) ?? '',
  });
  const joined = channels
    .filter(({ members, archived }) => !archived && members.includes(me.id))
    .map((channel) => ({ ...filled(channel.id), ...factsOf(channel) }));
  const direct = { name: 'Gatepost', kind: 'app', memberCount: 2, hasBot: true } as const;
  return [...joined, { ...filled(me.directId), ...direct }];
}

function factsOf({ name, members, private: isPrivate }: ChannelSeed) {
  return {
    name,
    kind: isPrivate ? 'private' : 'public',
    memberCount: members.length,
    hasBot: members.includes(bot.userId),
  } as const;
}

function messagesIn(channel: string, me: PagePerson, { workspace }: Sandbox): PageMessage[] {
  const marks = marksOf(me);
  return workspace
    .visibleTo(me.id, channel)
    .slice(-shownMessages)
    .map((message) => {
      const author = workspace.user(message.user)?.profile.display_name ?? 'Slackbot';
      return { ...shownMessage(message), author, mentionsYou: isMarked(message, marks) };
    });
}

function shownMessage(message: Message | EphemeralMessage) {
  const { ts, text, blocks, thread_ts: thread } = message;
  return {
    ts,
    text,
    ...(blocks && { blocks }),
    ...(thread !== undefined && thread !== ts && { thread }),
    authorId: message.user,
    isApp: message.bot_id !== undefined,
    isEdited: message.edited !== undefined,
    isOnlyForYou: 'to' in message,
    isDeleted: message.subtype === 'tombstone',
  };
}

/** How a message names the person, or a group they are in. */
function marksOf({ id }: PagePerson): string[] {
  const groups = userGroups.filter(({ users }) => users.some((user) => user === id));
  return [`<@${id}>`, ...groups.map((group) => `<!subteam^${group.id}`)];
}

function isMarked({ text, blocks }: Message, marks: readonly string[]): boolean {
  const written = text + JSON.stringify(blocks ?? '');
  return marks.some((mark) => written.includes(mark));
}
