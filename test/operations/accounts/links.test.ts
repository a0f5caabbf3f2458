import { expect, test } from 'vitest';
import type { Core } from '../../../src/core/core.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Directory } from '../../../src/core/people/directory.ts';
import { readLink, writeLink } from '../../../src/core/people/identity-link.ts';
import {
  ACCEPT_ACTION,
  conflictOf,
  digestOf,
  type LinkConflict,
} from '../../../src/core/people/link-conflict.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import type { Replies } from '../../../src/core/slack/replies.ts';
import { type Store, StoreError } from '../../../src/core/store/store.ts';
import { acceptConflict, forgetPerson } from '../../../src/operations/accounts/links.ts';
import { listenToAccounts } from '../../../src/operations/accounts/slack.ts';
import { openEmbeddedWorld } from '../../core/store/embedded-world.ts';
import { collect } from '../../core/store/store-world.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { pressButton } from '../../support/press-button.ts';
import { personOf } from '../../support/slack-person.ts';

const DANA = { user: 'U0DANA', channel: 'D0DANA' };

/** Dana is the administrator; `found`: the service's accounts for the search. */
function needsOf(store: Store, found: string | null): Core {
  return coreWith({
    lookup: fake<Lookup>({
      person: async (id) => personOf(id),
      isMember: async () => false,
      groupMembers: async () => ({ users: [], missing: null }),
    }),
    timers: systemTimers,
    timing: TRUE_TIME,
    workspace: { team: 'T0', enterprise: null, teams: [] },
    config: { administrators: { users: ['U0DANA'], groups: [] } },
    directory: fake<Directory>({
      async search({ id }) {
        const known = await readLink(store, [id], found);
        const identity = conflictOf([id], known, found) ?? ({ kind: 'none' } as const);
        return { identity, override: null, address: null, account: found, linkedTo: known.account };
      },
    }),
    replies: fake<Replies>({ respondUrl: async () => {}, ephemeral: async () => {} }),
    store,
  });
}

async function actionsIn(store: Store): Promise<object[]> {
  const entries = await collect(store.readAudit({}));
  return entries.map(({ action, actor, facts }) => ({ action, actor, facts }));
}

test('accepting a conflict moves the account to its new holder, and frees the old account', async () => {
  await using world = await openEmbeddedWorld();
  const [store] = world.stores;
  await writeLink(store, 'U0ANA', 'u-1');
  await writeLink(store, 'U0BEN', 'u-2');
  const facts = { user: 'U0ANA', found: 'u-2', holder: 'U0BEN' };
  const conflict: LinkConflict = { kind: 'changed', linkedTo: 'u-1', ...facts };
  const seen = { user: 'U0ANA', digest: digestOf(conflict) };
  const done = await acceptConflict(needsOf(store, 'u-2'), seen, DANA);
  expect(done).toMatchObject({ isDone: true, text: expect.stringContaining('<@U0DANA>') });
  expect(await readLink(store, ['U0ANA'], 'u-2')).toMatchObject({
    account: 'u-2',
    holder: 'U0ANA',
  });
  expect(await readLink(store, ['U0ANA'], 'u-1')).toMatchObject({ holder: null });
  const bens = conflictOf(['U0BEN'], await readLink(store, ['U0BEN'], 'u-2'), 'u-2');
  expect(bens).toMatchObject({ kind: 'taken', holder: 'U0ANA' });
  expect(await actionsIn(store)).toEqual([
    {
      action: 'people.pins.accepted',
      actor: 'U0DANA',
      facts: { kind: 'changed', pinned: 'u-1', ...facts },
    },
  ]);
});

test('a conflict that has changed since it was shown is not accepted', async () => {
  await using world = await openEmbeddedWorld();
  const [store] = world.stores;
  await writeLink(store, 'U0ANA', 'u-1');
  const facts = { user: 'U0ANA', linkedTo: 'u-1', found: 'u-2', holder: null };
  const seen = { user: 'U0ANA', digest: digestOf({ kind: 'changed', ...facts }) };
  const { text } = await acceptConflict(needsOf(store, 'u-3'), seen, DANA);
  expect(text).toMatch(/^Nothing was linked, because something else was found/);
  expect(await readLink(store, ['U0ANA'], 'u-3')).toMatchObject({ account: 'u-1', holder: null });
  expect(await actionsIn(store)).toEqual([]);
});

