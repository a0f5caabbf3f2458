import { type AnswerNeeds, answerPerson } from '../slack/answer-person.ts';
import type { Permalink } from '../slack/permalink.ts';
import type { Store } from '../store/store.ts';
import type { ButtonPress } from './cast-ballot.ts';
import { CLICK_TROUBLE, type ClickTrouble, mismatchSentence } from './sentences.ts';

export interface TroubleNeeds extends AnswerNeeds {
  readonly store: Pick<Store, 'read'>;
  readonly permalink: Permalink;
}

/** Tells a person whose press could not be stored, or belongs to no living message, what to do. */
export async function answerTrouble(
  needs: TroubleNeeds,
  kind: ClickTrouble,
  press: ButtonPress,
): Promise<void> {
  const text = kind === 'mismatch' ? await originalLink(needs, press) : CLICK_TROUBLE[kind];
  await answerPerson(needs, press, { text });
}

async function originalLink(
  { store, permalink }: TroubleNeeds,
  { record, channel }: ButtonPress,
): Promise<string> {
  const place = (await store.read(record))?.place;
  // A link leads no further than the channel the person is in.
  const isHere = place?.channel === channel && place.message !== null;
  return mismatchSentence(isHere ? await permalink(channel, place.message) : undefined);
}
