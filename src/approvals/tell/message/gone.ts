import { MEMBERSHIPS } from '../../../core/people/denials.ts';
import type { Gone, GoneWhy } from '../../approval.ts';

/** What is said of reviewers who cannot decide any more. */

export const GONE_REASONS: Record<GoneWhy, string> = {
  deactivated: 'the account is deactivated',
  guest: 'guests cannot decide on this route',
  bot: 'it is an app',
  'other-team': 'their workspace is not allowed here',
  stranger: 'Slack shows no member with this id',
};

/** For a message that cannot be approved; empty: nobody is gone. Names nobody, because a mention notifies. */
export function goneNote(gone: Gone = {}): string {
  const all = Object.values(gone);
  // as: the keys of a record of all reasons
  const parts = (Object.keys(GONE_REASONS) as GoneWhy[]).flatMap((why) => {
    const count = all.filter((each) => each === why).length;
    const { one, several } = MEMBERSHIPS[why];
    return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`];
  });
  return parts.length === 0 ? '' : `Not counted: ${parts.join(', ')}.`;
}
