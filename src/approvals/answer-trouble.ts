import { RemoteFailure } from '../lib/failure.ts';
import type { Words } from '../slack/words.ts';
import type { Store } from '../store/store.ts';
import type { ButtonPress } from './cast-ballot.ts';
import { CLICK_TROUBLE, type ClickTrouble, mismatchSentence } from './sentences.ts';

export interface TroubleNeeds {
  readonly store: Pick<Store, 'read'>;
  readonly words: Words;
  /** A link to a message; undefined when Slack gives none. */
  readonly permalink: (channel: string, ts: string) => Promise<string | undefined>;
}

/** Tells a person whose press could not be stored, or belongs to no living message, what to do. */
export async function answerTrouble(
  needs: TroubleNeeds,
  kind: ClickTrouble,
  press: ButtonPress,
): Promise<void> {
  const text = kind === 'mismatch' ? await originalLink(needs, press) : CLICK_TROUBLE[kind];
  const { responseUrl, channel, user } = press;
  if (responseUrl !== null) {
    const isSaid = await needs.words.respondUrl(responseUrl, { text }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RemoteFailure) return false;
        throw error;
      },
    );
    if (isSaid) return;
  }
  await needs.words.ephemeral({ channel, user, text });
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
