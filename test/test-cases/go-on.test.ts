import { expect, it } from 'vitest';
import { firstPhase } from '../../src/reconcile/sending.ts';
import {
  CASE_KIND,
  type CaseRecord,
  encodeCase,
  type Outcome,
} from '../../src/test-cases/case-record.ts';
import { changeCase, createAgain } from '../../src/test-cases/go-on.ts';
import { CASE_GONE, NOT_YOURS } from '../../src/test-cases/sentences.ts';

const lost: CaseRecord = {
  v: 1,
  by: 'U0ANA',
  channel: 'C0',
  wanted: { spaceSlug: 'eng', projectId: 'tp1', title: 'Pay' },
  announce: true,
  round: 0,
  createdAt: 0,
  phase: { name: 'over' },
  outcome: { code: 'unknown' },
  parts: [],
};

/** A store with one record, which notes what it is told. */
function needsWith(record: CaseRecord | null) {
  const signals: string[] = [];
  const stored = record && {
    id: '0-a',
    kind: CASE_KIND,
    data: encodeCase(record),
    lane: 'people' as const,
    dueAt: null,
    place: null,
    uniqueKey: null,
    lists: [],
  };
  return {
    signals,
    store: {
      read: async () => stored ?? undefined,
      signal: async (_id: string, { body }: { readonly body: string }) => {
        signals.push(body);
        return { kind: 'queued' as const };
      },
    },
    reconciler: { hasRoom: false, run: async () => {} },
    places: {
      catalogue: { testProjects: [{ id: 'tp1', name: 'Checkout', space: 'eng', suites: [] }] },
      links: { testCase: null },
      cases: { announce: true },
    },
  };
}

const press = (user: string) => ({ record: '0-a', press: 'p', user });

it('sends once more for the person who asked', async () => {
  const needs = needsWith(lost);
  expect(await createAgain(needs, press('U0ANA'))).toBeUndefined();
  expect(needs.signals).toEqual(['{"kind":"again"}']);
});

it('lets nobody else send it once more, or read what was entered', async () => {
  const needs = needsWith(lost);
  const [again, form] = [
    await createAgain(needs, press('U0BEN')),
    await changeCase(needs, press('U0BEN')),
  ];
  expect(JSON.stringify(again)).toContain(NOT_YOURS);
  expect(JSON.stringify(form)).toContain(NOT_YOURS);
  expect(JSON.stringify([again, form])).not.toContain('Pay');
  expect(needs.signals).toEqual([]);
});

it.each<[string, Partial<CaseRecord> & { readonly outcome?: Outcome }]>([
  ['created', { outcome: { code: 'created', id: 'tc1', status: 'DRAFT' } }],
  ['not accepted', { outcome: { code: 'invalid' } }],
  ['under way', { phase: firstPhase(0) }],
])('sends nothing that is %s', async (_what, change) => {
  const needs = needsWith({ ...lost, ...change });
  expect(await createAgain(needs, press('U0ANA'))).toBeDefined();
  expect(needs.signals).toEqual([]);
});

it('says so when it is no longer kept', async () => {
  const view = await createAgain(needsWith(null), press('U0ANA'));
  expect(JSON.stringify(view)).toContain(CASE_GONE);
});
