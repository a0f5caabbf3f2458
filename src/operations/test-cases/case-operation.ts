import { keyRefused } from '../../core/alerts/key-alerts.ts';
import type { Core } from '../../core/core.ts';
import { authorizeWithAccount } from '../../core/people/permission.ts';
import type { Operation } from '../flow/operation.ts';
import { CASE_RULES, type CaseTypes, TEXT_KEPT_MS } from './case.ts';
import { rememberChoices } from './last-choices.ts';
import { announcement, resultMessage, resultView } from './result-view.ts';

/** Creating a test case (Interface 4.2). */
export function caseOperation(core: Core): Operation<CaseTypes> {
  const places = core.config;
  const service = core.service.testCases;
  return {
    rules: CASE_RULES,
    authorize: ({ by, channel }) => authorizeWithAccount(core, places.cases, { user: by, channel }),
    send: service && (({ testCase }, limits) => service.create(testCase, limits)),
    // Stored before anybody in the channel reads of it, so that the next form suggests its choices.
    remember: ({ channel, wish }) => rememberChoices(core.store, channel, wish.testCase, places),
    alert: { code: 'unauthorized', raise: () => core.raise(keyRefused()) },
    report: {
      core,
      view: (id, record, state) => resultView(id, record, state, places),
      message: (id, record, state) => resultMessage(id, record, state, places),
      announcesAll: true,
      announcement: (record) => announcement(record, places, core.links),
    },
    keepMs: Math.max(places.retention.doneMs, TEXT_KEPT_MS),
  };
}
