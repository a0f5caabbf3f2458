import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import type { Form } from '../../core/slack/form.ts';
import { showError, showInstead } from '../../core/slack/modal-blocks.ts';
import type { FormAnswer } from '../../core/slack/show-form.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { type Absent, askAgain, askOnce, findOwn, type Press } from '../flow/ask.ts';
import { stateOf } from '../flow/operation.ts';
import { announcementAt } from '../flow/report.ts';
import { storeTrouble } from '../flow/store-away.ts';
import { NOT_STORED, NOT_YOURS } from '../flow/words.ts';
import { CASE_RULES, type CaseRecord, type CaseState } from './case.ts';
import {
  askedAt,
  carriedFrom,
  enteredIn,
  formView,
  PROJECT_BLOCK,
  TITLE_BLOCK,
  whereOf,
} from './form-view.ts';
import { noticeView, resultView } from './result-view.ts';
import { FORM_OLD, NO_SUITE, NO_TITLE, WORDS } from './sentences.ts';

/** Handles the submitted form: the test case is recorded before the acknowledgement. */
export async function submitForm(core: Core, form: Form, by: string): Promise<FormAnswer> {
  const { config: places } = core;
  const carry = carriedFrom(form, places);
  const { channel, round } = carry;
  const entered = enteredIn(form, places);
  const { spaceSlug, projectId, title } = entered;
  if (spaceSlug === undefined || projectId === undefined) {
    return { ack: showError(PROJECT_BLOCK, FORM_OLD) };
  }
  if (title === undefined) return { ack: showError(TITLE_BLOCK, NO_TITLE) };
  // Submitted before the input for its id was shown, or with blanks in it.
  if (carry.otherSuite && entered.suiteId === undefined) {
    const at = 'suiteId' as const;
    return { ack: showInstead(formView(places, carry, entered, { text: NO_SUITE, at })) };
  }
  const testCase = { ...entered, spaceSlug, projectId, title };
  try {
    const { id, record, carryOn } = await askOnce(core, CASE_RULES, {
      by,
      channel,
      wish: { testCase, round },
      ...announcementAt(places.cases.announce, askedAt(carry)),
      modal: form.id,
      key: `form\0${form.id}\0${round}`,
      delivery: form.hash,
    });
    return { ack: showInstead(resultView(id, record, stateOf(record), places)), later: carryOn };
  } catch (error) {
    const isUnsure = storeTrouble(error) === 'unknown' || carry.unsure === true;
    const again = { ...carry, ...(isUnsure && { unsure: true as const }) };
    const text = WORDS.notRecorded(isUnsure);
    return { ack: showInstead(formView(places, again, entered, { text, at: null })) };
  }
}

/** Repeats exactly the same call. Returns a view to show; undefined: the case itself shows the result. */
export function createAgain(core: Core, press: Press): Promise<ModalView | undefined> {
  const result = (id: string, record: CaseRecord, state: CaseState) =>
    resultView(id, record, state, core.config);
  return askAgain(core, CASE_RULES, press, { result, absent });
}

/** The form with what the service refused, to be changed. */
export function changeCase(
  { store, config: places }: Core,
  { value, user }: Press,
): Promise<ModalView> {
  const form = async () => {
    const found = await findOwn(store, CASE_RULES, value, user);
    if (found.kind !== 'found') return absent(found.kind);
    const { record } = found;
    const { round, testCase } = record.wish;
    return formView(places, { ...whereOf(record), round: round + 1 }, testCase);
  };
  return unlessAway(form(), noticeView(NOT_STORED));
}

function absent(kind: Absent): ModalView {
  return noticeView(kind === 'gone' ? WORDS.gone : NOT_YOURS);
}
