import type { User } from '../../wire.ts';
import { flagArg, textArg } from '../args.ts';
import { Refusal } from '../refusal.ts';
import { bot, team } from '../seed.ts';
import type { MethodWorld, WebMethod, WebMethods } from '../web-method.ts';

const authTest: WebMethod = {
  run: (_args, at) => ({
    url: `${at.url}/`,
    team: team.name,
    user: bot.name,
    team_id: team.id,
    user_id: bot.userId,
    bot_id: bot.botId,
    is_enterprise_install: false,
  }),
};

/** The address is there for those who were granted `users:read.email`. */
function profileFor(user: User, at: MethodWorld): User {
  const { email, ...profile } = user.profile;
  const shown = at.hasScope('users:read.email') && email !== undefined;
  return { ...user, profile: shown ? { ...profile, email } : profile };
}

const info: WebMethod = {
  scope: 'users:read',
  required: ['user'],
  run: (args, at) => {
    const user = at.world.users.get(textArg(args, 'user'));
    if (!user) throw new Refusal('user_not_found');
    return { user: profileFor(user, at) };
  },
};

const lookupByEmail: WebMethod = {
  scope: 'users:read.email',
  required: ['email'],
  run: (args, at) => {
    const id = at.world.idsByEmail.get(textArg(args, 'email').toLowerCase());
    const user = at.world.users.get(id ?? '');
    if (!user || user.deleted) throw new Refusal('users_not_found');
    return { user: profileFor(user, at) };
  },
};

const groupUsers: WebMethod = {
  scope: 'usergroups:read',
  required: ['usergroup'],
  run: (args, at) => {
    const group = at.world.userGroups.get(textArg(args, 'usergroup'));
    const visible = group?.enabled || flagArg(args, 'include_disabled');
    if (!group || !visible) throw new Refusal('no_such_subteam');
    return { users: group.users };
  },
};

export const userMethods: WebMethods = {
  'auth.test': authTest,
  'users.info': info,
  'users.lookupByEmail': lookupByEmail,
  'usergroups.users.list': groupUsers,
};
