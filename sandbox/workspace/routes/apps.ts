import type { WebMethods } from '../web-method.ts';

export const appMethods: WebMethods = {
  'apps.connections.open': {
    token: 'app',
    run: (_, { newSocketUrl }) => ({ url: newSocketUrl() }),
  },
};
