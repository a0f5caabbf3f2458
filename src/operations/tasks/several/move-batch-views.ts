import type { Core } from '../../../core/core.ts';
import { button } from '../../../core/slack/blocks.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { type BatchOperation, type BatchState, lineState, writePress } from '../../batch/batch.ts';
import { againButton, batchAnnouncement, batchMessage } from '../../batch/batch-message.ts';
import type { ReportViews } from '../../flow/report.ts';
import { ACTIONS } from '../actions.ts';
import { noticeView } from '../begin-views.ts';
import type { Places } from '../destinations.ts';
import { MOVE_RULES, type MoveTypes } from '../move.ts';
import { moveOperation } from '../move-operation.ts';
import { sendAgainSure } from '../result-view.ts';
import { asksFirst, MOVE_BATCH, type MoveBatch, type MoveLine } from './move-batch.ts';
import { announcedText, explanation, headline, lineText } from './sentences.ts';

export function moveBatchOperation(core: Core): BatchOperation<MoveTypes, MoveBatch> {
  return { ...MOVE_BATCH, operation: moveOperation(core) };
}

export function moveBatchViews(core: Core): ReportViews<MoveBatch, BatchState> {
  const { config, links } = core;
  return {
    core,
    view: (_id, record, state) => noticeView(headline(record, state, config)),
    message: (id, record, state) => moveBatchMessage(id, record, state, config),
    announcement(record) {
      const moved = record.lines.flatMap((line, index) =>
        lineState(MOVE_RULES, line) === 'succeeded' ? [lineText(record, index, config)] : [],
      );
      const isSure = record.lines.every(({ end }) => end?.code !== 'found-moved');
      const who = links.person(record.by);
      const head = announcedText(moved.length, record, { who, isSure }, config);
      return batchAnnouncement(head, moved);
    },
  };
}

/** The direct message to the person. */
export function moveBatchMessage(
  id: string,
  record: MoveBatch,
  state: BatchState,
  places: Places,
): SlackMessage {
  const { lines } = record;
  const count = lines.filter((line) => MOVE_BATCH.repeats(line).includes('again')).length;
  const { againFailed, pageBefore, pageAfter } = ACTIONS;
  return batchMessage(id, MOVE_RULES, lines, state, {
    head: headline(record, state, places),
    explanation: explanation(record, state),
    textOf: (_line, index) => lineText(record, index, places),
    buttonOf: (line, index) => buttonOf(id, record, line, index),
    repairs: count === 0 ? [] : [againButton(againFailed, id, count, state)],
    ...{ prefix: 'tasks', pageBefore, pageAfter },
  });
}

/** What can be done about a line alone. */
function buttonOf(id: string, { run }: MoveBatch, line: MoveLine, index: number) {
  const state = lineState(MOVE_RULES, line);
  if (state === 'succeeded' || state === 'unsent') return undefined;
  if (!MOVE_BATCH.repeats(line).includes('again-one')) {
    return button(ACTIONS.reviewOne, 'Review again', `${id} ${index}`);
  }
  const value = writePress(id, { kind: 'again-one', run, line: index });
  if (!asksFirst(line)) {
    return button(ACTIONS.againOne, 'Try again', value);
  }
  return button(ACTIONS.againOne, 'Send again', value, { confirm: sendAgainSure() });
}
