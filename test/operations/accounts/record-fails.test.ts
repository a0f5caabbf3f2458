import { expect, test } from 'vitest';
import { systemRandom } from '../../../src/core/lib/random.ts';
import { type Store, StoreError } from '../../../src/core/store/store.ts';
import { BEGINNING } from '../../../src/operations/accounts/browse.ts';
import { pressActive } from '../../../src/operations/accounts/card.ts';
import { createView, reviewView, submitReview } from '../../../src/operations/accounts/create.ts';
import { editView, submitEdit } from '../../../src/operations/accounts/edit.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';

/** A store that is away, or that nobody knows of whether it took the record. */
const failing = (code: StoreError['code']) =>
  coreWith({
    store: fake<Store>({
      now: () => 0,
      create: async () => {
        throw new StoreError(code, 'away');
      },
      signal: async () => expect.unreachable(),
    }),
    reconciler: { hasRoom: true, run: async () => {} },
    random: { ...systemRandom, uuid: () => 'K2' },
  });

const CODES = [
  ['unavailable', /was not recorded because Gatepost cannot store it right now/],
  ['unknown', /not known whether this was recorded/],
] as const;

const ANA = {
  id: 'a1',
  userName: 'ana@example.com',
  externalId: null,
  active: true,
  displayName: 'Ana',
  formattedName: null,
  givenName: null,
  familyName: null,
  title: 'Engineer',
  department: null,
};

const formOf = (metadata = '', values: Record<string, string> = {}) => ({
  id: 'V1',
  hash: 'h1',
  callback: '',
  metadata,
  values: new Map(Object.entries(values)),
});

test.each(CODES)('a form keeps its input when the store is %s', async (code, words) => {
  const { private_metadata } = editView(ANA, { browse: BEGINNING, key: 'K1' });
  const form = formOf(private_metadata, { 'people.title:K1': 'Lead' });
  const { ack } = await submitEdit(failing(code), form, 'U0DANA');
  expect(ack).toEqual({
    response_action: 'errors',
    errors: { 'people.displayName:K1': expect.stringMatching(words) },
  });
});

test('a form submitted after a change that may have been recorded is a new change', async () => {
  const keys: (string | undefined)[] = [];
  const forgetful = coreWith({
    store: fake<Store>({
      now: () => 0,
      async create({ uniqueKey }) {
        keys.push(uniqueKey);
        throw new StoreError('unknown', 'the answer was lost');
      },
    }),
    reconciler: { hasRoom: true, run: async () => {} },
  });
  const { private_metadata } = editView(ANA, { browse: BEGINNING, key: 'K1' });
  for (const title of ['Lead', 'Lead', 'Principal']) {
    await submitEdit(forgetful, formOf(private_metadata, { 'people.title:K1': title }), 'U0DANA');
  }
  const [first, same, other] = keys;
  expect(same).toBe(first);
  expect(other).not.toBe(first);
});

test.each(CODES)('a review returns to its form when the store is %s', async (code, words) => {
  const user = { userName: 'nia@example.com', title: 'Nurse' };
  const review = reviewView(user, { kind: 'new', isPartial: false, mayLink: true }, 'K1');
  const { ack } = await submitReview(failing(code), formOf(review.private_metadata), 'U0DANA');
  expect(JSON.stringify(ack)).toMatch(words);
  expect(ack).toMatchObject({ response_action: 'update' });
  const blank = createView('K2', user);
  expect(JSON.stringify(ack)).toContain(JSON.stringify(blank.blocks.slice(0, -1)).slice(1, -1));
});

test.each(CODES)('a press on a card gets an answer when the store is %s', async (code, words) => {
  const { view } = await pressActive(failing(code), 'deactivate', {
    user: 'U0DANA',
    modal: { id: 'V1', hash: 'h1' },
    browse: BEGINNING,
    account: { id: 'a1', userName: 'ana@example.com', externalId: null, name: 'Ana' },
  });
  expect(JSON.stringify(view)).toMatch(words);
});
