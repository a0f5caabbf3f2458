import { expect, test } from 'vitest';
import type { Core } from '../../../src/core/core.ts';
import type { Directory, Search } from '../../../src/core/people/directory.ts';
import type { Identity } from '../../../src/core/people/identity.ts';
import type { UsersClient } from '../../../src/core/service/service-client.ts';
import type { UserProfile } from '../../../src/core/service/service-user.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import type { SlackPerson } from '../../../src/core/slack/slack-person.ts';
import { type Store, StoreError } from '../../../src/core/store/store.ts';
import { ownershipOf, protectionOf } from '../../../src/operations/accounts/protection.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';

const BEN = { id: 'ben', userName: 'ben@example.com', externalId: null, name: 'Ben' };

const profile = (more: Partial<UserProfile> = {}): UserProfile => ({
  ...{ id: 'ben', userName: 'ben@example.com', externalId: null, active: true },
  ...{ displayName: 'Ben', formattedName: null, givenName: null, familyName: null },
  ...{ title: null, department: null, ...more },
});

/** A service that shows one account, whatever it is asked for. */
const showing = (user: UserProfile) =>
  fake<UsersClient>({ find: async () => ({ kind: 'found', user }) });

const UNLINKED = { override: null, linkedTo: null };

const person = (id: string, more: Partial<SlackPerson> = {}): SlackPerson =>
  slackPerson({ id, teamId: 'T1', email: `${id}@example.com`, displayName: id, ...more });

const found = (account: string, identity: Identity): Search => ({
  ...{ identity, override: null, address: null, account, linkedTo: null },
});

const active = (userId: string): Identity => ({ kind: 'linked', userId, active: true });

/** Ana, Ben and Cleo are administrators; `cleo`: how her account stands, each time it is read. */
function needsOf(cleo: () => Identity, more: Partial<SlackPerson> = {}): Core {
  const slots = new Set<string>();
  return coreWith({
    lookup: fake<Lookup>({
      person: async (id) => person(id, id === 'cleo' ? more : {}),
      groupMembers: async () => ({ users: [], missing: null }),
    }),
    service: { users: showing(profile()) },
    directory: fake<Directory>({
      known: async () => UNLINKED,
      async search({ id }) {
        if (id === 'ana') return found('', { kind: 'none' });
        return found(id, id === 'cleo' ? cleo() : active(id));
      },
    }),
    config: { administrators: { users: ['ana', 'ben', 'cleo'], groups: [] } },
    workspace: { team: 'T1', enterprise: null, teams: [] },
    store: fake<Store>({
      async putIfAbsent(key) {
        const isFirst = !slots.has(key);
        slots.add(key);
        return isFirst;
      },
    }),
  });
}

const wants = { by: 'ana', change: '0-a', signal: new AbortController().signal };

test("another administrator's account is checked again when the change reaches its turn", async () => {
  const answers: Identity[] = [active('cleo'), { kind: 'inactive' }];
  const needs = needsOf(() => answers.shift() ?? expect.unreachable());
  expect(await protectionOf(needs, BEN, wants)).toEqual({ kind: 'last-administrator' });
});

test('a change cannot reuse its lock from an earlier try', async () => {
  const needs = needsOf(() => active('cleo'));
  expect(await protectionOf(needs, BEN, wants)).toEqual({ kind: 'free' });
  expect(await protectionOf(needs, BEN, wants)).toEqual({ kind: 'one-at-a-time' });
});

test.each([{ isGuest: true }, { teamId: 'T2' }, { isBot: true }, { deleted: true }])(
  'somebody who cannot use Gatepost does not count as another administrator: %j',
  async (more) => {
    const needs = needsOf(() => active('cleo'), more);
    expect(await protectionOf(needs, BEN, wants)).toEqual({ kind: 'last-administrator' });
  },
);

test('the current address of an account counts, not the one that was shown', async () => {
  const needs = needsOf(() => active('cleo'));
  const seen = { ...BEN, userName: 'benjamin@example.com' };
  const ownerAsks = { ...wants, by: 'ben' };
  expect(await protectionOf(needs, seen, ownerAsks)).toEqual({ kind: 'own-account' });
});

/** Ben, and many more administrators; `search`: how the account of each is found. */
function many(search: Directory['search']) {
  const users = ['ben', ...Array.from({ length: 40 }, (_, n) => `admin${n}`)];
  const directory = fake<Directory>({ known: async () => UNLINKED, search });
  return coreWith({
    ...needsOf(() => active('cleo')),
    directory,
    config: { administrators: { users, groups: [] } },
  });
}

