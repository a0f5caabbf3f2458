import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BEGINNING, pageAfter, searchFor } from '../../../src/operations/accounts/browse.ts';
import { cardView } from '../../../src/operations/accounts/card.ts';
import { createView, reviewView } from '../../../src/operations/accounts/create.ts';
import { editView } from '../../../src/operations/accounts/edit.ts';
import { pageView, searchView } from '../../../src/operations/accounts/list.ts';
import { cases } from '../../support/cases.ts';
import { viewSchema } from '../../support/slack-limits.ts';

/** Short and long texts, of what Slack wants escaped, of several units, and of several lines. */
const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc
    .tuple(fc.constantFrom('a', '&', '<!here>', '"', '\\', '😀', 'é\n'), fc.nat({ max: 4_000 }))
    .map(([unit, count]) => unit.repeat(count)),
);
const some = fc.option(text);
const account = fc.record({
  id: text.filter((id) => id !== ''),
  userName: text.filter((name) => name.trim() !== ''),
  externalId: some,
  active: fc.option(fc.boolean()),
  displayName: some,
  formattedName: some,
  givenName: some,
  familyName: some,
  title: some,
  department: some,
});

test('every view stays within Slack’s limits, whatever an account contains', () => {
  fc.assert(
    fc.property(fc.array(account, { minLength: 1, maxLength: 20 }), text, (users, words) => {
      const [user] = users;
      if (user === undefined) return;
      const browse = pageAfter(pageAfter(BEGINNING, 11, 'a1'), 21, user.id.slice(0, 200));
      const page = { users: users.slice(0, 10), next: 31, total: 99, ignoresPaging: true };
      const searching = searchFor(words);
      const found = {
        users,
        isMore: true,
        isCutShort: true,
        ignoresFilter: true,
        ignoresPaging: true,
      };
      const wanted = { userName: 'a@example.com', title: '"'.repeat(150) };
      const views = [
        pageView(page, browse),
        searchView(found, searching.text ?? 'a', searching),
        cardView(user, browse, { isOwn: true }),
        reviewView(wanted, { kind: 'link', account: user }, 'k'.repeat(36)),
        createView('k'.repeat(36), wanted, 'note'),
        // A longer one has no button that leads there.
        ...(JSON.stringify(cardView(user, browse, { isOwn: true })).includes('people.edit')
          ? [editView(user, { browse, key: 'k'.repeat(36) })]
          : []),
      ];
      for (const view of views) {
        const { error } = viewSchema.safeParse(view);
        expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toBeUndefined();
      }
    }),
    { numRuns: cases(20, 100) },
  );
});
