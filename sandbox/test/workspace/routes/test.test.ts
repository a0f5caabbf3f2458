import { expect, it } from 'vitest';
import { liveWorkspace } from './live-workspace.ts';
import { proveMethods } from './prove-methods.ts';

const live = liveWorkspace();

proveMethods(live, {
  'api.test': {
    works: () => ({}),
    optional: {
      foo: async () =>
        expect(await live.call('api.test', { foo: 'bar' })).toMatchObject({ args: { foo: 'bar' } }),
      error: async () =>
        expect(await live.call('api.test', { error: 'my_error' })).toMatchObject({
          ok: false,
          error: 'my_error',
          args: { error: 'my_error' },
        }),
    },
  },
});

it('api.test needs no token', async () => {
  const answer = await fetch(`${live.sandbox.slackApiUrl}api.test?any=thing`, { method: 'POST' });
  expect(await answer.json()).toEqual({ ok: true, args: { any: 'thing' } });
});
