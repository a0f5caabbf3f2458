import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import type { UserProfile } from '../../../src/core/service/service-user.ts';
import {
  type UserFilter,
  type UserPage,
  type UserQuery,
  userPages,
} from '../../../src/core/service/user-pages.ts';
import { cases } from '../../support/cases.ts';

const blank = {
  active: null,
  displayName: null,
  formattedName: null,
  givenName: null,
  familyName: null,
  title: null,
  department: null,
};
const user = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
  userName: fc.constantFrom('ana@x.example', 'ANA@x.example', ' ben@x.example', 'anabel@x.example'),
  externalId: fc.option(fc.constantFrom('x1', 'X1')),
});
const users = fc
  .uniqueArray(user, { selector: ({ id }) => id })
  .map((all) => all.map((each): UserProfile => ({ ...blank, ...each })));

const filter: fc.Arbitrary<UserFilter> = fc.oneof(
  fc.record({
    attribute: fc.constant('userName' as const),
    operator: fc.constantFrom('eq' as const, 'co' as const, 'sw' as const),
    value: fc.constantFrom('Ana@x.example', 'ana', 'ben@x.example', 'nobody'),
  }),
  fc.record({
    attribute: fc.constant('externalId' as const),
    operator: fc.constant('eq' as const),
    value: fc.constantFrom('x1', 'X1', ''),
  }),
);

/** The comparison in other words: addresses in any case and without white space around, ids verbatim. */
function fits({ attribute, operator, value }: UserFilter, account: UserProfile): boolean {
  const is =
    attribute === 'externalId' ? account.externalId : account.userName.trim().toLowerCase();
  const wanted = attribute === 'externalId' ? value : value.toLowerCase();
  if (is === null) return false;
  return { eq: is === wanted, co: is.includes(wanted), sw: is.startsWith(wanted) }[operator];
}

const server = fc.record({
  filters: fc.constantFrom('honoured', 'ignored', 'refused'),
  rows: fc.integer({ min: 1, max: 4 }),
  saysTotal: fc.boolean(),
  /** How many rows of the last page are repeated. */
  overlap: fc.integer({ min: 0, max: 1 }),
});

it('finds exactly the matching accounts, each once, however the server treats filters and pages', async () => {
  const property = fc.asyncProperty(users, filter, server, async (all, wanted, ways) => {
    const list = async ({ filter, startIndex, count }: UserQuery): Promise<UserPage> => {
      if (filter !== null && ways.filters === 'refused') {
        throw new RemoteFailure('list users', { class: 'refused', code: 'http_400', status: 400 });
      }
      const isFiltered = filter !== null && ways.filters === 'honoured';
      const kept = isFiltered ? all.filter((each) => fits(wanted, each)) : all;
      const start = startIndex - 1;
      const from = start < kept.length ? Math.max(0, start - ways.overlap) : start;
      const rows = kept.slice(from, start + Math.min(count, ways.rows));
      const totalResults = ways.saysTotal ? kept.length : null;
      return { users: rows, rowCount: rows.length, totalResults, startIndex: null };
    };
    const found: string[] = [];
    let isIgnored = false;
    for await (const batch of userPages(list, { filter: wanted })) {
      found.push(...batch.users.map(({ id }) => id));
      isIgnored = batch.ignoresFilter;
    }
    const expected = all.filter((each) => fits(wanted, each)).map(({ id }) => id);
    if (ways.overlap === 0) {
      expect(found).toEqual(expected);
      const isTold = ways.filters === 'refused' || expected.length < all.length;
      expect(isIgnored).toBe(ways.filters !== 'honoured' && isTold);
    } else {
      // Rows that come again push others past the next page's start: none may come twice all the same.
      expect(new Set(found).size).toBe(found.length);
      expect(expected).toEqual(expect.arrayContaining(found));
    }
  });
  await fc.assert(property, { numRuns: cases(200, 1_000) });
});
