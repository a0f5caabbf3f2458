import { secondsText } from '../../../core/slack/text.ts';
import type { GuardWords } from './guard-words.ts';
import { placedBy } from './outcome-line.ts';
import { people, REQUEST } from './sentences.ts';

/** What people read while an approval is held (`decision/hold.ts`). */
export const holdWords: GuardWords<'held', 'held' | 'lost-hold'> = {
  headline: 'Held until it is sent',

  line(state) {
    const { approvedBy, until, isAgain } = state;
    const why = isAgain === true ? ' · held again after an interruption' : '';
    const who = people(approvedBy, placedBy(state));
    return `*${who} approved* · will be sent at ${secondsText(until)}${why}`;
  },

  sentences: {
    held: ({ until, counts }) => {
      const mine = counts ? ' Your approval counts too.' : '';
      return `${REQUEST} is already approved and will be sent at ${secondsText(until)}.${mine}`;
    },
    'lost-hold': () =>
      `Your approval of ${REQUEST} was not sent: the store lost its last writes while it was held, so it may have been undone. Decide again.`,
  },
};
