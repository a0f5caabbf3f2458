import { type Args, flagArg, textArg } from '../args.ts';
import { Refusal } from '../refusal.ts';
import { team } from '../seed.ts';
import { subteamOf } from '../subteam.ts';
import type { WebMethod, WebMethods } from '../web-method.ts';
import type { UserGroup } from '../world.ts';

/** By the requested workspace; without one, by the workspace of the token. */
const isOf = ({ teamId }: UserGroup, args: Args) =>
  teamId === (textArg(args, 'team_id') || team.id);

const list: WebMethod = {
  scope: 'usergroups:read',
  ofTeam: true,
  optional: ['include_count', 'include_disabled', 'include_users'],
  run: (args, at) => {
    const groups = [...at.world.userGroups.values()].filter((group) => isOf(group, args));
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
  ofTeam: true,
  required: ['usergroup'],
  optional: ['include_disabled'],
  errors: ['no_such_subteam'],
  run: (args, at) => {
    const group = at.world.userGroups.get(textArg(args, 'usergroup'));
    const visible = group?.enabled || flagArg(args, 'include_disabled');
    if (!group || !visible || !isOf(group, args)) throw new Refusal('no_such_subteam');
    return { users: group.users };
  },
};

export const userGroupMethods: WebMethods = {
  'usergroups.list': list,
  'usergroups.users.list': users,
};
