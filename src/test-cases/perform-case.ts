import { keyRefused } from '../notices/key-notices.ts';
import type { Raise } from '../notices/raise-notice.ts';
import {
  type AccountAuthorizationDependencies,
  authorizeWithAccount,
} from '../people/permission.ts';
import { performTelling, type TellingNeeds } from '../posts/perform-telling.ts';
import { STEP_MS } from '../reconcile/flow.ts';
import { settled } from '../reconcile/settled.ts';
import type { NewTestCase } from '../service/create-test-case.ts';
import type { ServiceClient } from '../service/service-client.ts';
import type { Store } from '../store/store.ts';
import { announcement } from './announcement.ts';
import { audienceOf, type CaseRecord } from './case-record.ts';
import type { CaseStep, CaseStepResult } from './case-step.ts';
import type { TestPlaces } from './catalogue.ts';
import { rememberChoices } from './last-choices.ts';
import { resultMessage, resultView } from './result-view.ts';

export interface PerformCaseNeeds extends AccountAuthorizationDependencies, TellingNeeds {
  readonly service: ServiceClient['testCases'];
  readonly store: Pick<Store, 'pace' | 'pause' | 'put'>;
  readonly places: TestPlaces;
  readonly raise: Raise;
}

/** Makes the one external call of a step. What fails elsewhere is a result; only our own mistakes throw. */
export async function performCase(
  needs: PerformCaseNeeds,
  id: string,
  record: CaseRecord,
  step: CaseStep,
): Promise<CaseStepResult> {
  const { places, store } = needs;
  const { by, channel, wanted } = record;
  switch (step.kind) {
    case 'check':
      return authorizeWithAccount(needs, { user: by, channel });
    case 'send':
      return sendCase(needs, wanted);
    case 'give-up':
      return { kind: 'done' };
    case 'alert':
      await needs.raise(keyRefused());
      return { kind: 'done' };
    case 'remember':
      await rememberChoices(store, channel, wanted);
      return { kind: 'done' };
    default: {
      const told = { id, telling: record, audience: audienceOf(record) };
      return performTelling(needs, told, step, {
        view: (face) => resultView(id, record, face, places),
        result: (face) => resultMessage(id, record, face, places),
        announcement: () => announcement(record, places),
      });
    }
  }
}

/** Sends one test case, once (Interface 4.2). */
export async function sendCase(
  { service }: Pick<PerformCaseNeeds, 'service'>,
  wanted: NewTestCase,
): Promise<CaseStepResult> {
  if (service === null) return { kind: 'no-key' };
  const sent = service.create(wanted, { deadlineMs: STEP_MS });
  return settled(sent.then((answer) => ({ kind: 'answered', answer }) as const));
}
