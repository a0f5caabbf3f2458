import type { Button, ModalView } from '@slack/types';
import type { SlackMessage } from '../posts/perform-telling.ts';
import { writeAgain } from '../reconcile/press-again.ts';
import { actions, button, confirm, section } from '../slack/blocks.ts';
import { modal } from '../slack/modal-blocks.ts';
import type { Meanwhile } from '../slack/pressed.ts';
import { ACTIONS, FORMS, TITLE } from './actions.ts';
import type { CaseFace } from './case-face.ts';
import { type CaseRecord, isChangeable, isRepeatable } from './case-record.ts';
import type { TestPlaces } from './catalogue.ts';
import { fieldNamedIn } from './field-named.ts';
import { formView } from './form-view.ts';
import { resultText } from './outcome-words.ts';
import { NOT_OPENED } from './sentences.ts';

/** A sentence, and perhaps something to press. */
export function noticeView(text: string, more: ModalView['blocks'] = []): ModalView {
  const blocks = [section(text), ...more];
  return modal({ callbackId: FORMS.notice, title: TITLE, close: 'Close', blocks });
}

export const MEANWHILE: Meanwhile = { loading: noticeView('Loading…'), otherwise: NOT_OPENED };

/** The modal while a test case is created, and when that has ended. What the service did not accept can be changed in it. */
export function resultView(
  id: string,
  record: CaseRecord,
  face: CaseFace,
  places: TestPlaces,
): ModalView {
  const text = resultText(record, face, places);
  if (face.state === 'over' && face.outcome.code === 'invalid') {
    const { channel, wanted, round } = record;
    const at = fieldNamedIn(face.outcome.detail ?? '');
    return formView(places, { channel, round: round + 1 }, wanted, { text, at });
  }
  return noticeView(text, buttonBlocks(id, record, face));
}

/** The direct message to a person without a modal. */
export function resultMessage(
  id: string,
  record: CaseRecord,
  face: CaseFace,
  places: TestPlaces,
): SlackMessage {
  const text = resultText(record, face, places);
  return { text, blocks: [section(text), ...buttonBlocks(id, record, face)] };
}

function buttonBlocks(id: string, record: CaseRecord, face: CaseFace) {
  const buttons = face.state === 'over' ? buttonsOf(id, record) : [];
  return buttons.length > 0 ? [actions('test-cases.result', buttons)] : [];
}

/** What a person can do about a test case that did not end as wanted. */
function buttonsOf(id: string, record: CaseRecord): readonly Button[] {
  if (isChangeable(record)) {
    return [button(ACTIONS.edit, 'Change it', id, { style: 'primary' })];
  }
  if (!isRepeatable(record)) return [];
  const again = writeAgain(id, record);
  if (record.doubt === undefined) return [button(ACTIONS.again, 'Try again', again)];
  const sure = confirm(
    'Create it once more?',
    'If the first one exists, there will be two. Look in the service before you repeat.',
    'Create again',
    'Not now',
  );
  return [button(ACTIONS.again, 'Create it again', again, { confirm: sure })];
}
