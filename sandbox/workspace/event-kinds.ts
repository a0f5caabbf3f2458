import type { Conversation } from './conversation.ts';

/** Something that happened, as an event. */
export interface SlackEvent {
  readonly type: EventType;
  readonly [member: string]: unknown;
}

/** The subscription an app needs in its manifest to get an event, and the scope it has to be granted. */
interface Rule {
  readonly subscription: string;
  readonly scope: string | null;
}

const byKind = (right: 'read' | 'history') => (conversation: Conversation | undefined) => {
  if (conversation === undefined) return null;
  if (conversation.directTo !== null) return `im:${right}`;
  return conversation.private ? `groups:${right}` : `channels:${right}`;
};

const rule = (type: string, scopeOf: (conversation?: Conversation) => string | null) => {
  return (conversation?: Conversation): Rule => ({
    subscription: type,
    scope: scopeOf(conversation),
  });
};

const messageKind = (conversation?: Conversation): Rule => {
  const kind =
    conversation?.directTo != null ? 'im' : conversation?.private ? 'groups' : 'channels';
  return { subscription: `message.${kind}`, scope: `${kind}:history` };
};

/** Every event that this workspace sends. */
export const eventKinds = {
  app_home_opened: rule('app_home_opened', () => null),
  app_mention: rule('app_mention', () => 'app_mentions:read'),
  channel_archive: rule('channel_archive', () => 'channels:read'),
  channel_left: rule('channel_left', () => 'channels:read'),
  channel_rename: rule('channel_rename', () => 'channels:read'),
  channel_unarchive: rule('channel_unarchive', () => 'channels:read'),
  group_archive: rule('group_archive', () => 'groups:read'),
  group_left: rule('group_left', () => 'groups:read'),
  group_rename: rule('group_rename', () => 'groups:read'),
  group_unarchive: rule('group_unarchive', () => 'groups:read'),
  member_joined_channel: rule('member_joined_channel', byKind('read')),
  member_left_channel: rule('member_left_channel', byKind('read')),
  message: messageKind,
  message_metadata_posted: rule('message_metadata_posted', () => 'metadata.message:read'),
  reaction_added: rule('reaction_added', () => 'reactions:read'),
  reaction_removed: rule('reaction_removed', () => 'reactions:read'),
  subteam_members_changed: rule('subteam_members_changed', () => 'usergroups:read'),
  subteam_updated: rule('subteam_updated', () => 'usergroups:read'),
  user_change: rule('user_change', () => 'users:read'),
} satisfies Record<string, (conversation?: Conversation) => Rule>;

export type EventType = keyof typeof eventKinds;

/** The subscriptions for all of them. */
export const subscriptions: readonly string[] = [
  ...Object.keys(eventKinds).filter((type) => type !== 'message'),
  'message.channels',
  'message.groups',
  'message.im',
];
