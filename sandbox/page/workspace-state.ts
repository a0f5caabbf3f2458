import { isObject } from '../exchange.ts';
import type { Attachment, EphemeralMessage, Message, User, View } from '../wire.ts';
import { blocksOf } from '../workspace/attachments.ts';
import type { ChannelFacts, Workspace } from '../workspace/workspace-handle.ts';
import { type PageMemory, readKey } from './page-memory.ts';
import type { PagePanel } from './page-panel.ts';
import type {
  PageApp,
  PageAttachment,
  PageChannel,
  PageMessage,
  PagePerson,
  PageView,
} from './page-state.ts';

const shownMessages = 200;

/** Channels the person is in, then their channel with the app. */
export function channelsState(
  me: PagePerson,
  workspace: Workspace,
  memory: PageMemory,
): PageChannel[] {
  const filled = (id: string) => ({
    id,
    messages: messagesIn(id, me, workspace),
    readUpTo: memory.reads.get(readKey(me.id, id)) ?? '',
  });
  const joined = workspace
    .channels()
    .filter(({ members, archived }) => !archived && members.has(me.id))
    .map((channel) => ({ ...filled(channel.id), ...factsOf(channel, workspace) }));
  const { appName: name } = workspace.manifest;
  const direct = { name, kind: 'app', memberCount: 2, hasApp: true } as const;
  return [...joined, { ...filled(me.directId), ...direct }];
}

function factsOf({ name, members, private: isPrivate }: ChannelFacts, { bot }: Workspace) {
  return {
    name,
    kind: isPrivate ? 'private' : 'public',
    memberCount: members.size,
    hasApp: members.has(bot.userId),
  } as const;
}

function messagesIn(channel: string, me: PagePerson, workspace: Workspace): PageMessage[] {
  const marks = marksOf(me, workspace);
  return workspace
    .visibleTo(me.id, channel)
    .slice(-shownMessages)
    .map((message) => {
      const { display_name = 'Slackbot' } = workspace.user(message.user)?.profile ?? {};
      const author = message.username ?? display_name;
      return { ...shownMessage(message), author, mentionsYou: isMarked(message, marks) };
    });
}

function shownMessage(message: Message | EphemeralMessage) {
  const { ts, text, blocks, attachments = [], thread_ts: thread } = message;
  return {
    ts,
    text,
    ...(blocks && { blocks }),
    ...(attachments.length > 0 && { attachments: attachments.map(shownAttachment) }),
    ...(thread !== undefined && thread !== ts && { thread }),
    authorId: message.user,
    isApp: message.bot_id !== undefined,
    iconEmoji: message.icons?.emoji ?? '',
    reactions: message.reactions ?? [],
    isStreamed: message.streaming_state !== undefined,
    isEdited: message.edited !== undefined,
    isOnlyForYou: 'to' in message,
    isDeleted: message.subtype === 'tombstone',
  };
}

const colors: Readonly<Record<string, string>> = {
  good: '#2eb886',
  warning: '#daa038',
  danger: '#a30200',
};

/** Those of other apps were not checked. */
function shownAttachment(attachment: Attachment): PageAttachment {
  const words = (name: string): string =>
    typeof attachment[name] === 'string' ? attachment[name] : '';
  const color = words('color');
  const fields = Array.isArray(attachment.fields) ? attachment.fields.filter(isObject) : [];
  return {
    color: colors[color] ?? (/^#?[\da-f]{6}$/i.test(color) ? `#${color.replace('#', '')}` : ''),
    pretext: words('pretext'),
    author: words('author_name'),
    title: words('title'),
    titleLink: words('title_link'),
    text: words('text'),
    fields: fields.map(({ title, value }) => ({ title: String(title), value: String(value) })),
    blocks: blocksOf(attachment),
    footer: words('footer'),
  };
}

/** How a message mentions the person, or a group they are in. */
function marksOf({ id }: PagePerson, workspace: Workspace): string[] {
  const groups = workspace.userGroups().filter(({ users }) => users.includes(id));
  return [`<@${id}>`, ...groups.map((group) => `<!subteam^${group.id}`)];
}

function isMarked({ text, blocks }: Message, marks: readonly string[]): boolean {
  const written = text + JSON.stringify(blocks ?? '');
  return marks.some((mark) => written.includes(mark));
}

/** Everybody who can sign in. */
export function peopleState(workspace: Workspace, panel: PagePanel | undefined): PagePerson[] {
  return workspace
    .people()
    .filter((user) => !user.is_bot && !user.deleted)
    .map((user) => ({
      id: user.id,
      name: user.real_name,
      directId: `D${user.id.slice(1)}`,
      timeZone: user.tz,
      note: [...notesOn(user), ...(panel?.notesOn(user) ?? [])].join(', '),
    }));
}

/** Names of people, user groups and channels by id, without `@` or `#`. */
export function namesState(workspace: Workspace): Record<string, string> {
  return Object.fromEntries([
    ...workspace.people().map((user) => [user.id, user.profile.display_name]),
    ...workspace.userGroups().map((group) => [group.id, group.handle]),
    ...workspace.channels().map((channel) => [channel.id, channel.name]),
  ]);
}

function notesOn({ is_admin, is_restricted, is_stranger }: User): string[] {
  return [
    ...(is_admin ? ['administrator'] : []),
    ...(is_restricted ? ['guest'] : []),
    ...(is_stranger ? ['from another company'] : []),
  ];
}

export function appState({ bot, manifest }: Workspace): PageApp {
  const { appName, commands, shortcuts, homeTab, messagesTab } = manifest;
  return {
    id: bot.userId,
    name: appName,
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

/** A modal or a Home tab as the person sees it; members only for the app are left out. */
export function viewState(
  view: View | undefined,
  errors: PageView['errors'] = {},
): PageView | null {
  if (!view) return null;
  const { id, root_view_id: rootId, previous_view_id, hash, title, submit, close, blocks } = view;
  // The workspace fills in the state in this format.
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
