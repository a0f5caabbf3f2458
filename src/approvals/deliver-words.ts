import type { Words } from '../slack/words.ts';
import type { Tell } from './approval.ts';
import type { SealedText } from './cast-ballot.ts';
import type { StepResult } from './step.ts';

export interface DeliverNeeds {
  readonly words: Words;
  readonly open: (sealed: string, what: SealedText) => string;
}

/** Says a sentence to the person it is owed to, in the one way that is its turn. Throws RemoteFailure. */
export async function deliverWords(
  { words, open }: DeliverNeeds,
  { via, text, user, channel, responseUrl }: Tell,
): Promise<StepResult> {
  if (via === 'url' && responseUrl !== undefined) {
    await words.respondUrl(open(responseUrl, 'response-url'), { text });
  } else if (via === 'direct') {
    await words.direct({ user, text });
  } else {
    await words.ephemeral({ channel, user, text });
  }
  return { kind: 'done' };
}
