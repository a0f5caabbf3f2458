import { bot, team } from '../seed.ts';
import type { WebMethods } from '../web-method.ts';

export const identityMethods: WebMethods = {
  'auth.test': {
    run: (_args, at) => ({
      url: `${at.url}/`,
      team: team.name,
      user: bot.name,
      team_id: team.id,
      user_id: bot.userId,
      bot_id: bot.botId,
      ...(at.world.enterprise && { enterprise_id: at.world.enterprise.id }),
      is_enterprise_install: false,
    }),
  },
};

export const appMethods: WebMethods = {
  'apps.connections.open': {
    token: 'app',
    run: (_, { newSocketUrl }) => ({ url: newSocketUrl() }),
  },
};
