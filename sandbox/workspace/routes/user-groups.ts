import { flagArg, textArg } from '../args.ts';
import { Refusal } from '../refusal.ts';
import { subteamOf } from '../subteam.ts';
import type { WebMethod, WebMethods } from '../web-method.ts';

const list: WebMethod = {
  scope: 'usergroups:read',
  optional: ['include_count', 'include_disabled', 'include_users'],
  run: (args, at) => {
    const groups = [...at.world.userGroups.values()];
    const shown = groups.filter(({ enabled }) => enabled || flagArg(args, 'include_disabled'));
    return {
      usergroups: shown.map((group) => {
        const { users, user_count, ...rest } = subteamOf(group);
        return {
          ...rest,
          ...(flagArg(args, 'include_users') && { users }),
          ...(flagArg(args, 'include_count') && { user_count }),
        };
      }),
    };
  },
};

const users: WebMethod = {
  scope: 'usergroups:read',
  required: ['usergroup'],
  optional: ['include_disabled'],
  errors: ['no_such_subteam'],
  run: (args, at) => {
    const group = at.world.userGroups.get(textArg(args, 'usergroup'));
    const visible = group?.enabled || flagArg(args, 'include_disabled');
    if (!group || !visible) throw new Refusal('no_such_subteam');
    return { users: group.users };
  },
};

export const userGroupMethods: WebMethods = {
  'usergroups.list': list,
  'usergroups.users.list': users,
};
