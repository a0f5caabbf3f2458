import { expect, test } from 'vitest';
import { closingKey, readClosing } from '../../../src/approvals/electorate/closing.ts';
import {
  answerClosing,
  type ClosingTyped,
} from '../../../src/approvals/ways-in/closing/closing-command.ts';
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

const CLOSE = { kind: 'close', of: 'all', until: 'in 1 hour', why: 'Freeze' } as const;

/** An administrator types commands, on this store; what they read. */
function typing(store: Store) {
  const said: string[] = [];
  const core = coreWith({
    ...{ store, timing: TRUE_TIME, timers: systemTimers },
    random: { uuid: () => 'id', fraction: () => 0, bytes: (n: number) => Buffer.alloc(n) },
    config: {
      routes: [routeWith(), routeWith({ name: 'staging' })],
      administrators: { users: ['U0ADMIN'], groups: [] },
    },
    reconciler: { hasRoom: false, run: async () => {} },
    lookup: fake<Lookup>({ person: async (id) => slackPerson({ id, teamId: 'T0' }) }),
    workspace: { team: 'T0', enterprise: null, teams: [] },
    replies: fake<Replies>({ ephemeral: async ({ text }) => void said.push(text) }),
  });
  const present = { user: 'U0ADMIN', channel: 'C0PROD', responseUrl: null };
  let signals = 0;
  return async (typed: ClosingTyped, again?: string) => {
    signals += 1;
    await answerClosing(core, present, typed, again ?? `c${signals}`);
    return said.at(-1) ?? '';
  };
}

test('each route is answered for itself, also while a part of the store is away', async () => {
  const world = await openMemoryWorld();
  const [store] = world.stores;
  const away = new StoreError('unavailable', 'away');
  const partly = fake<Store>({
    now: store.now,
    find: (key) => (key === closingKey('staging') ? Promise.reject(away) : store.find(key)),
    create: (record, options) => store.create(record, options),
  });
  const text = await typing(partly)(CLOSE);
  expect(text.split('\n')).toEqual([
    expect.stringMatching(/^Route `production` is closed until /),
    'Route `staging`: Gatepost could not store that just now. Try again in a minute.',
  ]);
  await world[Symbol.asyncDispose]();
});

test('a route is closed from the command on, and open from the next one on, long before its time', async () => {
  const world = await openMemoryWorld();
  const [store] = world.stores;
  const type = typing(store);
  await type(CLOSE);
  expect(await readClosing(store, 'production')).toMatchObject({ why: 'Freeze' });
  expect(await type({ kind: 'open', of: 'production' })).toMatch(/^Route `production` is open/);
  expect(await readClosing(store, 'production')).toBeUndefined();
  expect(await readClosing(store, 'staging')).toMatchObject({ why: 'Freeze' });
  await world[Symbol.asyncDispose]();
});

test('a command that is delivered again after a later one does not say that it counts', async () => {
  const world = await openMemoryWorld();
  const [store] = world.stores;
  const type = typing(store);
  const [close, open] = [
    { ...CLOSE, of: 'production' },
    { kind: 'open', of: 'production' },
  ] as const;
  await type(close);
  await type(open);
  const nothing = 'so nothing was changed.';
  expect(await type(close, 'c1')).toBe(`Route \`production\` has been opened since, ${nothing}`);
  await type(close);
  expect(await type(open, 'c2')).toBe(
    `Route \`production\` has been closed again since, ${nothing}`,
  );
  expect(await readClosing(store, 'production')).toMatchObject({ why: 'Freeze' });
  await world[Symbol.asyncDispose]();
});
