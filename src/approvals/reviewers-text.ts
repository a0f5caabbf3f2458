import type { Reviewers } from '../config/config.ts';
import type { Approval } from './approval.ts';

/** Who may decide, mentioned so that they are notified: the middle of a sentence. */
export function reviewersText(
  reviewers: Reviewers | undefined,
  narrowedTo: Approval['narrowedTo'],
): string {
  if (reviewers === undefined) return 'nobody can decide: its route is not configured';
  const named = narrowedTo ?? (reviewers.channel ? undefined : reviewers);
  if (named === undefined) return 'anyone in this channel can decide';
  const names = [
    ...named.users.map((user) => `<@${user}>`),
    ...named.groups.map((group) => `<!subteam^${group}>`),
  ];
  if (names.length === 0) return 'nobody can decide: no reviewers are configured';
  const shown = names.slice(0, MENTIONS_MAX).join(', ');
  const more = names.length > MENTIONS_MAX ? ` and ${names.length - MENTIONS_MAX} more` : '';
  const condition =
    narrowedTo !== undefined && reviewers.groups.length > 0 ? ' if they review this route' : '';
  return `${shown}${more} can decide${condition}`;
}

/** So many mentions fit into a section beside everything else. */
const MENTIONS_MAX = 40;