test('a conflict stays open while the service may not show all accounts', async () => {
  await using world = await openEmbeddedWorld();
  const [store] = world.stores;
  const needs = coreWith({
    ...needsOf(store, null),
    directory: fake<Directory>({
      async search() {
        const nothing = { override: null, address: null, account: null, linkedTo: 'u-1' };
        return { identity: { kind: 'not-shown' }, ...nothing };
      },
    }),
  });
  const answer = await acceptConflict(needs, { user: 'U0ANA', digest: 'd' }, DANA);
  expect(answer).toMatchObject({
    isDone: false,
    text: expect.stringMatching(/may have more accounts/),
  });
  expect(await actionsIn(store)).toEqual([]);
});

test('an unlinked person has no account, and the audit log names who unlinked them', async () => {
  await using world = await openEmbeddedWorld();
  const [store] = world.stores;
  await writeLink(store, 'U0ANA', 'u-1');
  const needs = needsOf(store, null);
  expect(await forgetPerson(needs, '<@U0ANA|ana>', DANA)).toMatch(/was unlinked from/);
  expect(await readLink(store, ['U0ANA'], 'u-1')).toMatchObject({ account: null, holder: null });
  expect(await forgetPerson(needs, 'U0ANA', { ...DANA, user: 'U0EVE' })).toMatch(
    /Only Gatepost admin/,
  );
  expect(await actionsIn(store)).toEqual([
    {
      action: 'people.pins.forgotten',
      actor: 'U0DANA',
      facts: { user: 'U0ANA', pinned: 'u-1' },
    },
    {
      action: 'people.pins.refused',
      actor: 'U0EVE',
      facts: { refusal: 'not-named', channel: 'D0DANA' },
    },
  ]);
});

test('administrators cannot accept or undo their own link by another of their ids', async () => {
  await using world = await openEmbeddedWorld();
  const [store] = world.stores;
  await writeLink(store, 'W0DANA', 'u-1');
  const needs = {
    ...needsOf(store, 'u-2'),
    // Slack answers with the id that was asked for.
    lookup: fake<Lookup>({
      person: async (id) => ({ ...personOf(id), globalId: 'W0DANA' }),
      groupMembers: async () => ({ users: [], missing: null }),
    }),
  };
  const facts = { user: 'W0DANA', linkedTo: 'u-1', found: 'u-2', holder: null };
  const seen = { user: 'W0DANA', digest: digestOf({ kind: 'changed', ...facts }) };
  expect((await acceptConflict(needs, seen, DANA)).text).toMatch(/For your own account another/);
  expect(await forgetPerson(needs, 'W0DANA', DANA)).toMatch(/For your own account another/);
  expect(await readLink(store, ['W0DANA'], null)).toMatchObject({ account: 'u-1' });
  expect(await actionsIn(store)).toEqual([]);
});

/** What happens, in its order, when Dana confirms Ana's new account; `put`: of the store. */
async function pressAccept(store: Store, put: Store['put']) {
  await writeLink(store, 'U0ANA', 'u-1');
  const happened: string[] = [];
  const facts = { user: 'U0ANA', linkedTo: 'u-1', found: 'u-2', holder: null };
  const digest = digestOf({ kind: 'changed', ...facts });
  const told = async () => void happened.push('told');
  const needs = fake<Core>({
    ...needsOf(store, 'u-2'),
    replies: fake<Replies>({ respondUrl: told, ephemeral: told }),
    store: fake<Store>({
      now: () => store.now(),
      get: (key) => store.get(key),
      take: (key) => store.take(key),
      writeAudit: (entry) => store.writeAudit(entry),
      async put(...args) {
        await put(...args);
        happened.push('stored');
      },
    }),
  });
  const value = JSON.stringify({ user: 'U0ANA', digest });
  const press = { user: 'U0DANA', action: ACCEPT_ACTION, value };
  return pressButton((bolt) => listenToAccounts(bolt, needs), press, happened);
}

test('an administrator’s press is stored before Slack gets its acknowledgement', async () => {
  await using world = await openEmbeddedWorld();
  const [store] = world.stores;
  const happened = await pressAccept(store, (...args) => store.put(...args));
  expect(happened).toEqual(['stored', 'stored', 'told', 'acknowledged', 'done']);
});

test('Slack gets no acknowledgement if the store refuses an administrator’s press', async () => {
  await using world = await openEmbeddedWorld();
  const away = async () => {
    throw new StoreError('unavailable', 'the store is away');
  };
  expect(await pressAccept(world.stores[0], away)).toEqual(['failed']);
});
