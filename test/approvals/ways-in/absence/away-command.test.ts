import { expect, test } from 'vitest';
import { onBack, onDecline } from '../../../../src/approvals/ways-in/absence/away-command.ts';
import type { Core } from '../../../../src/core/core.ts';
import { systemTimers } from '../../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../../src/core/lib/timing.ts';
import type { ActionArgs } from '../../../../src/core/slack/listeners.ts';
import type { Lookup } from '../../../../src/core/slack/lookup.ts';
import type { Replies } from '../../../../src/core/slack/replies.ts';
import type { SlackPerson } from '../../../../src/core/slack/slack-person.ts';
import { type Store, StoreError } from '../../../../src/core/store/store.ts';
import { coreWith } from '../../../support/core-with.ts';
import { fake } from '../../../support/fake.ts';
import { slackPerson } from '../../../support/slack-person.ts';

const HOME = { container: {}, view: { id: 'V1', type: 'home', private_metadata: '' } };
const MESSAGE = {
  container: { channel_id: 'D0ANA', message_ts: '1' },
  response_url: 'https://hooks.slack.com/1',
};

/** Presses a button; what happens, in order. */
async function pressing(
  listen: (core: Core) => (args: ActionArgs) => Promise<void>,
  where: object,
  find: Store['find'],
): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const away = new StoreError('unavailable', 'away');
  const core = coreWith({
    ...{ timing: TRUE_TIME, timers: systemTimers },
    workspace: { team: 'T0', enterprise: null, teams: [] },
    reconciler: { hasRoom: true, run: async () => {} },
    lookup: fake<Lookup>({
      recent: fake<Lookup['recent']>({
        person: async (id): Promise<SlackPerson> => slackPerson({ id }),
      }),
    }),
    replies: fake<Replies>({
      direct: async ({ text }) => void seen.push(text),
      respondUrl: async (_, words) => void seen.push(words),
    }),
    store: fake<Store>({
      now: () => 0,
      find: async (key) => {
        seen.push('looks');
        return find(key);
      },
      create: () => Promise.reject(away),
    }),
  });
  const body = {
    ...{ ...where, user: { id: 'U0ANA' }, trigger_id: 't' },
    actions: [{ type: 'button', action_id: 'a', action_ts: '1', value: 'U0CLEO' }],
  };
  const args = { body, ack: async () => void seen.push('acknowledged') };
  // as: it uses nothing else
  await listen(core)(args as unknown as ActionArgs);
  return seen;
}

const isAway = () => Promise.reject(new StoreError('unavailable', 'away'));
const TROUBLE = expect.stringMatching(/^Gatepost could not store that just now/);

test.each([
  ["I'm back", onBack],
  ['Decline', onDecline],
])(
  '%s that could not be stored is said, also on the Home tab, and can be pressed again',
  async (_, listen) => {
    expect(await pressing(listen, HOME, isAway)).toEqual(['looks', 'acknowledged', TROUBLE]);
    expect(await pressing(listen, MESSAGE, isAway)).toEqual([
      'looks',
      'acknowledged',
      { text: TROUBLE, replace: false },
    ]);
  },
);

test('a button that has nothing left to do is replaced', async () => {
  const none = async () => undefined;
  expect(await pressing(onBack, HOME, none)).toEqual(['looks', 'acknowledged']);
  expect(await pressing(onBack, MESSAGE, none)).toMatchObject([
    'looks',
    'acknowledged',
    { text: 'You are not away, so there is nothing to end.', replace: true },
  ]);
});
