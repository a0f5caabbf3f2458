import { describe, expect, it } from 'vitest';
import type { NewAlert } from '../../../src/core/alerts/raise-alert.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import {
  createDirectory,
  type DirectoryDependencies,
  type PersonToFind,
  unseen,
} from '../../../src/core/people/directory.ts';
import type { UserMatch } from '../../../src/core/service/find-user.ts';
import { slackPerson } from '../../support/slack-person.ts';
import { openEmbeddedWorld } from '../store/embedded-world.ts';

const ana = slackPerson();
const anas = { id: 'u-1', externalId: null, userName: 'ana@example.com', active: true };

function found(id: string, active: boolean | null = true): UserMatch {
  return { kind: 'found', user: { ...anas, id, active, displayName: null } };
}

const CONFIG: DirectoryDependencies['config'] = {
  identityOverrides: { U0BOSS: 'u-boss' },
  identityUserId: 'id',
  identityEmails: 'confirmed',
};

/** A directory over a real store and a service with given answers, by address or id. */
async function setUp(
  accounts: Record<string, UserMatch>,
  {
    config,
    ...needs
  }: Partial<Omit<DirectoryDependencies, 'store' | 'config'>> & {
    readonly config?: Partial<DirectoryDependencies['config']>;
  } = {},
) {
  const world = await openEmbeddedWorld();
  const [store] = world.stores;
  const asked: string[] = [];
  const raised: NewAlert[] = [];
  const open = (change: Partial<DirectoryDependencies> = {}) =>
    createDirectory({
      users: {
        find: async (attribute, value) => {
          asked.push(attribute === 'userName' ? value : `${attribute} ${value}`);
          return accounts[value] ?? { kind: 'none' };
        },
      },
      config: { ...CONFIG, ...config },
      workspace: { team: 'T0ACME', enterprise: null, teams: ['T0ALLY'] },
      store,
      raise: async (news) => void raised.push(news),
      clock: { monotonic: () => 0 },
      timers: systemTimers,
      ...needs,
      ...change,
    });
  return {
    accounts,
    asked,
    raised,
    store,
    pass: world.pass,
    directory: open(),
    /** Another replica. */
    open,
    /** Somebody's identity, from a directory without memory. */
    whoIs: async (person: Partial<PersonToFind>) =>
      (await open().serviceUserFor({ ...ana, ...person })).identity,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

const linked = (userId: string | null) => ({ kind: 'linked', userId, active: true });

describe('the other ids of a person', () => {
  const known = (userName: string | null, externalId: string | null = null, id = 'u-1') =>
    expect.objectContaining({ id, userName, externalId });
  const boss = { ...ana, id: 'U0BOSS', email: 'boss@example.com' };

  it('include their other id in the organisation', async () => {
    await using stage = await setUp({ 'ana@example.com': found('u-1') });
    const actor = await stage.directory.serviceUserFor({ ...ana, globalId: 'W0ANA' });
    expect(actor).toEqual({
      address: 'ana@example.com',
      identity: linked('u-1'),
      account: known('ana@example.com'),
      alsoKnownAs: ['W0ANA'],
    });
  });

  it('include people whom an override links to the same account, in both directions', async () => {
    const accounts = { 'ana@example.com': found('u-1'), 'u-1': found('u-1') };
    await using stage = await setUp(accounts, { config: { identityOverrides: { U0BOSS: 'u-1' } } });
    expect(await stage.directory.serviceUserFor(boss)).toMatchObject({ alsoKnownAs: [] });
    expect(await stage.directory.serviceUserFor(ana)).toMatchObject({ alsoKnownAs: ['U0BOSS'] });
    expect(await stage.directory.serviceUserFor(boss)).toMatchObject({
      identity: linked('u-1'),
      account: known('ana@example.com'),
      alsoKnownAs: ['U0ANA'],
    });
  });

  it('include people linked by external id', async () => {
    const user = { ...anas, externalId: 'x-1', displayName: null };
    const match = { kind: 'found', user } as const;
    const config = { identityOverrides: { U0BOSS: 'x-1' }, identityUserId: 'externalId' } as const;
    await using stage = await setUp({ 'ana@example.com': match, 'x-1': match }, { config });
    expect(await stage.directory.serviceUserFor(ana)).toMatchObject({ alsoKnownAs: ['U0BOSS'] });
    expect(await stage.directory.serviceUserFor(boss)).toMatchObject({
      account: known('ana@example.com', 'x-1'),
      alsoKnownAs: ['U0ANA'],
    });
  });

  it('are empty when nothing links another id', async () => {
    await using stage = await setUp({ 'ana@example.com': { kind: 'none' } });
    const nobody = { address: 'ana@example.com', account: null, alsoKnownAs: [] };
    expect(await stage.directory.serviceUserFor(ana)).toMatchObject({
      identity: { kind: 'none' },
      ...nobody,
    });
    const unlisted = await stage.directory.serviceUserFor(boss);
    expect(unlisted.account).toEqual({ id: 'u-boss', userName: null, externalId: null });
  });
});

describe('the user id sent to the service', () => {
  it.each([
    ['id', 'x-1', linked('u-1')],
    ['externalId', 'x-1', linked('x-1')],
    ['externalId', null, { kind: 'no-external-id' }],
    ['none', null, linked(null)],
  ] as const)('is the %s', async (userId, externalId, identity) => {
    const match = { kind: 'found', user: { ...anas, externalId, displayName: null } } as const;
    await using stage = await setUp(
      { 'ana@example.com': match },
      { config: { identityUserId: userId } },
    );
    expect(await stage.whoIs(ana)).toEqual(identity);
  });
});

describe('a Slack person', () => {
  it.each<[UserMatch, object]>([
    [found('u-1'), linked('u-1')],
    [found('u-1', false), { kind: 'inactive' }],
    [found('u-1', null), { kind: 'unknown-activity' }],
    [{ kind: 'none' }, { kind: 'none' }],
    [{ kind: 'none', isPartial: true }, { kind: 'not-shown' }],
    [{ kind: 'several' }, { kind: 'several' }],
  ])('with the account %j is identified as %j', async (match, identity) => {
    await using stage = await setUp({ 'ana@example.com': match });
    expect(await stage.whoIs({ email: ' Ana@EXAMPLE.com' })).toEqual(identity);
    expect(stage.asked).toEqual(['ana@example.com']);
  });

  it('is known by overrides alone where there is no list of users', async () => {
    await using stage = await setUp({}, { users: null });
    expect(await stage.whoIs({ id: 'U0BOSS' })).toMatchObject({ kind: 'linked' });
    expect(await stage.whoIs(ana)).toEqual({ kind: 'no-directory' });
    expect(await stage.whoIs({ id: 'constructor' })).toEqual({ kind: 'no-directory' });
  });

  it.each([
    { email: null },
    { email: ' ' },
    { isEmailConfirmed: false },
    { isEmailConfirmed: null },
  ])('with %j has no address to look up, and is not looked up', async (facts) => {
    await using stage = await setUp({ 'ana@example.com': found('u-1') });
    expect(await stage.whoIs(facts)).toEqual({ kind: 'no-address' });
    expect(stage.asked).toEqual([]);
  });

  it.each<[object, boolean]>([
    [{ isEmailConfirmed: false }, true],
    [{ isEmailConfirmed: null }, true],
    [{ isEmailConfirmed: false, isGuest: true }, false],
    [{ isEmailConfirmed: false, isStranger: true }, false],
    [{ isEmailConfirmed: false, teamId: 'T0ALLY' }, false],
    [{ isEmailConfirmed: true, isGuest: true }, true],
    [{ email: ' ' }, false],
  ])('with %j, where any address counts, is found: %s', async (facts, isFound) => {
    await using stage = await setUp(
      { 'ana@example.com': found('u-1') },
      { config: { identityEmails: 'any' } },
    );
    expect(await stage.whoIs(facts)).toEqual(isFound ? linked('u-1') : { kind: 'no-address' });
    expect(stage.asked).toEqual(isFound ? ['ana@example.com'] : []);
  });

  it('with a hidden address raises the same alert for all members of our own workspaces, and none for others', async () => {
    await using stage = await setUp({});
    const hidden = { email: null };
    await stage.whoIs({ ...hidden, isGuest: true });
    await stage.whoIs({ ...hidden, teamId: 'T0ALLY' });
    await stage.whoIs({ isEmailConfirmed: false });
    await stage.whoIs({ ...hidden, id: 'U0BOSS' });
    await stage.open({ users: null }).serviceUserFor({ ...ana, ...hidden });
    expect(stage.raised).toEqual([]);
    await stage.whoIs(hidden);
    await stage.whoIs({ ...hidden, id: 'U0EVE' });
    expect(stage.raised.map(({ about }) => about)).toEqual([
      'people.address-hidden',
      'people.address-hidden',
    ]);
    expect(stage.raised[0]?.text).toMatch(/^Slack shows Gatepost no e-mail address for <@U0ANA>/);
  });

  it('is looked up each time, and cached only for lists', async () => {
    await using stage = await setUp({ 'ana@example.com': found('u-1') });
    const ask = async () => (await stage.directory.serviceUserFor(ana)).identity;
    const recently = async () => (await stage.directory.recentSearch(ana)).identity;
    expect(await ask()).toEqual(linked('u-1'));
    stage.accounts['ana@example.com'] = found('u-1', false);
    expect(await recently()).toEqual(linked('u-1'));
    expect(await ask()).toEqual({ kind: 'inactive' });
    stage.accounts['ana@example.com'] = found('u-1');
    expect(await recently()).toEqual({ kind: 'inactive' });
    expect(await ask()).toEqual(linked('u-1'));
  });

  it('is looked up in advance by the known address, and again when the address has changed', async () => {
    let elapsedMs = 0;
    const clock = { monotonic: () => ++elapsedMs };
    const accounts = { 'ana@example.com': found('u-1'), 'new@example.com': found('u-2') };
    await using stage = await setUp(accounts, { clock });
    const since = clock.monotonic();
    stage.directory.readAhead(ana, { since });
    expect((await stage.directory.serviceUserFor(ana, { since })).identity).toEqual(linked('u-1'));
    expect(stage.asked).toEqual(['ana@example.com']);
    const eve = { ...ana, id: 'U0EVE', email: 'new@example.com' };
    expect((await stage.directory.serviceUserFor(eve, { since })).identity).toEqual(linked('u-2'));
    stage.directory.readAhead({ ...ana, isEmailConfirmed: false }, { since: elapsedMs });
    expect(stage.asked).toEqual(['ana@example.com', 'new@example.com']);
  });
});

describe('an override', () => {
  const boss = { ...ana, id: 'U0BOSS', email: 'boss@example.com' };

  it.each<[string, UserMatch, object]>([
    ['is active', found('u-boss'), linked('u-boss')],
    ['is deactivated', found('u-boss', false), { kind: 'inactive' }],
    ['does not say whether it is', found('u-boss', null), linked('u-boss')],
    ['is not in the list', { kind: 'none' }, linked('u-boss')],
    ['is not in what the list shows', { kind: 'none', isPartial: true }, linked('u-boss')],
  ])('leads to an account that is read, and %s', async (_what, match, identity) => {
    await using stage = await setUp({ 'u-boss': match, 'boss@example.com': found('u-2') });
    expect(await stage.whoIs(boss)).toEqual(identity);
    expect(await stage.whoIs({ globalId: 'U0BOSS' })).toEqual(identity);
    expect(stage.asked).toEqual(['id u-boss', 'id u-boss']);
    expect(await stage.directory.search(boss)).toMatchObject({
      ...{ override: 'u-boss', account: match.kind === 'found' ? 'u-boss' : null },
      ...{ address: null, linkedTo: null },
    });
  });

  it.each([
    ['externalId', 'externalId u-boss'],
    ['none', 'id u-boss'],
  ] as const)('is read by the %s', async (userId, asked) => {
    await using stage = await setUp(
      { 'u-boss': found('u-77', false) },
      { config: { identityUserId: userId } },
    );
    expect(await stage.whoIs(boss)).toEqual({ kind: 'inactive' });
    expect(stage.asked).toEqual([asked]);
  });

  it('neither authorizes nor denies when its account cannot be read', async () => {
    const failure = new RemoteFailure('list users', { class: 'ambiguous', code: 'timeout' });
    await using stage = await setUp({}, { users: { find: () => Promise.reject(failure) } });
    await expect(stage.whoIs(boss)).rejects.toBe(failure);
  });

  it('is looked up each time, and in advance by id only', async () => {
    let elapsedMs = 0;
    const clock = { monotonic: () => ++elapsedMs };
    await using stage = await setUp({ 'u-boss': found('u-boss') }, { clock });
    const since = clock.monotonic();
    stage.directory.readAhead(unseen('U0ANA'), { since });
    expect(stage.asked).toEqual([]);
    stage.directory.readAhead(unseen('U0BOSS'), { since });
    expect((await stage.directory.serviceUserFor(boss, { since })).identity).toEqual(
      linked('u-boss'),
    );
    expect(stage.asked).toEqual(['id u-boss']);
    stage.accounts['u-boss'] = found('u-boss', false);
    expect((await stage.directory.serviceUserFor(boss)).identity).toEqual({ kind: 'inactive' });
  });
});

describe('a link', () => {
  it('stays from the first match on, for every replica', async () => {
    await using stage = await setUp({ 'ana@example.com': found('u-1') });
    expect(await stage.whoIs(ana)).toEqual(linked('u-1'));
    expect(await stage.whoIs(ana)).toEqual(linked('u-1'));
    stage.accounts['ana@example.com'] = found('u-2');
    const conflict = { user: 'U0ANA', linkedTo: 'u-1', found: 'u-2', holder: null };
    expect(await stage.whoIs(ana)).toEqual({ kind: 'changed', ...conflict });
    expect(stage.raised).toHaveLength(1);
    expect(stage.raised[0]?.text).toMatch(/belongs to the account `u-2`.* linked with `u-1`/);
    stage.accounts['ana@example.com'] = found('u-1');
    expect(await stage.whoIs(ana)).toEqual(linked('u-1'));
  });

  it('is given to an account that is not active, too', async () => {
    await using stage = await setUp({ 'ana@example.com': found('u-1', false) });
    expect(await stage.whoIs(ana)).toEqual({ kind: 'inactive' });
    expect(await stage.whoIs({ email: 'private@example.com' })).toMatchObject({ kind: 'lost' });
  });

  it('is reported as lost when no account has the address any longer', async () => {
    await using stage = await setUp({ 'ana@example.com': found('u-1') });
    await stage.whoIs(ana);
    const conflict = { user: 'U0ANA', linkedTo: 'u-1', found: null, holder: null };
    expect(await stage.whoIs({ email: 'nobody@example.com' })).toEqual({
      kind: 'lost',
      ...conflict,
    });
  });

  it('is not reported as lost while the list may not show all accounts', async () => {
    await using stage = await setUp({ 'ana@example.com': found('u-1') });
    await stage.whoIs(ana);
    stage.accounts['ana@example.com'] = { kind: 'none', isPartial: true };
    stage.accounts['u-1'] = { kind: 'none', isPartial: true };
    expect(await stage.whoIs(ana)).toEqual({ kind: 'not-shown' });
    expect(stage.raised).toEqual([]);
    expect(await stage.whoIs({ isEmailConfirmed: false })).toEqual({ kind: 'not-shown' });
  });

  it.each([{ isEmailConfirmed: false }, { email: null }])(
    'still names the account of a person without an address (%j), and causes no conflict',
    async (facts) => {
      await using stage = await setUp({ 'ana@example.com': found('u-1') });
      await stage.whoIs(ana);
      const nobody = { ...ana, ...facts, globalId: 'W0ANA' };
      expect(await stage.directory.serviceUserFor(nobody)).toEqual({
        identity: { kind: 'no-address' },
        address: null,
        account: { id: 'u-1', userName: null, externalId: null },
        alsoKnownAs: ['W0ANA'],
      });
      expect(await stage.directory.search(nobody)).toMatchObject({
        address: null,
        linkedTo: 'u-1',
      });
      expect(stage.raised.filter(({ button }) => button)).toEqual([]);
      expect(await stage.whoIs(ana)).toEqual(linked('u-1'));
      // Even if nobody has to be linked, a deactivated account decides nothing.
      stage.accounts['u-1'] = found('u-1', false);
      expect(await stage.whoIs(nobody)).toEqual({ kind: 'inactive' });
    },
  );

  it('keeps other people from using the account', async () => {
    await using stage = await setUp({ 'ana@example.com': found('u-1') });
    await stage.whoIs(ana);
    const conflict = { user: 'U0EVE', linkedTo: null, found: 'u-1', holder: 'U0ANA' };
    expect(await stage.whoIs({ id: 'U0EVE' })).toEqual({ kind: 'taken', ...conflict });
    expect(stage.raised[0]?.text).toMatch(/<@U0ANA> is linked with it/);
    expect(await stage.whoIs(ana)).toEqual(linked('u-1'));
  });

  it('goes to one of two people who claim an account at the same time', async () => {
    await using stage = await setUp({ 'ana@example.com': found('u-1') });
    const people = [ana, { ...ana, id: 'U0EVE' }];
    const both = await Promise.all(people.map(stage.whoIs));
    expect(both.map(({ kind }) => kind).sort()).toEqual(['linked', 'taken']);
    const kept = await Promise.all(people.map((each) => stage.open().search(each)));
    expect(kept.map(({ linkedTo }) => linkedTo)).toEqual(
      both.map(({ kind }) => (kind === 'linked' ? 'u-1' : null)),
    );
  });

  it('goes to one of two accounts found by two replicas at the same time', async () => {
    await using stage = await setUp({ 'ana@example.com': found('u-1') });
    const users = { find: async () => found('u-2') };
    const other = stage.open({ users });
    const asked = other.serviceUserFor(ana).then(({ identity }) => identity);
    const both = await Promise.all([stage.whoIs(ana), asked]);
    expect(both.map(({ kind }) => kind).sort()).toEqual(['changed', 'linked']);
  });

  it('holds for every id of the person in an organisation', async () => {
    await using stage = await setUp({ 'ana@example.com': found('u-1') });
    await stage.whoIs(ana);
    expect(await stage.whoIs({ globalId: 'W0ANA' })).toEqual(linked('u-1'));
    expect(await stage.whoIs({ id: 'U0ANOTHER', globalId: 'W0ANA' })).toEqual(linked('u-1'));
    expect(await stage.whoIs({ id: 'U0ANOTHER', globalId: 'W0EVE' })).toMatchObject({
      kind: 'taken',
    });
    stage.accounts['ana@example.com'] = found('u-2');
    expect(await stage.whoIs({ globalId: 'W0ANA' })).toMatchObject({ kind: 'changed' });
  });

  it('does not choose between several accounts with the same address', async () => {
    await using stage = await setUp({ 'ana@example.com': found('u-1') });
    await stage.whoIs(ana);
    stage.accounts['ana@example.com'] = { kind: 'several' };
    expect(await stage.whoIs(ana)).toEqual({ kind: 'several' });
  });

  it('is forgotten 400 days after it was last used', async () => {
    await using stage = await setUp({ 'ana@example.com': found('u-1') });
    const day = 86_400_000;
    await stage.whoIs(ana);
    await stage.pass(390 * day);
    await stage.whoIs(ana);
    await stage.pass(390 * day);
    stage.accounts['ana@example.com'] = found('u-2');
    expect(await stage.whoIs(ana)).toMatchObject({ kind: 'changed' });
    await stage.pass(11 * day);
    expect(await stage.whoIs(ana)).toEqual(linked('u-2'));
  });

  it('is not made by a search', async () => {
    await using stage = await setUp({ 'ana@example.com': found('u-1') });
    const search = () => stage.open().search(ana);
    const nothing = { override: null, address: 'ana@example.com', account: 'u-1', linkedTo: null };
    expect(await search()).toEqual({ ...nothing, identity: linked('u-1') });
    await stage.whoIs(ana);
    stage.accounts['ana@example.com'] = found('u-2');
    expect(await search()).toMatchObject({ identity: { kind: 'changed' }, linkedTo: 'u-1' });
    expect(stage.raised).toEqual([]);
  });
});

it('uses the overrides that were read last', async () => {
  const config = { ...CONFIG, identityOverrides: {} };
  await using stage = await setUp({ 'u-2': found('u-2') });
  const directory = stage.open({ config });
  expect((await directory.search(ana)).override).toBeNull();
  config.identityOverrides = { [ana.id]: 'u-2' };
  expect((await directory.search(ana)).identity).toEqual(linked('u-2'));
});
