import { isObject } from '../exchange.ts';
import type { Sandbox } from '../sandbox.ts';
import type { EphemeralMessage, Message, User, View } from '../wire.ts';
import type { Manifest } from '../workspace/manifest.ts';
import { bot, type ChannelSeed, channels, people, userGroups } from '../workspace/seed.ts';
import { type PageMemory, readKey } from './page-memory.ts';
import type { PageApp, PageChannel, PageMessage, PagePerson, PageView } from './page-state.ts';

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

/** Everybody of the seed as they are now, without those who cannot sign in. */
export function peopleState(sandbox: Sandbox): PagePerson[] {
  return everybody(sandbox)
    .filter((user) => !user.is_bot && !user.deleted)
    .map((user) => ({
      id: user.id,
      name: user.real_name,
      directId: `D${user.id.slice(1)}`,
      timeZone: user.tz,
      note: noteOn(user, sandbox),
      isReleaseManager: isReleaseManager(user),
    }));
}

/** Names of people, user groups and channels by id, without a mark in front. */
export function namesState(sandbox: Sandbox): Record<string, string> {
  return Object.fromEntries([
    ...everybody(sandbox).map((user) => [user.id, user.profile.display_name]),
    ...userGroups.map((group) => [group.id, group.handle]),
    ...channels.map((channel) => [channel.id, channel.name]),
  ]);
}

function everybody(sandbox: Sandbox): User[] {
  return people.map((person) => sandbox.workspace.user(person.id) ?? person);
}

function noteOn(user: User, sandbox: Sandbox): string {
  const account = sandbox.service.users().find(({ userName }) => userName === user.profile.email);
  const notes = [
    isReleaseManager(user) && 'release manager',
    user.is_admin && 'administrator',
    user.is_restricted && 'guest',
    user.is_stranger && 'from another company',
    !account && 'unknown to the service',
    account?.active === false && 'deactivated in the service',
  ];
  return notes.filter(Boolean).join(', ');
}

function isReleaseManager(user: User): boolean {
  return userGroups.some((group) => group.users.some((id) => id === user.id));
}

export function appState({ commands, shortcuts, homeTab, messagesTab }: Manifest): PageApp {
  return {
    commands: commands.map(({ command, description, usageHint }) => ({
      command,
      description,
      usageHint,
    })),
    shortcuts,
    hasHome: homeTab,
    takesMessages: messagesTab === 'open',
  };
}

/** A modal or a home tab as the person sees it; what belongs to the bot alone is left out. */
export function viewState(
  view: View | undefined,
  errors: PageView['errors'] = {},
): PageView | null {
  if (!view) return null;
  const { id, root_view_id: rootId, previous_view_id, hash, title, submit, close, blocks } = view;
  // The workspace fills the state in, in this form.
  const { values } = view.state as Pick<PageView, 'values'>;
  return {
    id,
    rootId,
    isPushed: previous_view_id !== null,
    hash,
    title: words(title) ?? '',
    submit: words(submit),
    close: words(close),
    blocks,
    values,
    errors,
  };
}

function words(text: unknown): string | null {
  return isObject(text) && typeof text.text === 'string' ? text.text : null;
}
