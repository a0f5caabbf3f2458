import { expect, test } from 'vitest';
import type { ActedAt } from '../../../src/approvals/acted-at.ts';
import { closingKey, readClosing } from '../../../src/approvals/electorate/closing.ts';
import {
  answerClosing,
  type ClosingTyped,
  readClosingTyped,
} from '../../../src/approvals/ways-in/closing/closing-command.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import { type Store, StoreError } from '../../../src/core/store/store.ts';
import { openMemoryWorld } from '../../core/store/memory-world.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';
import { withResolvers } from '../../support/with-resolvers.ts';
import { routeWith } from '../approvals.ts';

const OPEN = { kind: 'open', of: 'production' } as const;
const CLOSE = { kind: 'close', of: 'all', until: 'in 1 hour', why: 'Freeze' } as const;

/** An administrator types commands, on this store; what they read. `slack`: answers who they are. */
function typing(store: Store, slack = async () => {}) {
  const core = coreWith({
    ...{ store, timing: TRUE_TIME, timers: systemTimers },
    random: { uuid: () => 'id', fraction: () => 0, bytes: (n: number) => Buffer.alloc(n) },
    config: {
      routes: [routeWith(), routeWith({ name: 'staging' })],
      administrators: { users: ['U0ADMIN'], groups: [] },
    },
    reconciler: { hasRoom: false, run: async () => {} },
    lookup: fake<Lookup>({
      async person(id) {
        await slack();
        return slackPerson({ id, teamId: 'T0' });
      },
    }),
    workspace: { team: 'T0', enterprise: null, teams: [] },
  });
  const present = { user: 'U0ADMIN', channel: 'C0PROD', responseUrl: null };
  let signals = 0;
  return async (typed: ClosingTyped, again?: string, acted?: ActedAt) => {
    signals += 1;
    const id = again ?? `c${signals}`;
    return (await answerClosing(core, present, typed, { id, ...(acted && { acted }) })).text;
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
    'Route `staging` was not closed: Gatepost could not store it. Type the command again in a minute.',
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

test('an open that was held back, or is delivered again, does not undo a later close', async () => {
  const world = await openMemoryWorld();
  const [store] = world.stores;
  const seconds = (ms: number) => ({ ms: ms * 1_000, isWhole: true }) as const;
  const since = 'Route `production` has been closed again since, so nothing was changed.';
  const type = typing(store);
  // Nothing is closed yet, and the same request comes again.
  expect(await type(OPEN, 'o1', seconds(100))).toMatch(/is not closed/);
  const slow = withResolvers();
  const held = typing(store, () => slow.promise)(OPEN, 'o2', seconds(101));
  await type(CLOSE, 'c1', seconds(102));
  // What comes later never stays open because of that.
  await type({ ...CLOSE, why: 'Incident' }, 'c2', seconds(99));
  slow.resolve();
  expect(await held).toBe(since);
  expect(await type(OPEN, 'o1', seconds(100))).toBe(since);
  expect(await readClosing(store, 'production')).toMatchObject({ why: 'Incident' });
  expect(await type(OPEN, 'o3', seconds(102))).toMatch(/is open/);
  await world[Symbol.asyncDispose]();
});

test.each([
  ['Freeze (see OPS-12)', 'Freeze (see OPS-12)'],
  ['“Black Friday” – no deploys!', '“Black Friday” – no deploys!'],
  [' Migration: step 2. ', 'Migration: step 2.'],
])('the reason %j stays as it was typed', (typed, why) => {
  const until = 'until Mon 08:00';
  expect(readClosingTyped(`“Close  production ${until}: ${typed}`)).toEqual({
    ...{ kind: 'close', of: 'production', until, why },
  });
});
