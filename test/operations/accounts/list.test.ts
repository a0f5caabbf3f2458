import { expect, test } from 'vitest';
import type { Core } from '../../../src/core/core.ts';
import type { UsersClient } from '../../../src/core/service/service-client.ts';
import type { UserProfile } from '../../../src/core/service/service-user.ts';
import { type UserQuery, userPages } from '../../../src/core/service/user-pages.ts';
import { BEGINNING } from '../../../src/operations/accounts/browse.ts';
import { accountsView } from '../../../src/operations/accounts/list.ts';
import { fake } from '../../support/fake.ts';

const ACCOUNTS = Array.from({ length: 34 }, (_, index): UserProfile => {
  const names = { displayName: null, formattedName: null, givenName: null, familyName: null };
  const rest = { externalId: null, active: true, title: null, department: null };
  return { id: `u${index}`, userName: `u${index}@example.com`, ...names, ...rest };
});

/** A server whose total is the count of the page. */
async function list({ startIndex, count }: UserQuery) {
  const users = ACCOUNTS.slice(startIndex - 1, startIndex - 1 + count);
  return { users, rowCount: users.length, totalResults: users.length, startIndex };
}

const users = fake<UsersClient>({ pages: (asked) => userPages(list, asked) });

test.each([
  [[], 'Accounts 1 to 10', true],
  [[11], 'Accounts 11 to 20', true],
  [[11, 21, 31], 'Accounts 31 to 34', false],
])(
  'a total that may be the count of the page does not end the list: %j',
  async (trail, head, isMore) => {
    const { blocks } = await accountsView(fake<Core>({ clock: fake({}) }), users, {
      ...BEGINNING,
      trail,
    });
    const text = JSON.stringify(blocks);
    expect(text).toContain(`"${head}"`);
    expect(text.includes('Next page')).toBe(isMore);
  },
);
