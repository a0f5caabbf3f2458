import { type Args, cursorArg, flagArg, limitArg, pageOf, textArg } from '../args.ts';
import { joinChannel } from '../change-channels.ts';
import { type Conversation, createConversation, scopeFor } from '../conversation.ts';
import { Refusal, refusalWith } from '../refusal.ts';
import { bot, team } from '../seed.ts';
import type { MethodWorld, WebMethod, WebMethods } from '../web-method.ts';
import { directConversation, directId, type World } from '../world.ts';

/** Throws `channel_not_found`, or `missing_scope` by the kind of the channel. */
export function seenConversation(
  at: MethodWorld,
  args: Args,
  right: 'read' | 'history',
): Conversation {
  const conversation = findConversation(at.world, textArg(args, 'channel'));
  at.needScope(scopeFor(conversation, right));
  return conversation;
}

const mostTogether = 8;

const open: WebMethod = {
  scope: 'im:write',
  optional: ['channel', 'return_im', 'users'],
  errors: [
    'channel_not_found',
    'too_many_users',
    'user_disabled',
    'user_not_found',
    'user_not_visible',
    'users_list_not_supplied',
  ],
  run: (args, at) => {
    if (textArg(args, 'channel')) {
      return opened(findConversation(at.world, textArg(args, 'channel')), args, true);
    }
    const users = textArg(args, 'users').split(',').filter(Boolean);
    if (users.length === 0) throw new Refusal('users_list_not_supplied');
    if (users.length > mostTogether) throw new Refusal('too_many_users');
    if (users.length > 1) {
      at.needScope('mpim:write');
      throw refusalWith('invalid_arguments', [
        'the sandbox does not imitate group direct messages',
      ]);
    }
    const user = at.world.users.get(users[0] ?? '');
    if (!user) throw new Refusal('user_not_found');
    if (user.deleted) throw new Refusal('user_disabled');
    if (user.is_bot) throw new Refusal('user_not_visible');
    const isKnown = at.world.conversations.has(directId(user.id));
    return opened(directConversation(at.world, user.id), args, isKnown);
  },
};

function opened(conversation: Conversation, args: Args, isKnown: boolean) {
  const { id } = conversation;
  return {
    ...(isKnown && { no_op: true, already_open: true }),
    channel: flagArg(args, 'return_im') ? shownChannel(conversation) : { id },
  };
}

function shownChannel(conversation: Conversation) {
  const { id, name, directTo, archived, shared, members } = conversation;
  const common = { id, created: 1_767_225_600, is_archived: archived, context_team_id: team.id };
  if (directTo !== null) return { ...common, is_im: true, user: directTo, is_open: true };
  return {
    ...common,
    name,
    name_normalized: name,
    is_channel: !conversation.private,
    is_group: conversation.private,
    is_im: false,
    is_mpim: false,
    is_private: conversation.private,
    is_general: false,
    is_shared: shared,
    is_ext_shared: shared,
    is_org_shared: false,
    is_member: members.has(bot.userId),
  };
}

const info: WebMethod = {
  required: ['channel'],
  optional: ['include_num_members'],
  errors: ['channel_not_found'],
  run: (args, at) => {
    const conversation = seenConversation(at, args, 'read');
    const counted = flagArg(args, 'include_num_members');
    const channel = shownChannel(conversation);
    return { channel: counted ? { ...channel, num_members: conversation.members.size } : channel };
  },
};

const members: WebMethod = {
  required: ['channel'],
  optional: ['cursor', 'limit'],
  errors: ['channel_not_found', 'invalid_cursor', 'invalid_limit'],
  run: (args, at) => {
    const all = [...seenConversation(at, args, 'read').members];
    const limit = limitArg(args, { usual: 100, most: 1_000, otherwise: 'invalid_limit' });
    const { items, nextCursor } = pageOf(all, cursorArg(args), limit);
    return { members: items, response_metadata: { next_cursor: nextCursor } };
  },
};

/** Kinds of conversations by their name in `types`, each with the scope that it needs. */
const kinds: Readonly<Record<string, string>> = {
  public_channel: 'channels:read',
  private_channel: 'groups:read',
  mpim: 'mpim:read',
  im: 'im:read',
};

function kindOf({ directTo, private: isPrivate }: Conversation): string {
  return directTo !== null ? 'im' : isPrivate ? 'private_channel' : 'public_channel';
}

const listing = {
  ofTeam: true,
  errors: ['invalid_cursor', 'invalid_limit', 'invalid_types'],
} as const;

/** Those that the app can see, by kind and page. */
function listed(args: Args, at: MethodWorld, isShown: (conversation: Conversation) => boolean) {
  const types = (textArg(args, 'types') || 'public_channel').split(',').map((type) => type.trim());
  for (const type of types) {
    const scope = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
    if (scope === undefined) throw new Refusal('invalid_types');
    at.needScope(scope);
  }
  const isAll = !flagArg(args, 'exclude_archived');
  const all = [...at.world.conversations.values()].filter(
    (each) =>
      types.includes(kindOf(each)) &&
      (isAll || !each.archived) &&
      (!each.private || each.members.has(bot.userId)) &&
      isShown(each),
  );
  const limit = limitArg(args, { usual: 100, most: 1_000, otherwise: 'invalid_limit' });
  const { items, nextCursor } = pageOf(all, cursorArg(args), limit);
  return { channels: items.map(shownChannel), response_metadata: { next_cursor: nextCursor } };
}

