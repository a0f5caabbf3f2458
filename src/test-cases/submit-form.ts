import { signalRecord } from '../reconcile/signal-record.ts';
import type { Form } from '../slack/form.ts';
import { showError, showInstead } from '../slack/modal-blocks.ts';
import { type Store, type StoredRecord, StoreError } from '../store/store.ts';
import { faceOf } from './case-face.ts';
import { encodeCaseSignal } from './case-flow.ts';
import { decodeCase } from './case-record.ts';
import type { TestPlaces } from './catalogue.ts';
import { enteredIn } from './entered-in.ts';
import { BLOCKS, carriedIn, formView, PROJECT_BLOCK } from './form-view.ts';
import { type RecordNeeds, recordCase, type Wish } from './record-case.ts';
import { resultView } from './result-view.ts';
import { FORM_OLD, MAYBE_RECORDED_FORM, NO_TITLE, NOT_RECORDED } from './sentences.ts';

export interface SubmitNeeds extends RecordNeeds {
  readonly store: RecordNeeds['store'] & Pick<Store, 'signal'>;
  readonly places: TestPlaces;
}

/** What the modal is answered with; `carryOn` is for after the acknowledgement. */
export interface Submitted {
  readonly ack: ReturnType<typeof showInstead> | ReturnType<typeof showError>;
  carryOn(): Promise<void>;
}

/** The form was submitted: the test case is recorded before Slack hears of it. */
export async function submitForm(needs: SubmitNeeds, form: Form, user: string): Promise<Submitted> {
  const { places } = needs;
  const carry = carriedIn(form.metadata);
  const entered = enteredIn(form, places);
  const { spaceSlug, projectId, title } = entered;
  if (spaceSlug === undefined || projectId === undefined) {
    return answer(showError(PROJECT_BLOCK, FORM_OLD));
  }
  if (title === undefined) return answer(showError(BLOCKS.title, NO_TITLE));
  const wanted = { ...entered, spaceSlug, projectId, title };
  const wish: Wish = { by: user, ...carry, wanted, modal: form.id };
  try {
    const { record, created, carryOn } = await recordCase(
      needs,
      wish,
      `form\0${form.id}\0${carry.round}`,
    );
    if (created.kind === 'created') {
      const ack = showInstead(resultView(created.id, record, faceOf(record), places));
      return { ack, carryOn: async () => carryOn() };
    }
    return known(needs, created.record, form);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const text = error.code === 'unknown' ? MAYBE_RECORDED_FORM : NOT_RECORDED;
    return answer(showInstead(formView(places, carry, entered, { text, at: null })));
  }
}

/** It may go on meanwhile, and show its end before this answer, which would cover it, arrives. */
function known(needs: SubmitNeeds, { id, data }: StoredRecord, { hash }: Form): Submitted {
  const record = decodeCase(data);
  const face = faceOf(record);
  const shown = answer(showInstead(resultView(id, record, face, needs.places)));
  if (face.state === 'over') return shown;
  const signal = { id: hash, body: encodeCaseSignal({ kind: 'covered' }) };
  return { ...shown, carryOn: async () => void (await signalRecord(needs, id, signal)) };
}

function answer(ack: Submitted['ack']): Submitted {
  return { ack, async carryOn() {} };
}
