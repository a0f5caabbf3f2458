import { expect, test } from 'vitest';
import { type ProtectionDependencies, protectionOf } from '../../src/accounts/protection.ts';
import type { Directory, Search } from '../../src/people/directory.ts';
import type { Identity } from '../../src/people/identity.ts';
import type { SlackPerson } from '../../src/people/membership.ts';
import type { Lookup } from '../../src/slack/lookup.ts';
import type { Store } from '../../src/store/store.ts';
import { fake } from '../support/fake.ts';

const BEN = { id: 'ben', userName: 'ben@example.com', externalId: null, name: 'Ben' };

const person = (id: string, more: Partial<SlackPerson> = {}): SlackPerson => ({
  ...{ id, globalId: null, teamId: 'T1', enterpriseId: null, deleted: false, isBot: false },
  ...{ isGuest: false, isStranger: false, isEmailConfirmed: true, timeZone: null },
  ...{ email: `${id}@example.com`, displayName: id, ...more },
});

const found = (account: string, identity: Identity): Search => ({
  ...{ identity, override: null, address: null, account, linkedTo: null },
});

const active = (userId: string): Identity => ({ kind: 'linked', userId, active: true });

/** Ana, Ben and Cleo are administrators; `cleo`: how her account stands, each time it is read. */
function needsOf(cleo: () => Identity, more: Partial<SlackPerson> = {}) {
  const slots = new Set<string>();
  const needs: ProtectionDependencies = {
    lookup: fake<Lookup>({
      person: async (id) => person(id, id === 'cleo' ? more : {}),
      groupMembers: async () => ({ users: [], missing: null }),
    }),
    directory: fake<Directory>({
      async search({ id }) {
        if (id === 'ana') return found('', { kind: 'none' });
        return found(id, id === 'cleo' ? cleo() : active(id));
      },
    }),
    administrators: { users: ['ana', 'ben', 'cleo'], groups: [] },
    workspace: { team: 'T1', enterprise: null, teams: [] },
    store: fake<Store>({
      async putIfAbsent(key) {
        const isFirst = !slots.has(key);
        slots.add(key);
        return isFirst;
      },
    }),
  };
  return needs;
}

const wants = { by: 'ana', change: '0-a', signal: new AbortController().signal };

test("an administrator's account is looked at anew once it is its turn", async () => {
  const answers: Identity[] = [active('cleo'), { kind: 'inactive' }];
  const needs = needsOf(() => answers.shift() ?? expect.unreachable());
  expect(await protectionOf(needs, BEN, wants)).toEqual({ kind: 'last-administrator' });
});

test('a turn that a change had before is not taken for one that lasts until it is sent', async () => {
  const needs = needsOf(() => active('cleo'));
  expect(await protectionOf(needs, BEN, wants)).toEqual({ kind: 'free' });
  expect(await protectionOf(needs, BEN, wants)).toEqual({ kind: 'one-at-a-time' });
});

test.each([{ isGuest: true }, { teamId: 'T2' }, { isBot: true }, { deleted: true }])(
  'nobody is left by an administrator who may do nothing: %j',
  async (more) => {
    const needs = needsOf(() => active('cleo'), more);
    expect(await protectionOf(needs, BEN, wants)).toEqual({ kind: 'last-administrator' });
  },
);