const list: WebMethod = {
  ...listing,
  optional: ['cursor', 'exclude_archived', 'limit', 'types'],
  run: (args, at) => listed(args, at, () => true),
};

/** Those that a person is in; without one, those that the app is in. */
const ofUser: WebMethod = {
  ...listing,
  optional: ['cursor', 'exclude_archived', 'limit', 'types', 'user'],
  run: (args, at) => {
    const user = textArg(args, 'user') || bot.userId;
    return listed(args, at, ({ members }) => members.has(user));
  },
};

const join: WebMethod = {
  scope: 'channels:join',
  required: ['channel'],
  errors: ['channel_not_found', 'is_archived', 'method_not_supported_for_channel_type'],
  run: (args, at) => {
    const conversation = findConversation(at.world, textArg(args, 'channel'));
    if (kindOf(conversation) !== 'public_channel') {
      throw new Refusal('method_not_supported_for_channel_type');
    }
    if (conversation.archived) throw new Refusal('is_archived');
    const wasIn = conversation.members.has(bot.userId);
    if (!wasIn) joinChannel(conversation, bot.userId, at);
    const warning = 'already_in_channel';
    return {
      channel: shownChannel(conversation),
      ...(wasIn && { warning, response_metadata: { warnings: [warning] } }),
    };
  },
};

const longestName = 80;

const create: WebMethod = {
  required: ['name'],
  optional: ['is_private'],
  errors: ['invalid_name_maxlength', 'invalid_name_specials', 'name_taken'],
  run: (args, { world, needScope }) => {
    const isPrivate = flagArg(args, 'is_private');
    needScope(isPrivate ? 'groups:write' : 'channels:manage');
    const name = textArg(args, 'name');
    if (name.length > longestName) throw new Refusal('invalid_name_maxlength');
    if (!/^[\p{Ll}\p{Lo}\p{N}_-]+$/u.test(name)) throw new Refusal('invalid_name_specials');
    const all = [...world.conversations.values()];
    if (all.some((each) => each.name === name)) throw new Refusal('name_taken');
    world.counter += 1;
    const id = `C0${world.counter.toString(36).toUpperCase()}NEW`;
    const seed = { id, name, members: [bot.userId], private: isPrivate };
    const made = createConversation(seed, world.written);
    world.conversations.set(id, made);
    return { channel: { ...shownChannel(made), creator: bot.userId } };
  },
};

const mostInvited = 100;

const invite: WebMethod = {
  required: ['channel', 'users'],
  optional: ['force'],
  errors: [
    'already_in_channel',
    'cant_invite',
    'cant_invite_self',
    'channel_not_found',
    'is_archived',
    'method_not_supported_for_channel_type',
    'not_in_channel',
    'too_many_users',
    'user_not_found',
  ],
  run: (args, at) => {
    const conversation = findConversation(at.world, textArg(args, 'channel'));
    if (conversation.directTo !== null) throw new Refusal('method_not_supported_for_channel_type');
    at.needScope(conversation.private ? 'groups:write' : 'channels:manage');
    if (conversation.archived) throw new Refusal('is_archived');
    if (!conversation.members.has(bot.userId)) throw new Refusal('not_in_channel');
    const users = textArg(args, 'users').split(',');
    if (users.length > mostInvited) throw new Refusal('too_many_users');
    const errors = users.flatMap((user) => {
      const error = invitationError(user, conversation, at.world);
      return error === null ? [] : [{ user, ok: false, error }];
    });
    const good = users.filter((user) => !errors.some((each) => each.user === user));
    const [first] = errors;
    if (first && (good.length === 0 || !flagArg(args, 'force'))) {
      throw new Refusal(first.error, { errors });
    }
    for (const user of good) joinChannel(conversation, user, { ...at, inviter: bot.userId });
    return { channel: shownChannel(conversation), ...(first && { errors }) };
  },
};

function invitationError(user: string, { members }: Conversation, { users }: World): string | null {
  const found = users.get(user);
  if (user === bot.userId) return 'cant_invite_self';
  if (!found) return 'user_not_found';
  if (members.has(user)) return 'already_in_channel';
  return found.deleted || found.is_stranger ? 'cant_invite' : null;
}

export const conversationMethods: WebMethods = {
  'conversations.create': create,
  'conversations.invite': invite,
  'conversations.join': join,
  'conversations.list': list,
  'users.conversations': ofUser,
  'conversations.open': open,
  'conversations.info': info,
  'conversations.members': members,
};

/** Throws `channel_not_found`; for the app a private channel that it is not in does not exist. */
export function findConversation(world: World, id: string): Conversation {
  const found = world.conversations.get(id);
  if (!found || (found.private && !found.members.has(bot.userId))) {
    throw new Refusal('channel_not_found');
  }
  return found;
}

/**
 * The same, but throws `is_archived`, and `not_in_channel` unless the app is in it or can write to every public
 * channel.
 */
export function writableConversation({ world, hasScope }: MethodWorld, id: string): Conversation {
  const found = findConversation(world, id);
  if (found.archived) throw new Refusal('is_archived');
  const isOpen = kindOf(found) === 'public_channel' && hasScope('chat:write.public');
  if (!isOpen && !found.members.has(bot.userId)) throw new Refusal('not_in_channel');
  return found;
}
