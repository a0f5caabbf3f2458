import { cleanLine } from '../../core/lib/clean-line.ts';
import { barIn } from '../electorate/bar-seen.ts';
import { ONLY_REQUESTER } from '../electorate/requester.ts';
import type { ApprovalDetails } from './approval-view.ts';
import { missingIn } from './contract-parts.ts';

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
  const bar = barIn(news);
  if (bar !== undefined) return cleanLine(`Closed until ${bar.until}: ${bar.why}. Waiting.`);
  const posting = permalink === undefined ? ' · posting to Slack' : '';
  const count = approvals > 0 ? ` · ${approvals} approved` : '';
  const missing = missingIn(news);
  const still = missing.length > 0 ? ` · still needed: ${missing.join(', ')}` : '';
  return cleanLine(`Waiting for ${whoIsAsked(news)}${count}${still}${posting}`);
}

/** Of `only-requester`. */
export const NOBODY_ELSE = 'Only its requester can decide it: nobody else is asked.';

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
  const who = (outcome?.by ?? []).map((user) => {
    const name = names[user];
    return name === undefined ? user : `${cleanLine(name)} (${user})`;
  });
  return who.length === 0 ? '' : ` by ${who.join(', ')}`;
}

const SHOWN_MAX = 5;
