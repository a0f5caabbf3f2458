import type { User } from '../../wire.ts';
import { cursorArg, limitArg, pageOf, textArg } from '../args.ts';
import { Refusal } from '../refusal.ts';
import { bot } from '../seed.ts';
import type { MethodWorld, WebMethod, WebMethods } from '../web-method.ts';

/** The address is included only with `users:read.email`. */
function profileFor(user: User, at: MethodWorld): User {
  const { email, ...profile } = user.profile;
  const shown = at.hasScope('users:read.email') && email !== undefined;
  return { ...user, profile: shown ? { ...profile, email } : profile };
}

const info: WebMethod = {
  scope: 'users:read',
  required: ['user'],
  errors: ['user_not_found'],
  run: (args, at) => {
    const user = at.world.users.get(textArg(args, 'user'));
    if (!user) throw new Refusal('user_not_found');
    return { user: profileFor(user, at) };
  },
};

/** Of a member, or of the app. */
const profile: WebMethod = {
  scope: 'users.profile:read',
  optional: ['user'],
  ignored: ['include_labels'],
  errors: ['user_not_found'],
  run: (args, at) => {
    const user = at.world.users.get(textArg(args, 'user') || bot.userId);
    if (!user) throw new Refusal('user_not_found');
    const { profile } = profileFor(user, at);
    const { real_name, display_name } = profile;
    const status = { status_text: '', status_emoji: '', status_expiration: 0 };
    const normal = { real_name_normalized: real_name, display_name_normalized: display_name };
    return { profile: { title: '', phone: '', ...profile, ...normal, ...status, fields: {} } };
  },
};

const lookupByEmail: WebMethod = {
  scope: 'users:read.email',
  required: ['email'],
  errors: ['users_not_found'],
  run: (args, at) => {
    const id = at.world.idsByEmail.get(textArg(args, 'email').toLowerCase());
    const user = at.world.users.get(id ?? '');
    if (!user || user.deleted) throw new Refusal('users_not_found');
    return { user: profileFor(user, at) };
  },
};

/** Everybody, including bots and deactivated members. */
const list: WebMethod = {
  scope: 'users:read',
  ofTeam: true,
  optional: ['cursor', 'limit'],
  errors: ['invalid_cursor'],
  run: (args, at) => {
    const teamId = textArg(args, 'team_id');
    const all = [...at.world.users.values()].filter(
      (user) => teamId === '' || user.team_id === teamId,
    );
    const limit = limitArg(args, { usual: 1_000, most: 1_000 });
    const { items, nextCursor } = pageOf(all, cursorArg(args), limit);
    return {
      members: items.map((user) => profileFor(user, at)),
      cache_ts: Math.floor(at.now() / 1000),
      response_metadata: { next_cursor: nextCursor },
    };
  },
};

export const userMethods: WebMethods = {
  'users.info': info,
  'users.list': list,
  'users.profile.get': profile,
  'users.lookupByEmail': lookupByEmail,
};
