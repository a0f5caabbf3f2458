import { expect, test } from 'vitest';
import { closingKey } from '../../../src/approvals/electorate/closing.ts';
import { answerClosing } from '../../../src/approvals/ways-in/closing/closing-command.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import type { Replies } from '../../../src/core/slack/replies.ts';
import { type Store, StoreError } from '../../../src/core/store/store.ts';
import { openMemoryWorld } from '../../core/store/memory-world.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';
import { routeWith } from '../approvals.ts';

test('each route is answered for itself, also while a part of the store is away', async () => {
  const world = await openMemoryWorld();
  const [store] = world.stores;
  const away = new StoreError('unavailable', 'away');
  const partly = fake<Store>({
    now: store.now,
    find: (key) => (key === closingKey('staging') ? Promise.reject(away) : store.find(key)),
    create: (record, options) => store.create(record, options),
  });
  const said: string[] = [];
  const core = coreWith({
    ...{ store: partly, timing: TRUE_TIME, timers: systemTimers },
    config: {
      routes: [routeWith(), routeWith({ name: 'staging' })],
      administrators: { users: ['U0ADMIN'], groups: [] },
    },
    lookup: fake<Lookup>({ person: async (id) => slackPerson({ id, teamId: 'T0' }) }),
    workspace: { team: 'T0', enterprise: null, teams: [] },
    replies: fake<Replies>({ ephemeral: async ({ text }) => void said.push(text) }),
  });
  const present = { user: 'U0ADMIN', channel: 'C0PROD', responseUrl: null };
  const typed = { kind: 'close', of: 'all', until: 'in 1 hour', why: 'Freeze' } as const;
  await answerClosing(core, present, typed, 'c1');
  const [text = ''] = said;
  expect(text.split('\n')).toEqual([
    expect.stringMatching(/^Route `production` is closed until /),
    'Route `staging`: Gatepost could not store that just now. Try again in a minute.',
  ]);
  await world[Symbol.asyncDispose]();
});
