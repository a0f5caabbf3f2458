import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newAccount } from '../../../sandbox/service/users/account.ts';
import { provisionUser } from '../../../sandbox/service/users/provision-user.ts';
import type { UserKey } from '../../../src/core/service/find-user.ts';
import { serviceUserOf } from '../../../src/core/service/service-user.ts';
import { isMatch } from '../../../src/core/service/user-pages.ts';
import { foreseeProvisioning } from '../../../src/operations/accounts/provisioning.ts';
import { cases } from '../../support/cases.ts';

const address = fc.constantFrom('ana@x.example', 'ANA@x.example', 'ben@x.example');
const externalId = fc.constantFrom('x1', 'X1', 'x2');

const accounts = fc
  .array(
    fc.record({
      userName: address,
      externalId: fc.option(externalId),
      active: fc.boolean(),
      origin: fc.constantFrom('scim' as const, 'local' as const),
    }),
    { maxLength: 4 },
  )
  .map((made) => made.map((each, n) => ({ ...newAccount(`u${n}`, each.userName), ...each })));

const request = fc.record({ userName: address, externalId }, { requiredKeys: ['userName'] });

it('creating an account does what the preview said, or is not sent', async () => {
  const seen = { new: 0, link: 0, reactivate: 0, collision: 0, several: 0 };
  await fc.assert(
    fc.asyncProperty(accounts, request, async (users, { userName, ...changes }) => {
      const rows = users.flatMap((user) => serviceUserOf(user) ?? []);
      const find = async (attribute: UserKey, value: string) => {
        const matches = rows.filter((row) => isMatch(row, { attribute, operator: 'eq', value }));
        const [user, other] = matches;
        if (user === undefined) return { kind: 'none' } as const;
        return other ? ({ kind: 'several' } as const) : ({ kind: 'found', user } as const);
      };
      const foreseen = await foreseeProvisioning({ find }, { userName, ...changes });
      seen[foreseen.kind] += 1;
      const wanted = { userName, changes };
      const done = provisionUser(users, wanted, { newId: () => 'new', twins: 'refused' });
      if ('detail' in done) {
        expect(['collision', 'several']).toContain(foreseen.kind);
      } else if (foreseen.kind === 'new') {
        expect(done).toMatchObject({ isNew: true, user: { id: 'new' } });
      } else if (foreseen.kind !== 'several') {
        expect(foreseen.kind).not.toBe('collision');
        const before = users.find(({ id }) => id === done.user.id);
        expect(foreseen).toMatchObject({ account: { id: before?.id } });
        expect(foreseen.kind).toBe(before?.active ? 'link' : 'reactivate');
      }
    }),
    { numRuns: cases(200, 1_000) },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
});
