import { expect, it } from 'vitest';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { type Store, StoreError } from '../../../src/core/store/store.ts';
import { encodeOperation } from '../../../src/operations/flow/operation.ts';
import { createOperationFlow, encodeSignal } from '../../../src/operations/flow/operation-flow.ts';
import { firstPhase } from '../../../src/operations/flow/sending.ts';
import { NOT_YOURS } from '../../../src/operations/flow/words.ts';
import { ACTIONS } from '../../../src/operations/test-cases/actions.ts';
import {
  CASE_KIND,
  type CaseRecord,
  type Outcome,
} from '../../../src/operations/test-cases/case.ts';
import { caseOperation } from '../../../src/operations/test-cases/case-operation.ts';
import { WORDS } from '../../../src/operations/test-cases/sentences.ts';
import { listenToTestCases } from '../../../src/operations/test-cases/slack.ts';
import { changeCase, createAgain } from '../../../src/operations/test-cases/submit-form.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { pressButton } from '../../support/press-button.ts';

const lost: CaseRecord = {
  v: 1,
  by: 'U0ANA',
  channel: 'C0',
  wish: { testCase: { spaceSlug: 'eng', projectId: 'tp1', title: 'Pay' }, round: 0 },
  announce: true,
  run: 0,
  createdAt: 0,
  phase: { name: 'done' },
  outcome: { code: 'unknown' },
  posts: [],
};

/** A store with one record, which notes what it is told. */
function needsWith(record: CaseRecord | null, signalled = 'queued') {
  const signals: string[] = [];
  const stored = record && {
    id: '0-a',
    kind: CASE_KIND,
    data: encodeOperation(record),
    lane: 'people' as const,
    dueAt: null,
    place: null,
    uniqueKey: null,
    lists: [],
  };
  return Object.assign(
    coreWith({
      store: fake<Store>({
        read: async () => stored ?? undefined,
        signal: async (_id: string, { body }: { readonly body: string }) => {
          signals.push(body);
          return { kind: signalled as 'queued' | 'missing' };
        },
      }),
      reconciler: { hasRoom: false, run: async () => {} },
      config: {
        catalogue: { testProjects: [{ id: 'tp1', name: 'Checkout', space: 'eng', suites: [] }] },
        links: { testCase: null },
        cases: { announce: true },
      },
    }),
    { signals },
  );
}

const press = (user: string, run = 0) => ({ value: `0-a ${run}`, press: 'p', user });
const edit = (user: string) => ({ value: '0-a', press: 'p', user });

it('Try again sends a lost test case again for its author', async () => {
  const needs = needsWith(lost);
  expect(await createAgain(needs, press('U0ANA'))).toBeUndefined();
  expect(needs.signals).toEqual(['{"kind":"again","run":0}']);
});

it('nobody else can send it again, or see its texts', async () => {
  const needs = needsWith(lost);
  const [again, form] = [
    await createAgain(needs, press('U0BEN')),
    await changeCase(needs, edit('U0BEN')),
  ];
  expect(JSON.stringify(again)).toContain(NOT_YOURS);
  expect(JSON.stringify(form)).toContain(NOT_YOURS);
  expect(JSON.stringify([again, form])).not.toContain('Pay');
  expect(needs.signals).toEqual([]);
});

it.each<[string, Partial<CaseRecord> & { readonly outcome?: Outcome }]>([
  ['created', { outcome: { code: 'created', id: 'tc1', status: 'DRAFT' } }],
  ['not accepted', { outcome: { code: 'invalid' } }],
])('a test case that is %s is shown and not sent again', async (_what, change) => {
  const needs = needsWith({ ...lost, ...change });
  expect(await createAgain(needs, press('U0ANA'))).toBeDefined();
  expect(needs.signals).toEqual([]);
});

it('a press while it is being created changes nothing', async () => {
  const needs = needsWith({ ...lost, phase: firstPhase(0) });
  expect(await createAgain(needs, press('U0ANA'))).toBeUndefined();
  expect(needs.signals).toEqual([]);
});

it('says that it is no longer stored', async () => {
  for (const needs of [needsWith(null), needsWith(lost, 'missing')]) {
    const view = await createAgain(needs, press('U0ANA'));
    expect(JSON.stringify(view)).toContain(WORDS.gone);
  }
});

it('a press on an outdated Try again sends nothing', async () => {
  const needs = needsWith({ ...lost, run: 1 });
  expect(JSON.stringify(await createAgain(needs, press('U0ANA')))).toContain('0-a 1');
  expect(needs.signals).toEqual([]);
  expect(await createAgain(needs, press('U0ANA', 1))).toBeUndefined();
});

it('a refused test case opens as a form that the same modal can submit', async () => {
  const refused = {
    ...lost,
    wish: { ...lost.wish, round: 2 },
    outcome: { code: 'not-found' },
  } as const;
  const view = await changeCase(needsWith(refused), edit('U0ANA'));
  expect(view).toMatchObject({ private_metadata: '{"channel":"C0","round":3}' });
});

const NOW = 1_000_000;
const flow = createOperationFlow(
  caseOperation(coreWith({ service: { testCases: null }, config: { retention: { doneMs: 1 } } })),
  TRUE_TIME,
);
const take = (record: CaseRecord, signal: Parameters<typeof encodeSignal>[0]) =>
  flow.receive(record, { id: 's', at: NOW, body: encodeSignal(signal) }, NOW).data;

it('a test case that got lost after Try again is not repeated by a second press on the same button', () => {
  const busy = { ...lost, outcome: { code: 'busy' } } as const;
  const again = take(busy, { kind: 'again', run: 0 });
  expect(again).toMatchObject({ run: 1, phase: { name: 'authorize' } });
  const lostNow = { ...lost, run: 1, unconfirmed: { quietAt: NOW, lost: 1, hasEnded: true } };
  expect(take(lostNow, { kind: 'again', run: 0 })).toBe(lostNow);
  expect(take(lostNow, { kind: 'again', run: 1 })).toMatchObject({ run: 2 });
});

/** What happens, in its order, when somebody presses to have the same sent again. */
async function pressAgain(trouble?: StoreError) {
  const happened: string[] = [];
  const needs = needsWith(lost);
  const signal = async () => {
    if (trouble !== undefined) throw trouble;
    happened.push('stored');
    return { kind: 'queued' };
  };
  // as: no more of them is needed
  const all = { ...needs, store: { ...needs.store, signal } } as unknown as Parameters<
    typeof listenToTestCases
  >[1];
  const button = { user: 'U0ANA', action: ACTIONS.again, value: '0-a 0' };
  return pressButton((bolt) => listenToTestCases(bolt, all), button, happened);
}

it('a press is stored before Slack gets its acknowledgement', async () => {
  expect(await pressAgain()).toEqual(['stored', 'acknowledged', 'done']);
  const away = new StoreError('unavailable', 'the store is away');
  expect(await pressAgain(away)).toEqual(['failed']);
});
