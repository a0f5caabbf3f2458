import type { DenialWithAccount } from '../../core/people/permission.ts';
import type {
  CreatedTestCase,
  CreateTestCaseOutcome,
  NewTestCase,
} from '../../core/service/create-test-case.ts';
import type { OperationRecord, OperationState } from '../flow/operation.ts';
import { detailOf } from '../flow/progress.ts';
import type { OutcomeOf, Progress, Rules } from '../flow/rules.ts';

export const CASE_KIND = 'test-case';

/** A test case that a person wants, alone or in a batch. */
export interface CaseTypes {
  readonly wish: CaseWish;
  readonly answer: CreateTestCaseOutcome;
  /** The interface has no way to read it. */
  readonly reading: never;
  readonly why: never;
  readonly outcome: OwnOutcome;
  readonly refusal: DenialWithAccount;
}

export interface CaseWish {
  readonly testCase: NewTestCase;
  /** How many times the form was shown again in the same modal. */
  readonly round: number;
}

export type CaseRecord = OperationRecord<CaseTypes>;
export type CaseState = OperationState<CaseTypes>;
export type CaseProgress = Progress<CaseTypes>;
export type Outcome = OutcomeOf<CaseTypes>;
export type Created = Extract<Outcome, { code: 'created' }>;

type OwnOutcome =
  /** Confirmed by the service (Interface 4.2); null where its answer does not say. */
  | ({ readonly code: 'created' } & Pick<CreatedTestCase, 'id' | 'status'>)
  | {
      readonly code: 'invalid' | 'unauthorized' | 'forbidden' | 'not-found';
      /** The service's own words. */
      readonly detail?: string;
    };

/** Repeating a call would create two, without any sign: a lost call is never repeated automatically. */
export const CASE_RULES: Rules<CaseTypes> = {
  kind: CASE_KIND,
  audit: 'test-cases',
  factsOf: ({ testCase }, action) =>
    action === 'asked' ? askedFacts(testCase) : sentFacts(testCase),
  outcomeFacts: (outcome) => (outcome.code === 'created' ? { case: outcome.id } : {}),
  confirms: ({ kind }) => kind === 'created',
  isDoneOnce: false,
  verdict(_, answer) {
    if (answer.kind !== 'created') {
      return { kind: 'done', outcome: { code: answer.kind, ...detailOf(answer.detail) } };
    }
    const { id, status } = answer;
    return { kind: 'done', outcome: { code: 'created', id, status } };
  },
  isSuccess: ({ code }) => code === 'created',
  settling: new Set(),
  repeatable: new Set<Outcome['code']>([
    'unknown',
    'not-reached',
    'busy',
    'could-not-check',
    'account-not-read',
    'store-not-read',
    // An administrator may fix it.
    'unauthorized',
    'forbidden',
    'no-key',
  ]),
};

/** Never the texts. */
function askedFacts({ projectId, priority, type, suiteId }: NewTestCase) {
  return {
    project: projectId,
    priority: priority ?? null,
    type: type ?? null,
    suite: suiteId ?? null,
  };
}

function sentFacts({ projectId }: NewTestCase) {
  return { project: projectId };
}

/** Outcomes after which it has to be changed to be created. */
const CHANGEABLE: ReadonlySet<Outcome['code']> = new Set(['invalid', 'refused', 'not-found']);

export function isChangeable({ phase, outcome }: CaseRecord): boolean {
  return phase.name === 'done' && outcome !== undefined && CHANGEABLE.has(outcome.code);
}

/** How long, at least, what was entered can be sent again. */
export const TEXT_KEPT_MS = 86_400_000;
