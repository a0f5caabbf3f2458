import { type AskDependencies, type Asked, askOnce } from '../operations/ask.ts';
import { stateOf } from '../operations/operation.ts';
import type { Form } from '../slack/form.ts';
import { showError, showInstead } from '../slack/modal-blocks.ts';
import { StoreError } from '../store/store.ts';
import { CASE_RULES } from './case.ts';
import type { TestPlaces } from './catalogue.ts';
import { enteredIn } from './entered-in.ts';
import { BLOCKS, carriedIn, formView, PROJECT_BLOCK } from './form-view.ts';
import { resultView } from './result-view.ts';
import { FORM_OLD, MAYBE_RECORDED_FORM, NO_TITLE, NOT_RECORDED } from './sentences.ts';

export interface SubmitNeeds extends AskDependencies {
  readonly places: TestPlaces;
}

/** What the modal is answered with; `carryOn` is for after the acknowledgement. */
export interface Submitted extends Pick<Asked<never>, 'carryOn'> {
  readonly ack: ReturnType<typeof showInstead> | ReturnType<typeof showError>;
}

/** The form was submitted: the test case is recorded before Slack hears of it. */
export async function submitForm(needs: SubmitNeeds, form: Form, by: string): Promise<Submitted> {
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
      announce: places.cases.announce,
      modal: form.id,
      key: `form\0${form.id}\0${round}`,
      delivery: form.hash,
    });
    return { ack: showInstead(resultView(id, record, stateOf(record), places)), carryOn };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const text = error.code === 'unknown' ? MAYBE_RECORDED_FORM : NOT_RECORDED;
    return answer(showInstead(formView(places, carry, entered, { text, at: null })));
  }
}

export function answer(ack: Submitted['ack']): Submitted {
  return { ack, async carryOn() {} };
}
