import { textArg } from '../args.ts';
import { Refusal } from '../refusal.ts';
import type { WebMethods } from '../web-method.ts';

export const testMethods: WebMethods = {
  'api.test': {
    isTest: true,
    optional: ['error', 'foo'],
    run: (args) => {
      const error = textArg(args, 'error');
      if (error !== '') throw new Refusal(error, { args });
      return { args };
    },
  },
};
