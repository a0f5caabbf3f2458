import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newAccount, type ServiceUser } from '../../service/users/account.ts';
import { provisionUser } from '../../service/users/provision-user.ts';

const address = fc.constantFrom(
  'ana@x.example',
  'ANA@x.example',
  'ben@x.example',
  'cleo@x.example',
);
const externalId = fc.constantFrom('x1', 'X1', 'x2', 'x3');

const account = fc.record({
  userName: address,
  externalId: fc.option(externalId),
  active: fc.boolean(),
  origin: fc.constantFrom('scim' as const, 'local' as const),
});

/** As a service can have them: addresses and external ids are unique. */
const accounts = fc
  .uniqueArray(account, {
    maxLength: 4,
    comparator: (one, other) =>
      one.userName.toLowerCase() === other.userName.toLowerCase() ||
      (one.externalId !== null && one.externalId === other.externalId),
  })
  .map((made) => made.map((each, n) => ({ ...newAccount(`u${n}`, each.userName), ...each })));

const request = fc.record(
  { userName: address, externalId, title: fc.string(), active: fc.boolean() },
  { requiredKeys: ['userName'] },
);

/** Interface 4.5, create rules 2 and 3, and 3.3, implemented a second time. */
function expected(
  users: readonly ServiceUser[],
  { userName, externalId }: { readonly userName: string; readonly externalId?: string },
) {
  const isNamesake = (user: ServiceUser) => user.userName.toLowerCase() === userName.toLowerCase();
  if (externalId !== undefined) {
    const known = users.find((user) => user.externalId === externalId);
    if (known) return { kind: 'matched', id: known.id } as const;
    return { kind: users.some(isNamesake) ? 'refused' : 'made' } as const;
  }
  const namesake = users.find(isNamesake);
  return namesake ? ({ kind: 'matched', id: namesake.id } as const) : ({ kind: 'made' } as const);
}

it('a creation matches by external id, then by address, or creates one, or is refused, and changes no other account', () => {
  const seen = { matched: 0, made: 0, refused: 0 };
  fc.assert(
    fc.property(accounts, request, (users, { userName, ...changes }) => {
      const before = structuredClone(users);
      const rule = expected(users, { userName, ...changes });
      seen[rule.kind] += 1;
      const done = provisionUser(
        users,
        { userName, changes },
        { newId: () => 'new', twins: 'refused' },
      );
      expect(users).toEqual(before);
      if ('detail' in done) {
        expect(rule.kind).toBe('refused');
        expect(done.scimType).toBe('uniqueness');
        return;
      }
      const id = rule.kind === 'matched' ? rule.id : 'new';
      expect({ id: done.user.id, isNew: done.isNew }).toEqual({ id, isNew: rule.kind === 'made' });
      const was = before.find((user) => user.id === id);
      expect(done.users.find((user) => user.id === id)).toEqual(done.user);
      expect(done.users.filter((user) => user.id !== id)).toEqual(
        before.filter((user) => user.id !== id),
      );
      expect(done.users).toHaveLength(before.length + (was ? 0 : 1));
      expect(done.user).toEqual({
        ...(was ?? newAccount('new', userName)),
        origin: 'scim',
        active: true,
        ...changes,
      });
    }),
    { numRuns: 2000 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(50);
});
