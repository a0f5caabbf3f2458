/** What `/approvals` itself says. */

export const HELP = [
  '*`/approvals`* lists the open requests that wait for your decision, and those that you asked for, the oldest first. Only you see the list.',
  'Each has a link to its message: decide there.',
  'Not listed are requests that are decided or withdrawn, and those that Gatepost no longer watches because they are too old.',
].join('\n');

export const UNKNOWN_WORDS =
  'Nothing was listed: `/approvals` knows no such words. Type `/approvals` alone, or `/approvals help`.';
