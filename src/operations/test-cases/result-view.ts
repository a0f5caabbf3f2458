import type { Button, ModalView } from '@slack/types';
import { actions, button, confirm, section } from '../../core/slack/blocks.ts';
import type { SlackLinks } from '../../core/slack/links.ts';
import { noticesOf } from '../../core/slack/modal-blocks.ts';
import type { SlackMessage } from '../../core/slack/outbox.ts';
import { writeAgain } from '../flow/ask.ts';
import { isRepeatable } from '../flow/progress.ts';
import { ACTIONS, TITLE } from './actions.ts';
import { CASE_RULES, type CaseRecord, type CaseState, isChangeable } from './case.ts';
import type { TestPlaces } from './catalogue.ts';
import { fieldNamedIn, formView, whereOf } from './form-view.ts';
import { announcementText, resultText } from './sentences.ts';

export const noticeView = noticesOf('test-cases.notice', TITLE);
export const LOADING = noticeView('Loading…');

/** The modal during and after creation. What the service refused can be changed in it. */
export function resultView(
  id: string,
  record: CaseRecord,
  state: CaseState,
  places: TestPlaces,
): ModalView {
  const text = resultText(record, state, places);
  if (state.state === 'done' && state.outcome.code === 'invalid') {
    const { round, testCase } = record.wish;
    const at = fieldNamedIn(state.outcome.detail ?? '');
    return formView(places, { ...whereOf(record), round: round + 1 }, testCase, { text, at });
  }
  return noticeView(text, buttonBlocks(id, record, state));
}

/** The direct message to a person without a modal. */
export function resultMessage(
  id: string,
  record: CaseRecord,
  state: CaseState,
  places: TestPlaces,
): SlackMessage {
  const text = resultText(record, state, places);
  return { text, blocks: [section(text), ...buttonBlocks(id, record, state)] };
}

function buttonBlocks(id: string, record: CaseRecord, state: CaseState) {
  const buttons = state.state === 'done' ? buttonsOf(id, record) : [];
  return buttons.length > 0 ? [actions('test-cases.result', buttons)] : [];
}

/** What a person can do about a test case that was not created. */
function buttonsOf(id: string, record: CaseRecord): readonly Button[] {
  if (isChangeable(record)) {
    return [button(ACTIONS.edit, 'Change it', id, { style: 'primary' })];
  }
  if (!isRepeatable(CASE_RULES, record)) return [];
  const again = writeAgain(id, record.run);
  if (record.unconfirmed === undefined) return [button(ACTIONS.again, 'Try again', again)];
  return [button(ACTIONS.again, 'Create it again', again, { confirm: createAgainSure() })];
}

export function createAgainSure() {
  return confirm(
    'Create it again?',
    'If the first one exists, there will be two. Check the service first.',
    'Create again',
    'Not now',
  );
}

/** The channel's announcement of a new test case. */
export function announcement(
  record: CaseRecord,
  places: TestPlaces,
  links: SlackLinks,
): SlackMessage {
  const { outcome } = record;
  if (outcome?.code !== 'created') throw new Error('only what was created is announced');
  const text = announcementText(record, outcome, places, links.person(record.by));
  return { text, blocks: [section(text)] };
}
