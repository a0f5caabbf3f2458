import type { Core } from '../../../core/core.ts';
import { button } from '../../../core/slack/blocks.ts';
import type { SlackLinks } from '../../../core/slack/links.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { type BatchOperation, type BatchState, lineState, writePress } from '../../batch/batch.ts';
import { againButton, batchAnnouncement, batchMessage } from '../../batch/batch-message.ts';
import type { ReportViews } from '../../flow/report.ts';
import { ACTIONS } from '../actions.ts';
import { CASE_RULES, type CaseTypes } from '../case.ts';
import { caseOperation } from '../case-operation.ts';
import type { TestPlaces } from '../catalogue.ts';
import { createAgainSure, noticeView } from '../result-view.ts';
import { CASE_BATCH, type CaseBatch } from './case-batch.ts';
import { casesText, DRAFTS, endText, explanation, headline, inProject } from './sentences.ts';

export function caseBatchOperation(core: Core): BatchOperation<CaseTypes, CaseBatch> {
  // The choices of many lines are no suggestion for the next form.
  const { remember, ...operation } = caseOperation(core);
  return { ...CASE_BATCH, operation };
}

export function caseBatchViews(core: Core): ReportViews<CaseBatch, BatchState> {
  const { config, links } = core;
  return {
    core,
    view: (_id, record, state) => noticeView(headline(record, state, config)),
    message: (id, record, state) => caseBatchMessage(id, record, state, config),
    announcement: (record) => caseBatchAnnouncement(record, config, links),
  };
}

/** The direct message to the person. */
export function caseBatchMessage(
  id: string,
  record: CaseBatch,
  state: BatchState,
  places: TestPlaces,
): SlackMessage {
  const { lines, place } = record;
  const { run } = state;
  const count = state.failed + state.unsent;
  const { againOne, againFailed, changeLines, pageBefore, pageAfter } = ACTIONS;
  return batchMessage(id, CASE_RULES, lines, state, {
    head: headline(record, state, places),
    explanation: explanation(record, state),
    textOf: (line, index) => endText(line, index + 1, place, places),
    buttonOf(line, index) {
      if (lineState(CASE_RULES, line) !== 'unknown') return undefined;
      const value = writePress(id, { kind: 'again-one', run, line: index });
      return button(againOne, 'Create it again', value, { confirm: createAgainSure() });
    },
    repairs:
      count === 0
        ? []
        : [
            againButton(againFailed, id, count, state),
            button(changeLines, count === 1 ? 'Change it' : 'Change them', id),
          ],
    ...{ prefix: 'test-cases', pageBefore, pageAfter },
  });
}

/** The channel's announcement of new test cases. */
export function caseBatchAnnouncement(
  { by, lines, place }: CaseBatch,
  places: TestPlaces,
  links: SlackLinks,
): SlackMessage {
  const created = lines.flatMap((line, index) =>
    lineState(CASE_RULES, line) === 'succeeded' ? [endText(line, index + 1, place, places)] : [],
  );
  const what = `${casesText(created.length)} created ${inProject(place, places)}`;
  return batchAnnouncement(`${what} by ${links.person(by)}. ${DRAFTS}`, created);
}
