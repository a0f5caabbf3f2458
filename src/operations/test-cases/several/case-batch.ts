import type { NewTestCase } from '../../../core/service/create-test-case.ts';
import { type Batch, type BatchRecord, type LineEnd, lineState } from '../../batch/batch.ts';
import { CASE_RULES, type CaseTypes, type Outcome } from '../case.ts';
import { fieldNamedIn } from '../form-view.ts';
import type { NewLine } from './read-lines.ts';

export const CASE_BATCH_KIND = 'test-case-batch';

/** Several test cases that a person wants. */
export interface CaseBatch extends BatchRecord<CaseTypes> {
  /** Shared by all lines. */
  readonly place: Pick<NewTestCase, 'spaceSlug' | 'projectId' | 'suiteId'>;
  readonly lines: readonly Line[];
}

export type Line = NewLine & LineEnd<CaseTypes>;

/** Outcomes that every other line would share. */
const ENDS_ALL: ReadonlySet<Outcome['code']> = new Set([
  'unauthorized',
  'forbidden',
  'not-found',
  'not-reached',
  'redirected',
  'busy',
  'could-not-check',
  'account-not-read',
  'store-not-read',
  'not-allowed',
  'no-key',
  'forgotten',
]);

export const CASE_BATCH: Batch<CaseTypes, CaseBatch> = {
  kind: CASE_BATCH_KIND,
  // Nobody watches the individual lines: a busy service gets minutes.
  rules: { ...CASE_RULES, limitedMax: 20 },
  wishOf({ place, lines }, index) {
    const { title = '', priority, type } = lines[index] ?? {};
    const testCase = { ...place, title, ...(priority && { priority }), ...(type && { type }) };
    return { testCase, round: 0 };
  },
  // All lines share the suite.
  endsAll: (outcome) =>
    ENDS_ALL.has(outcome.code) ||
    (outcome.code === 'invalid' && fieldNamedIn(outcome.detail ?? '') === 'suiteId'),
  repeats(line) {
    const state = lineState(CASE_RULES, line);
    if (state === 'succeeded') return [];
    return [state === 'unknown' ? 'again-one' : 'again'];
  },
  factsOf: ({ place }) => ({ project: place.projectId }),
};
