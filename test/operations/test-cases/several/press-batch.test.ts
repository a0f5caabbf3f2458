import { expect, it } from 'vitest';
import { type Store, type StoredRecord, StoreError } from '../../../../src/core/store/store.ts';
import { encodeBatch } from '../../../../src/operations/batch/batch.ts';
import { MAYBE_PRESSED, pressBatch } from '../../../../src/operations/batch/press-batch.ts';
import { queueOf } from '../../../../src/operations/batch/queue.ts';
import { NOT_STORED, NOT_YOURS } from '../../../../src/operations/flow/words.ts';
import { WORDS } from '../../../../src/operations/test-cases/sentences.ts';
import {
  CASE_BATCH,
  CASE_BATCH_KIND,
  type CaseBatch,
} from '../../../../src/operations/test-cases/several/case-batch.ts';
import { PRESS_WORDS } from '../../../../src/operations/test-cases/several/sentences.ts';
import { changeFailed } from '../../../../src/operations/test-cases/several/slack.ts';
import { coreWith } from '../../../support/core-with.ts';
import { fake } from '../../../support/fake.ts';
import { batchWith, places } from './batches.ts';

const batch = batchWith([
  { title: 'Created', end: { code: 'created', id: '1', status: null } },
  { title: 'Refused', end: { code: 'invalid' } },
  { title: 'Lost', end: { code: 'unknown' }, unconfirmed: { quietAt: 0, lost: 1, hasEnded: true } },
  { title: 'Unsent' },
]);

/** A store with one record, which notes what it is told. */
function needsWith(
  record: CaseBatch | null,
  kind = CASE_BATCH_KIND,
  signalled: 'queued' | 'missing' = 'queued',
) {
  const told: string[] = [];
  const kept = { lane: 'people', dueAt: null, place: null, uniqueKey: null, lists: [] } as const;
  const stored: StoredRecord | null = record && {
    id: '0-a',
    kind,
    data: encodeBatch(record),
    ...kept,
  };
  const store = fake<Store>({
    read: async (id: string) => (id === '0-a' ? (stored ?? undefined) : undefined),
    signal: async (_: string, { body }: { readonly body: string }) => {
      told.push(body);
      return { kind: signalled };
    },
  });
  return Object.assign(
    coreWith({
      store,
      config: places,
      reconciler: { hasRoom: false, run: async () => {} },
    }),
    { told },
  );
}

const pressed = (core: ReturnType<typeof coreWith>, by: ReturnType<typeof press>) =>
  pressBatch(core, CASE_BATCH, PRESS_WORDS, by);
const press = (value: string, user = 'U0ANA') => ({ value, press: 'p', user });

it.each([
  ['0-a again 0', '{"kind":"again","run":0}'],
  ['0-a again-one 0 2', '{"kind":"again-one","run":0,"line":2}'],
  ['0-a page 2', '{"kind":"page","page":2}'],
])('“%s” is stored as its signal', async (value, body) => {
  const needs = needsWith(batch);
  expect(await pressed(needs, press(value))).toBeUndefined();
  expect(needs.told).toEqual([body]);
});

it.each(['', '0-a', '0-a again', '0-a again x', '0-a again-one 1', '0-a page -1', '0-a all 1'])(
  '“%s” is ignored',
  async (value) => {
    const needs = needsWith(batch);
    expect(await pressed(needs, press(value))).toBe(WORDS.gone);
    expect(needs.told).toEqual([]);
  },
);

it('only the author of a batch can continue it, or see its texts', async () => {
  const needs = needsWith(batch);
  expect(await pressed(needs, press('0-a again 0', 'U0BEN'))).toBe(NOT_YOURS);
  const view = JSON.stringify(await changeFailed(needs, press('0-a', 'U0BEN')));
  expect(view).toContain(NOT_YOURS);
  expect(view).not.toContain('Refused');
  expect(needs.told).toEqual([]);
});

it.each([
  ['is not kept any more', needsWith(null)],
  ['is something else', needsWith(batch, 'test-case')],
  ['goes in this moment', needsWith(batch, CASE_BATCH_KIND, 'missing')],
])('says that the batch is no longer stored if it %s', async (_, needs) => {
  expect(await pressed(needs, press('0-a again 0'))).toBe(WORDS.gone);
});

it('the form to change lines has exactly those that were certainly not created', async () => {
  const view = await changeFailed(needsWith(batch), press('0-a'));
  expect(JSON.stringify(view)).toContain('"initial_value":"Refused\\nUnsent"');
});

const underWay = { ...batch, ...queueOf([1], 0), run: 1 };

it.each([
  ['others are on their way', underWay, PRESS_WORDS.underWay],
  ['others were sent since', { ...batch, run: 1 }, PRESS_WORDS.seenOld],
  ['all of them were created by now', batchWith(batch.lines.slice(0, 1)), PRESS_WORDS.seenOld],
])('says that nothing is sent again when %s', async (_, record, sentence) => {
  expect(await pressed(needsWith(record), press('0-a again-one 0 2'))).toBe(sentence);
  expect(await pressed(needsWith(record), press('0-a again 0'))).toBe(sentence);
});

it('lines being sent cannot be changed', async () => {
  const view = JSON.stringify(await changeFailed(needsWith(underWay), press('0-a')));
  expect(view).toContain(PRESS_WORDS.underWay);
  expect(view).not.toContain('Refused');
});

it.each([
  ['unavailable', NOT_STORED],
  ['unknown', MAYBE_PRESSED],
] as const)('says what is known of a press if the store is %s', async (code, sentence) => {
  const needs = needsWith(batch);
  const away = () => Promise.reject(new StoreError(code, 'it is away'));
  const store = fake<Store>({ read: needs.store.read, signal: away });
  const broken = { ...needs, store };
  expect(await pressed(broken, press('0-a again 0'))).toBe(sentence);
});
