import { expect, it } from 'vitest';
import {
  type Held,
  type NewRecord,
  type Store,
  type StoredRecord,
  StoreError,
} from '../../../../src/core/store/store.ts';
import { decodeBatch } from '../../../../src/operations/batch/batch.ts';
import { PROJECT_BLOCK } from '../../../../src/operations/test-cases/form-view.ts';
import { FORM_OLD, WORDS } from '../../../../src/operations/test-cases/sentences.ts';
import { CASE_BATCH } from '../../../../src/operations/test-cases/several/case-batch.ts';
import { boxBlock } from '../../../../src/operations/test-cases/several/lines-form.ts';
import {
  LINES_MAX,
  NO_LINES,
  tooMany,
} from '../../../../src/operations/test-cases/several/sentences.ts';
import { submitLines } from '../../../../src/operations/test-cases/several/submit-lines.ts';
import { coreWith } from '../../../support/core-with.ts';
import { fake } from '../../../support/fake.ts';

const places = {
  catalogue: { testProjects: [{ id: 'tp1', name: 'Checkout', space: 'eng', suites: [] }] },
  links: { testCase: null },
  cases: { announce: true },
};

function formWith(
  text: string,
  { previewed, project = 'tp1' }: { previewed?: string; project?: string } = {},
) {
  return {
    id: 'V1',
    hash: 'h1',
    callback: 'test-cases.lines-form',
    metadata: JSON.stringify({ channel: 'C0', boxes: 1, previewed }),
    values: new Map([
      [PROJECT_BLOCK, project],
      [boxBlock(0), text],
    ]),
  };
}

/** A store that notes what it is told. */
function needsWith(trouble?: StoreError['code']) {
  const told: string[] = [];
  const store = fake<Store>({
    now: () => 1,
    create: async ({ data, kind, lane, place }: NewRecord) => {
      if (trouble !== undefined) throw new StoreError(trouble, 'the store is away');
      told.push(data);
      const lease = { id: '0-a', token: 't' };
      const kept = { id: '0-a', dueAt: null, lists: [], uniqueKey: null };
      const record: StoredRecord = { ...kept, kind, data, lane, place };
      const held: Held = { lease, record, inbox: [], claims: 1, now: 1 };
      return { kind: 'created', id: '0-a', now: 1, held } as const;
    },
    signal: async () => ({ kind: 'queued' }) as const,
  });
  const run = async ({ lease }: Held) => void told.push(`run ${lease.id}`);
  return Object.assign(
    coreWith({
      store,
      config: places,
      reconciler: { hasRoom: true, run },
    }),
    { told },
  );
}

type Ack = Awaited<ReturnType<typeof submitLines>>['ack'];
const shown = (ack: Ack) => JSON.stringify(ack);
const metadataIn = (ack: Ack) => ('view' in ack ? (ack.view.private_metadata ?? '') : '');

/** What a form that was previewed carries. */
async function previewOf(text: string): Promise<string> {
  const { ack } = await submitLines(needsWith(), formWith(text), 'U0ANA');
  return JSON.parse(metadataIn(ack)).previewed;
}

it('the previewed lines are stored before the form is acknowledged, and start after that', async () => {
  const needs = needsWith();
  const previewed = await previewOf('One\nTwo | low');
  const { ack, later } = await submitLines(
    needs,
    formWith('One\nTwo | low', { previewed }),
    'U0ANA',
  );
  expect(shown(ack)).toContain('Received 2 test cases');
  expect(needs.told.map((data) => decodeBatch(CASE_BATCH, data))).toMatchObject([
    {
      by: 'U0ANA',
      channel: 'C0',
      place: { spaceSlug: 'eng', projectId: 'tp1' },
      lines: [{ title: 'One' }, { title: 'Two', priority: 'LOW' }],
      queue: [0, 1],
    },
  ]);
  await later?.();
  expect(needs.told.at(-1)).toBe('run 0-a');
});

it('a form that was stored before gets the state of the stored lines', async () => {
  const needs = needsWith();
  const submit = async (text: string, of = needs) =>
    submitLines(of, formWith(text, { previewed: await previewOf(text) }), 'U0ANA');
  await submit('One\nTwo');
  const record = { id: '0-a', data: needs.told[0] ?? '' };
  // as: no more of it is looked at
  const exists = { kind: 'exists', record: record as StoredRecord } as const;
  const store = { ...needs.store, create: async () => exists };
  // as: a store answers either way
  const { ack } = await submit('One\nTwo\nThree', { ...needs, store } as unknown as typeof needs);
  expect(shown(ack)).toContain('Received 2 test cases');
});

it.each([
  ['nothing', formWith(' \n\t'), NO_LINES],
  ['too much', formWith('x\n'.repeat(LINES_MAX + 1)), tooMany(LINES_MAX + 1)],
  ['a project that is none any more', formWith('One', { project: 'tp9' }), FORM_OLD],
  ['what is not understood', formWith('One | no'), 'neither a priority nor a type'],
  ['what was not previewed', formWith('One'), '[1]'],
  ['what was previewed otherwise', formWith('One', { previewed: 'other' }), 'have changed since'],
])('nothing is stored for %s', async (_, form, words) => {
  const needs = needsWith();
  const { ack } = await submitLines(needs, form, 'U0ANA');
  expect(shown(ack).replace('Create 1', '[1]')).toContain(words);
  expect(needs.told).toEqual([]);
});

it.each([
  ['unavailable', WORDS.notRecorded(false)],
  ['unknown', WORDS.notRecorded(true)],
] as const)(
  'says what is known if the store is %s, and offers the same lines again',
  async (trouble, note) => {
    const form = formWith('One', { previewed: await previewOf('One') });
    const { ack } = await submitLines(needsWith(trouble), form, 'U0ANA');
    expect(shown(ack)).toContain(note);
    expect(ack).toMatchObject({ view: { submit: { text: 'Create 1' } } });
    const unsure = trouble === 'unknown' && { unsure: true };
    expect(JSON.parse(metadataIn(ack))).toEqual({ ...JSON.parse(form.metadata), ...unsure });
  },
);

it('never says that nothing was created once a press may have been stored', async () => {
  const previewed = await previewOf('One');
  const first = await submitLines(needsWith('unknown'), formWith('One', { previewed }), 'U0ANA');
  const metadata = metadataIn(first.ack);
  const again = { ...formWith('One'), metadata };
  const { ack } = await submitLines(needsWith('unavailable'), again, 'U0ANA');
  expect(shown(ack)).toContain(WORDS.notRecorded(true));
  const wrong = { ...formWith('One | no'), metadata: metadataIn(ack) };
  const faulty = await submitLines(needsWith(), wrong, 'U0ANA');
  expect(shown(faulty.ack)).toContain('*1 of 1 line needs fixing: 1.* Change the marked lines');
});
