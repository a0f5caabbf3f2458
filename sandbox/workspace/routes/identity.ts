import { cursorArg, limitArg, pageOf, textArg } from '../args.ts';
import { Refusal } from '../refusal.ts';
import { bot, team } from '../seed.ts';
import type { WebMethod, WebMethods } from '../web-method.ts';
import { isOrganizationInstall, workspacesOf } from '../world.ts';

const botInfo: WebMethod = {
  scope: 'users:read',
  optional: ['bot'],
  errors: ['bot_not_found'],
  run: (args, { world }) => {
    if (textArg(args, 'bot') !== bot.botId) throw new Refusal('bot_not_found');
    const { botId: id, userId: user_id, appId: app_id } = bot;
    const name = world.users.get(user_id)?.real_name;
    return {
      bot: { id, name, user_id, app_id, deleted: false, updated: 1_767_225_600, icons: {} },
    };
  },
};

const teamInfo: WebMethod = {
  scope: 'team:read',
  optional: ['team'],
  errors: ['team_not_found'],
  run: (args, { world }) => {
    const asked = textArg(args, 'team');
    const all = workspacesOf(world) ?? [team];
    const found = all.find(({ id }) => id === (asked || team.id));
    if (!found) throw new Refusal('team_not_found');
    const { id, name } = found;
    return { team: { id, name, domain: team.domain, email_domain: '', icon: {} } };
  },
};

export const identityMethods: WebMethods = {
  'bots.info': botInfo,
  'team.info': teamInfo,
  'auth.test': {
    run: (_args, { url, world }) => {
      const { enterprise } = world;
      const isOfAll = isOrganizationInstall(world);
      // The token of an organization belongs to none of its workspaces.
      const { id, name } = (isOfAll && enterprise) || team;
      return {
        url: `${url}/`,
        team: name,
        user: world.users.get(bot.userId)?.name,
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
