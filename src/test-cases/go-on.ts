import type { ModalView } from '@slack/types';
import {
  type AgainDependencies,
  askAgain,
  type Found,
  findOwn,
  type Press,
} from '../operations/ask.ts';
import { stateOf } from '../operations/operation.ts';
import { StoreError } from '../store/store.ts';
import { CASE_RULES, type CaseTypes } from './case.ts';
import type { TestPlaces } from './catalogue.ts';
import { formView } from './form-view.ts';
import { noticeView, resultView } from './result-view.ts';
import { CASE_GONE, NOT_STORED, NOT_YOURS } from './sentences.ts';

export interface GoOnNeeds extends AgainDependencies {
  readonly places: TestPlaces;
}

/** Has exactly the same sent once more. The view to show; undefined: the case itself shows what comes of it. */
export async function createAgain(needs: GoOnNeeds, press: Press): Promise<ModalView | undefined> {
  const asked = await askAgain(needs, CASE_RULES, press);
  if (asked.kind === 'stored') return undefined;
  if (asked.kind !== 'found') return absent(asked.kind);
  const { id, record } = asked;
  return resultView(id, record, stateOf(record), needs.places);
}

/** The form with what the service did not accept, to be changed. */
export async function changeCase(
  {
    store,
    places,
  }: Pick<GoOnNeeds, 'places'> & { readonly store: Pick<GoOnNeeds['store'], 'read'> },
  { value, user }: Pick<Press, 'value' | 'user'>,
): Promise<ModalView> {
  try {
    const found = await findOwn(store, CASE_RULES, value, user);
    if (found.kind !== 'found') return absent(found.kind);
    const { channel, wish } = found.record;
    return formView(places, { channel, round: wish.round + 1 }, wish.testCase);
  } catch (error) {
    if (error instanceof StoreError) return noticeView(NOT_STORED);
    throw error;
  }
}

function absent(kind: Exclude<Found<CaseTypes>['kind'], 'found'>): ModalView {
  return noticeView(kind === 'gone' ? CASE_GONE : NOT_YOURS);
}
