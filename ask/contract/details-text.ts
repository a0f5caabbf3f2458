import { cleanLine } from '../../src/core/lib/clean-line.ts';
import { type ApprovalDetails, ONLY_REQUESTER } from './approval-details.ts';

/** What commands and agents read of a request, made from its details. */

/** The state of an open request. */
export function openText(news: ApprovalDetails): string {
  const { status, approvals, permalink } = news;
  if (status === 'UNKNOWN') return 'The service has not given a final status yet. Waiting.';
  if (news.blocked === ONLY_REQUESTER) return NOBODY_ELSE;
  if (status === 'BLOCKED') {
    const code = news.posting.reason ?? 'no reason given';
    return cleanLine(`Slack refused the message (${code}). Gatepost is trying to post it again.`);
  }
  const bar = news.closed;
  if (bar !== undefined) return cleanLine(`Closed until ${bar.until}: ${bar.why}. Waiting.`);
  const posting = permalink === undefined ? ' · posting to Slack' : '';
  const count = approvals > 0 ? ` · ${approvals} approved` : '';
  const missing = missingIn(news);
  const still = missing.length > 0 ? ` · still needed: ${missing.join(', ')}` : '';
  return cleanLine(`Waiting for ${whoIsAsked(news)}${count}${still}${posting}`);
}

/** Whose approvals are missing. */
function missingIn({ needs }: ApprovalDetails): readonly string[] {
  return needs.flatMap(({ name, count, have }) =>
    have < count ? [`${count - have} of ${name}`] : [],
  );
}

/** Of `only-requester`. */
export const NOBODY_ELSE = 'Only its requester can decide it: nobody else is asked.';

/** Of `ownApproval`. */
export const OWN_APPROVAL = 'Approved by the person who asks for it, so it opens nothing.';

/** By name, as far as Gatepost knows: others are counted. */
export function whoIsAsked({ reviewers, names = {} }: ApprovalDetails): string {
  if (reviewers === undefined) return 'a decision';
  const { users, groups, channel } = reviewers;
  const named = users.flatMap((user) => names[user] ?? []).slice(0, SHOWN_MAX);
  const others = users.length - named.length;
  const more =
    named.length > 0 ? `${named.join(', ')} and ${others} more` : counted(others, 'reviewer');
  const people = others === 0 ? named.join(', ') : more;
  const handles = groups.flatMap((group) => names[group] ?? []).slice(0, SHOWN_MAX);
  const unnamed = groups.length - handles.length;
  const teams = [...handles, ...(unnamed === 0 ? [] : [counted(unnamed, 'group')])];
  const asked = [people, ...teams].filter((each) => each !== '').join(', ');
  if (asked === '') return channel ? 'anyone in the channel' : 'nobody: the route has no reviewers';
  return `${asked}${channel ? ' or anyone in the channel' : ''}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Who decided, to follow the decision. Includes the id, because anybody can use any name. */
export function decidedBy({ outcome, names = {} }: ApprovalDetails): string {
  const who = (outcome?.by ?? []).map((user) => nameWithId(user, names));
  return who.length === 0 ? '' : ` by ${who.join(', ')}`;
}

/** Why it was withdrawn, or by whom, to follow that word; undefined: the details do not say. */
export function whyWithdrawn(details: ApprovalDetails): string | undefined {
  const { supersededBy, withdrawnBy, names = {} } = details;
  if (supersededBy !== undefined) return ': replaced by a newer request';
  return withdrawnBy && ` by its requester ${nameWithId(withdrawnBy, names)}`;
}

function nameWithId(user: string, names: Readonly<Record<string, string>>): string {
  const name = names[user];
  return name === undefined ? user : `${cleanLine(name)} (${user})`;
}

const SHOWN_MAX = 5;
