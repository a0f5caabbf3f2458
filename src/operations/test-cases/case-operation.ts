import { keyRefused } from '../../core/alerts/key-alerts.ts';
import type { RaiseAlert } from '../../core/alerts/raise-alert.ts';
import {
  type AccountAuthorizationDependencies,
  authorizeWithAccount,
} from '../../core/people/permission.ts';
import type { ServiceClient } from '../../core/service/service-client.ts';
import type { Store } from '../../core/store/store.ts';
import type { Operation } from '../flow/operation.ts';
import type { ReportDependencies } from '../flow/report.ts';
import { CASE_RULES, type CaseTypes, TEXT_KEPT_MS } from './case.ts';
import type { TestPlaces } from './catalogue.ts';
import { rememberChoices } from './last-choices.ts';
import { announcement, resultMessage, resultView } from './result-view.ts';

export interface CaseDependencies extends AccountAuthorizationDependencies, ReportDependencies {
  readonly service: ServiceClient['testCases'];
  readonly store: Store;
  readonly places: TestPlaces;
  readonly raise: RaiseAlert;
  /** How long what is done is kept, and at least a day. */
  readonly keepMs: number;
}

/** Creating a test case (Interface 4.2). */
export function caseOperation(dependencies: CaseDependencies): Operation<CaseTypes> {
  const { service, places, store, raise, keepMs } = dependencies;
  return {
    rules: CASE_RULES,
    authorize: ({ by, channel }) => authorizeWithAccount(dependencies, { user: by, channel }),
    send: service && (({ testCase }, limits) => service.create(testCase, limits)),
    // Whoever reads of one in the channel finds its choices offered.
    remember: ({ channel, wish }) => rememberChoices(store, channel, wish.testCase),
    alert: { code: 'unauthorized', raise: () => raise(keyRefused()) },
    report: {
      ...dependencies,
      view: (id, record, state) => resultView(id, record, state, places),
      message: (id, record, state) => resultMessage(id, record, state, places),
      announcement: (record) => announcement(record, places, dependencies.links),
    },
    keepMs: Math.max(keepMs, TEXT_KEPT_MS),
  };
}
