/** What makes somebody a reviewer, besides user groups: in lists of group ids, and in the audit log. */

/** Everybody in the channel. */
export const CHANNEL = 'channel';

/** The route names them. */
export const NAMED = 'named';
