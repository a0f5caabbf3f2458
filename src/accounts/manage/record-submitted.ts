import { type showError, showInstead } from '../../slack/modal-blocks.ts';
import { StoreError } from '../../store/store.ts';
import { decodeChange } from '../change/account-change.ts';
import { faceOf } from '../change/change-face.ts';
import { type Asked, type RecordNeeds, recordChange } from '../change/record-change.ts';
import { resultView } from '../change/result-view.ts';
import { MAYBE_RECORDED, NOT_RECORDED } from './sentences.ts';

/** What the modal is answered with; `carryOn` begins at once, after the acknowledgement. */
export interface Submitted {
  readonly ack: ReturnType<typeof showInstead> | ReturnType<typeof showError>;
  carryOn(): void;
}

/** Records what was submitted, and shows it. `otherwise`: the form stays, and says why. */
export async function recordSubmitted(
  needs: RecordNeeds,
  asked: Asked,
  key: string,
  otherwise: (sentence: string) => Submitted['ack'],
): Promise<Submitted> {
  try {
    const { change, created, carryOn } = await recordChange(needs, asked, key);
    if (created.kind === 'created') {
      return { ack: showInstead(resultView(created.id, change, faceOf(change))), carryOn };
    }
    const known = decodeChange(created.record.data);
    const view = resultView(created.record.id, known, faceOf(known));
    return { ack: showInstead(view), carryOn() {} };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const sentence = error.code === 'unknown' ? MAYBE_RECORDED : NOT_RECORDED;
    return { ack: otherwise(sentence), carryOn() {} };
  }
}
