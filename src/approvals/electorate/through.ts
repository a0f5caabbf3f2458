/** What makes somebody a reviewer, besides user groups: in lists of group ids, and in the audit log. */

/** Everybody in the channel. */
export const CHANNEL = 'channel';

/** The route names them. */
export const NAMED = 'named';

/** How somebody was entitled to decide, in words: from what the audit log says of their ballot. */
export function entitlement(through: string): string {
  if (through === NAMED) return 'named reviewer';
  const groups = through.split(',').map((group) => (group === CHANNEL ? 'the channel' : group));
  return `member of ${groups.join(', ')}`;
}
