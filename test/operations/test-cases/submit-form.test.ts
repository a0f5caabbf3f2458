import { expect, it } from 'vitest';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { type Store, type StoredRecord, StoreError } from '../../../src/core/store/store.ts';
import { encodeOperation } from '../../../src/operations/flow/operation.ts';
import { createOperationFlow, encodeSignal } from '../../../src/operations/flow/operation-flow.ts';
import { firstPhase } from '../../../src/operations/flow/sending.ts';
import { CASE_KIND, type CaseRecord } from '../../../src/operations/test-cases/case.ts';
import { caseOperation } from '../../../src/operations/test-cases/case-operation.ts';
import { PROJECT_BLOCK, TITLE_BLOCK } from '../../../src/operations/test-cases/form-view.ts';
import { NO_TITLE, WORDS } from '../../../src/operations/test-cases/sentences.ts';
import { submitForm } from '../../../src/operations/test-cases/submit-form.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';

const NOW = 1_000_000;
const known: CaseRecord = {
  v: 1,
  by: 'U0ANA',
  channel: 'C0',
  wish: { testCase: { spaceSlug: 'eng', projectId: 'tp1', title: 'Pay' }, round: 0 },
  announce: false,
  run: 0,
  createdAt: NOW,
  modal: 'V1',
  phase: firstPhase(0),
  posts: [],
};
const places = {
  catalogue: { testProjects: [{ id: 'tp1', name: 'Checkout', space: 'eng', suites: [] }] },
  links: { testCase: null },
  cases: { announce: false },
};
const form = {
  id: 'V1',
  hash: 'h1',
  callback: 'test-cases.create-form',
  metadata: '{"channel":"C0","round":0}',
  values: new Map([
    [PROJECT_BLOCK, 'tp1'],
    [TITLE_BLOCK, 'Pay'],
  ]),
};

/** A store in which the form was recorded before, and which notes what it is told. */
function needsWith(record: CaseRecord) {
  const told: string[] = [];
  const kept = { lane: 'people', dueAt: null, place: null, uniqueKey: null, lists: [] } as const;
  const stored: StoredRecord = {
    id: '0-a',
    kind: CASE_KIND,
    data: encodeOperation(record),
    ...kept,
  };
  const store = fake<Store>({
    now: () => NOW,
    create: async () => ({ kind: 'exists', record: stored }) as const,
    signal: async (_: string, { body }: { readonly body: string }) => {
      told.push(body);
      return { kind: 'queued' } as const;
    },
  });
  return Object.assign(
    coreWith({
      store,
      config: places,
      reconciler: { hasRoom: true, run: async () => {} },
    }),
    { told },
  );
}

it('a second press gets the current state, and has it shown again as it continues', async () => {
  const needs = needsWith(known);
  const submitted = await submitForm(needs, form, 'U0ANA');
  expect(JSON.stringify(submitted.ack)).toContain('Checking whether you can…');
  expect(needs.told).toEqual([]);
  await submitted.later?.();
  expect(needs.told).toEqual([encodeSignal({ kind: 'covered' })]);
});

it('a second press on a finished test case changes nothing', async () => {
  const outcome = { code: 'created', id: 'tc1', status: 'DRAFT' } as const;
  const needs = needsWith({ ...known, phase: { name: 'done' }, outcome });
  const submitted = await submitForm(needs, form, 'U0ANA');
  expect(JSON.stringify(submitted.ack)).toContain('*Created*');
  await submitted.later?.();
  expect(needs.told).toEqual([]);
});

it('the result is shown again after an acknowledgement replaced it', () => {
  const needs = coreWith({
    service: { testCases: null },
    config: { ...places, retention: { doneMs: 1 } },
  });
  const flow = createOperationFlow(caseOperation(needs), TRUE_TIME);
  const state = { state: 'done', outcome: { code: 'refused' } } as const;
  const outcome = { code: 'refused' } as const;
  const settled = {
    ...known,
    phase: { name: 'done' } as const,
    outcome,
    shown: JSON.stringify(state),
  };
  const later = NOW + 60_000;
  expect(flow.plan(settled, later).kind).toBe('finish');
  const signal = { id: 's', at: later, body: encodeSignal({ kind: 'covered' }) };
  const { data } = flow.receive(settled, signal, later);
  expect(flow.plan(data, later)).toMatchObject({ kind: 'wait', until: later + 500 });
  expect(flow.plan(data, later + 500)).toMatchObject({ step: { kind: 'show', state } });
});

it('a title without visible characters is refused', async () => {
  const needs = needsWith(known);
  const values = new Map([...form.values, [TITLE_BLOCK, '\u202e\u0000']]);
  const { ack } = await submitForm(needs, { ...form, values }, 'U0ANA');
  expect(ack).toMatchObject({ errors: { [TITLE_BLOCK]: NO_TITLE } });
});

it('never says that nothing was created once a press may have been stored', async () => {
  const troubles: StoreError['code'][] = ['unavailable', 'unknown', 'unavailable'];
  const store = fake<Store>({
    now: () => NOW,
    create: () => Promise.reject(new StoreError(troubles.shift() ?? 'unknown', 'it is away')),
  });
  const needs = coreWith({
    store,
    config: places,
    reconciler: { hasRoom: true, run: async () => {} },
  });
  const press = async (metadata: string) => {
    const { ack } = await submitForm(needs, { ...form, metadata }, 'U0ANA');
    const next = 'view' in ack ? (ack.view.private_metadata ?? '') : '';
    return { text: JSON.stringify(ack), next };
  };
  const away = await press(form.metadata);
  expect(away.text).toContain(WORDS.notRecorded(false));
  expect(away.next).toBe(form.metadata);
  const unknown = await press(away.next);
  expect(unknown.text).toContain(WORDS.notRecorded(true));
  const again = await press(unknown.next);
  expect(again.text).toContain(WORDS.notRecorded(true));
  expect(again.text).not.toContain('Nothing was created');
  expect(again.text).not.toContain('Several at once');
});
