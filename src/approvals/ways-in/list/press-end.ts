import type { Action, Approval, HistoryEvent, Outcome } from '../../approval.ts';
import { isWithdrawn } from '../../decision/transitions.ts';
import { slackIdsOf } from '../../electorate/votes.ts';
import { outcomeLine, SIGNS, STATUS_WORDS } from '../../tell/message/outcome-line.ts';
import { ANSWER } from '../../tell/message/sentences.ts';
import { whyNotCounted } from '../../tell/message/time-line.ts';

/** What became of a person's decision on a request. */
export interface PressEnd {
  readonly end: string;
  /** It will not change. */
  readonly isFinal?: true;
}

interface Press {
  readonly user: string;
  readonly action: Action;
  readonly at: number;
}

/** The largest difference between two processes' clocks. */
const SKEW_MS = 5_000;

/** undefined: not known yet. */
export function pressEnd(approval: Approval, { user, action, at }: Press): PressEnd | undefined {
  const { outcome, history, createdAt, queue, decision, ballots } = approval;
  const final = (end: string) => ({ end, isFinal: true as const });
  if (outcome !== undefined) return final(outcomeText(outcome));
  if (isWithdrawn(approval)) return final(':no_entry_sign: *Withdrawn*');
  if (approval.withdrawnAt !== undefined || decision !== undefined) return undefined;
  if (queue.some((click) => click.user === user)) return undefined;
  const since = at - SKEW_MS;
  const isCast = ballots.some(
    (each) => each.action === action && each.at >= since && slackIdsOf(each).includes(user),
  );
  if (isCast) return { end: COUNTED };
  const events = (history?.events ?? []).filter(({ after }) => createdAt + after >= since);
  const ends = events.map((event, place) => endIn(event, user, action, events.slice(0, place)));
  const last = ends.findLast((end) => end !== undefined);
  return last === undefined ? undefined : final(last);
}

/** How the event ended this person's press: before it was counted, a decision that ended was somebody else's. */
function endIn(
  event: HistoryEvent,
  user: string,
  action: Action,
  before: readonly HistoryEvent[],
): string | undefined {
  const isOwn = (each: { readonly by: string; readonly action?: Action }) =>
    each.by === user && (each.action ?? action) === action;
  switch (event.kind) {
    case 'not-counted':
      return isOwn(event) ? `:no_entry_sign: Not counted: ${whyNotCounted(event)}` : undefined;
    case 'dropped':
      return isOwn(event) ? `:no_entry_sign: Your ${ANSWER[action]} no longer counts.` : undefined;
    case 'taken-back':
      return isOwn(event) ? ':leftwards_arrow_with_hook: You took your approval back.' : undefined;
    case 'closed': {
      if (event.action !== action || event.unsure === true) return undefined;
      const wasCounted = before.some((each) => each.kind === 'counted' && isOwn(each));
      return isOwn(event) || wasCounted
        ? ':warning: Not accepted. Press again on its message.'
        : undefined;
    }
    default:
      return undefined;
  }
}

const COUNTED = ':white_check_mark: Your approval counts. More approvals are needed.';
const NAMED_MAX = 3;

/** With many deciders only their number: each of twenty lines has little room. */
function outcomeText(outcome: Outcome): string {
  const { status, by, resolvedAt = null } = outcome;
  if (by.length <= NAMED_MAX) return outcomeLine({ ...outcome, resolvedAt });
  return `${SIGNS[status]} *${STATUS_WORDS[status]} by ${by.length} people*`;
}
