import { MEMBERSHIPS } from '../../../core/people/denials.ts';
import type { Approval, Gone, GoneWhy } from '../../approval.ts';
import { mention } from './sentences.ts';

/** What is said of reviewers who cannot decide any more. */

const REASONS: Record<GoneWhy, string> = {
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
  const parts = (Object.keys(REASONS) as GoneWhy[]).flatMap((why) => {
    const count = all.filter((each) => each === why).length;
    const { one, several } = MEMBERSHIPS[why];
    return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`];
  });
  return parts.length === 0 ? '' : `Not counted: ${parts.join(', ')}.`;
}

/** How many are listed by name. */
const LINES_MAX = 20;

/** Rules of a request, for its details. */
export function goneRules({ absent, counted }: Approval): readonly string[] {
  const gone = Object.entries(absent?.gone ?? {});
  const lines = gone
    .slice(0, LINES_MAX)
    .map(([user, why]) => `${mention(user)} cannot decide: ${REASONS[why]}.`);
  const left = gone.length - lines.length;
  const large = (counted?.large ?? []).map(
    (group) =>
      `<!subteam^${group}> has too many members to check who of them can decide. They are checked when they press.`,
  );
  return [...lines, ...(left > 0 ? [`${left} more cannot decide.`] : []), ...large];
}