test('no other accounts are looked up if the account is clearly not an administrator’s', async () => {
  const needs = coreWith({
    ...many(() => expect.unreachable()),
    service: { users: showing(profile({ id: 'una', userName: 'una@example.com' })) },
  });
  const una = { ...BEN, id: 'una', userName: 'una@example.com' };
  expect(await protectionOf(needs, una, wants)).toEqual({ kind: 'free' });
});

test('one other administrator with an active account is enough, even if the other lookups are slow', async () => {
  let asked = 0;
  const needs = many(async ({ id }) => {
    asked += 1;
    return id === 'admin3' ? found(id, active(id)) : new Promise<never>(() => {});
  });
  expect(await protectionOf(needs, BEN, wants)).toEqual({ kind: 'free' });
  expect(asked).toBe(16);
});

test('administrators who all have the account to be deactivated do not count as others', async () => {
  const needs = many(async () => found('ben', active('ben')));
  expect(await protectionOf(needs, BEN, wants)).toEqual({ kind: 'last-administrator' });
});

test.each([
  ['of whom the address is', UNLINKED, 'ben'],
  ['whom the configuration links with it', { override: 'ben', linkedTo: null }, 'ana'],
  ['who is linked with it', { override: null, linkedTo: 'ben' }, 'ana'],
])('nobody can re-activate their own account: %s', async (_, known, by) => {
  const needs = {
    ...needsOf(() => active('cleo')),
    directory: fake<Directory>({ known: async () => known }),
  };
  expect(await ownershipOf(needs, BEN, { ...wants, by })).toEqual({ kind: 'own-account' });
});

test.each([
  ['no link, override or address', UNLINKED, 'own-unknown'],
  ['a link', { override: null, linkedTo: 'u-ana' }, 'free'],
  ['an override', { override: 'u-ana', linkedTo: null }, 'free'],
])('somebody whose address Slack hides, with %s', async (_, known, kind) => {
  const needs = coreWith({
    ...needsOf(() => active('cleo')),
    directory: fake<Directory>({ known: async () => known }),
    lookup: fake<Lookup>({ person: async (id) => person(id, { email: null }) }),
    config: { administrators: { users: [], groups: [] } },
  });
  expect(await ownershipOf(needs, BEN, wants)).toEqual({ kind });
  expect(await protectionOf(needs, BEN, wants)).toEqual({ kind });
});

test.each([
  ['is not shown', 'none', 'own-unknown'],
  ['is shown', 'found', 'free'],
] as const)(
  'whether somebody can create accounts whose own linked one %s (%s): %s',
  async (_, kind, ownership) => {
    const user = profile({ id: 'u-ana' });
    const needs = coreWith({
      ...needsOf(() => active('cleo')),
      service: {
        users: fake<UsersClient>({
          find: async () => (kind === 'found' ? { kind, user } : { kind }),
        }),
      },
      directory: fake<Directory>({ known: async () => ({ override: null, linkedTo: 'u-ana' }) }),
    });
    const una = { id: '', userName: 'una@example.com', externalId: 'x-1', name: 'Una' };
    expect(await ownershipOf(needs, una, wants)).toEqual({ kind: ownership });
  },
);

test('it is the store that failed if it cannot say whose account it is', async () => {
  const known = () => Promise.reject(new StoreError('unavailable', 'get: not connected'));
  const needs = coreWith({
    ...needsOf(() => active('cleo')),
    directory: fake<Directory>({ known }),
  });
  expect(await ownershipOf(needs, BEN, wants)).toMatchObject({ kind: 'failed', of: 'store' });
});

test('another administrator can re-activate an account', async () => {
  const needs = needsOf(() => active('cleo'));
  expect(await ownershipOf(needs, BEN, wants)).toEqual({ kind: 'free' });
});

test('an own account is protected even if the configuration names its owner by another id', async () => {
  const needs = needsOf(() => active('cleo'));
  const ana = { id: 'ana', userName: 'ana@example.com', externalId: null, name: 'Ana' };
  const named = coreWith({
    ...needs,
    config: { administrators: { users: ['w-ana', 'ben', 'cleo'], groups: [] } },
    service: { users: showing(profile({ id: 'ana', userName: 'ana@example.com' })) },
    lookup: fake<Lookup>({
      ...needs.lookup,
      person: async (id) =>
        person(id, id === 'w-ana' || id === 'ana' ? { email: 'ana@example.com' } : {}),
    }),
  });
  expect(await protectionOf(named, ana, wants)).toEqual({ kind: 'own-account' });
});
