import type { ModalView } from '@slack/types';
import type { Form } from '../../core/slack/form.ts';
import { showError, showInstead } from '../../core/slack/modal-blocks.ts';
import { StoreError } from '../../core/store/store.ts';
import { askAgain, askOnce, type Found, findOwn, type Press } from '../flow/ask.ts';
import { stateOf } from '../flow/operation.ts';
import { announcementAt } from '../flow/report.ts';
import { CASE_RULES, type CaseTypes } from './case.ts';
import type { NewCaseDependencies } from './first-form.ts';
import {
  askedAt,
  BLOCKS,
  carriedIn,
  enteredIn,
  formView,
  PROJECT_BLOCK,
  whereOf,
} from './form-view.ts';
import { noticeView, resultView } from './result-view.ts';
import {
  CASE_GONE,
  FORM_OLD,
  MAYBE_RECORDED_FORM,
  NO_TITLE,
  NOT_RECORDED,
  NOT_STORED,
  NOT_YOURS,
} from './sentences.ts';

/** What the modal is answered with; `carryOn` is for after the acknowledgement. */
export interface Submitted {
  readonly carryOn: () => Promise<void>;
  readonly ack: ReturnType<typeof showInstead> | ReturnType<typeof showError>;
}

/** The form was submitted: the test case is recorded before Slack hears of it. */
export async function submitForm(
  needs: NewCaseDependencies,
  form: Form,
  by: string,
): Promise<Submitted> {
  const { places } = needs;
  const carry = carriedIn(form.metadata);
  const { channel, round } = carry;
  const entered = enteredIn(form, places);
  const { spaceSlug, projectId, title } = entered;
  if (spaceSlug === undefined || projectId === undefined) {
    return answer(showError(PROJECT_BLOCK, FORM_OLD));
  }
  if (title === undefined) return answer(showError(BLOCKS.title, NO_TITLE));
  const testCase = { ...entered, spaceSlug, projectId, title };
  try {
    const { id, record, carryOn } = await askOnce(needs, CASE_RULES, {
      by,
      channel,
      wish: { testCase, round },
      ...announcementAt(places.cases.announce, askedAt(carry)),
      modal: form.id,
      key: `form\0${form.id}\0${round}`,
      delivery: form.hash,
    });
    return { ack: showInstead(resultView(id, record, stateOf(record), places)), carryOn };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const isUnsure = carry.unsure || error.code === 'unknown';
    const again = { ...carry, ...(isUnsure && { unsure: true as const }) };
    const text = isUnsure ? MAYBE_RECORDED_FORM : NOT_RECORDED;
    return answer(showInstead(formView(places, again, entered, { text, at: null })));
  }
}

function answer(ack: Submitted['ack']): Submitted {
  return { ack, async carryOn() {} };
}

/** Has exactly the same sent once more. The view to show; undefined: the case itself shows what comes of it. */
export async function createAgain(
  needs: NewCaseDependencies,
  press: Press,
): Promise<ModalView | undefined> {
  const asked = await askAgain(needs, CASE_RULES, press);
  if (asked.kind === 'stored') return undefined;
  if (asked.kind !== 'found') return absent(asked.kind);
  const { id, record } = asked;
  return resultView(id, record, stateOf(record), needs.places);
}

/** The form with what the service did not accept, to be changed. */
export async function changeCase(
  { store, places }: NewCaseDependencies,
  { value, user }: Press,
): Promise<ModalView> {
  try {
    const found = await findOwn(store, CASE_RULES, value, user);
    if (found.kind !== 'found') return absent(found.kind);
    const { record } = found;
    const { round, testCase } = record.wish;
    return formView(places, { ...whereOf(record), round: round + 1 }, testCase);
  } catch (error) {
    if (error instanceof StoreError) return noticeView(NOT_STORED);
    throw error;
  }
}

function absent(kind: Exclude<Found<CaseTypes>['kind'], 'found'>): ModalView {
  return noticeView(kind === 'gone' ? CASE_GONE : NOT_YOURS);
}
