import { secondsText } from '../../../core/slack/text.ts';
import { type Approval, isOwnGate } from '../../approval.ts';
import { heldUpBy } from '../../decision/guards.ts';
import type { GuardWords } from './feature-shapes.ts';
import { placedBy } from './outcome-line.ts';
import { people, REQUEST } from './sentences.ts';

/** What people read while an approval is held (`decision/hold.ts`). */
export const holdWords: GuardWords<'held', 'held' | 'lost-hold'> = {
  headline: 'Held for a moment',

  line(state, approval) {
    const { approvedBy, until, isAgain } = state;
    const why = isAgain === true ? ' · held again after an interruption' : '';
    const who = people(approvedBy, placedBy(state));
    // The hold begins after that.
    const isToTell = heldUpBy(approval) !== undefined;
    const then = isToTell ? 'the other reviewers are told first' : endText(approval, until);
    return `*${who} approved* · ${then}${why}`;
  },

  sentences: {
    held: ({ until, counts }, approval) => {
      const mine = counts ? ' Your approval counts too.' : '';
      return `${REQUEST} is already approved and ${endText(approval, until)}.${mine}`;
    },
    'lost-hold': () =>
      `Your approval of ${REQUEST} does not count: the store lost its last writes while it was held, so it may have been undone. Decide again.`,
  },
};

/** That of an own gate is not sent anywhere. */
function endText(approval: Approval, until: number): string {
  return `${isOwnGate(approval) ? 'counts' : 'will be sent'} at ${secondsText(until)}`;
}
