import { cursorArg, limitArg, pageOf } from '../args.ts';
import { bot, team } from '../seed.ts';
import type { WebMethods } from '../web-method.ts';
import { isOrganizationInstall, workspacesOf } from '../world.ts';

export const identityMethods: WebMethods = {
  'auth.test': {
    run: (_args, { url, world }) => {
      const { enterprise } = world;
      const isOfAll = isOrganizationInstall(world);
      // An organization's token is of none of its workspaces.
      const { id, name } = (isOfAll && enterprise) || team;
      return {
        url: `${url}/`,
        team: name,
        user: bot.name,
        team_id: id,
        user_id: bot.userId,
        bot_id: bot.botId,
        ...(enterprise && { enterprise_id: enterprise.id }),
        is_enterprise_install: isOfAll,
      };
    },
  },
  'auth.teams.list': {
    optional: ['cursor', 'limit'],
    errors: ['invalid_cursor'],
    run: (args, { world }) => {
      const all = workspacesOf(world) ?? [{ id: team.id, name: team.name }];
      const limit = limitArg(args, { usual: 100, most: 1_000 });
      const { items, nextCursor } = pageOf(all, cursorArg(args), limit);
      return { teams: items, response_metadata: { next_cursor: nextCursor } };
    },
  },
};

export const appMethods: WebMethods = {
  'apps.connections.open': {
    token: 'app',
    run: (_, { newSocketUrl }) => ({ url: newSocketUrl() }),
  },
};
