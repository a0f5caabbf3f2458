import type { ModalView } from '@slack/types';
import { readAgain, runOf } from '../reconcile/press-again.ts';
import { type SignalRecordNeeds, signalRecord } from '../reconcile/signal-record.ts';
import { type Store, StoreError } from '../store/store.ts';
import { faceOf } from './case-face.ts';
import { encodeCaseSignal } from './case-flow.ts';
import { CASE_KIND, type CaseRecord, decodeCase, isRepeatable } from './case-record.ts';
import type { TestPlaces } from './catalogue.ts';
import { formView } from './form-view.ts';
import { noticeView, resultView } from './result-view.ts';
import { CASE_GONE, NOT_STORED, NOT_YOURS } from './sentences.ts';

export interface GoOnNeeds extends SignalRecordNeeds {
  readonly store: Pick<Store, 'read' | 'signal'>;
  readonly places: TestPlaces;
}

/** A press on a button of a test case that did not end as wanted. */
export interface Press {
  /** Of the button: the record, and for one that sends it again what was seen of it. */
  readonly value: string;
  /** Unique to this press. */
  readonly press: string;
  readonly user: string;
}

/** Has exactly the same sent once more. The view to show; undefined: the case itself shows what comes of it. */
export async function createAgain(needs: GoOnNeeds, press: Press): Promise<ModalView | undefined> {
  const { id, run } = readAgain(press.value);
  const found = await caseOf(needs.store, id, press.user);
  if (typeof found === 'string') return noticeView(found);
  // It has gone on since: the person has not seen yet how.
  if (!isRepeatable(found) || runOf(found) !== run) {
    return resultView(id, found, faceOf(found), needs.places);
  }
  const signal = { id: press.press, body: encodeCaseSignal({ kind: 'again', run }) };
  const signalled = await signalRecord(needs, id, signal, { once: true });
  return signalled === 'missing' ? noticeView(CASE_GONE) : undefined;
}

/** The form with what the service did not accept, to be changed. */
export async function changeCase(
  { store, places }: Pick<GoOnNeeds, 'store' | 'places'>,
  { value, user }: Pick<Press, 'value' | 'user'>,
): Promise<ModalView> {
  try {
    const found = await caseOf(store, value, user);
    if (typeof found === 'string') return noticeView(found);
    const { channel, round, wanted } = found;
    return formView(places, { channel, round: round + 1 }, wanted);
  } catch (error) {
    if (error instanceof StoreError) return noticeView(NOT_STORED);
    throw error;
  }
}

/** The sentence to say instead, when it is not theirs or not there. */
async function caseOf(
  store: Pick<Store, 'read'>,
  id: string,
  user: string,
): Promise<CaseRecord | string> {
  const found = await store.read(id);
  if (found === undefined || found.kind !== CASE_KIND) return CASE_GONE;
  const known = decodeCase(found.data);
  return known.by === user ? known : NOT_YOURS;
}
