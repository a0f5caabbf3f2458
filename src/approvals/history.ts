import type { Applied } from '../core/engine/flow.ts';
import type { FailureClass, FailureFacts } from '../core/lib/failure.ts';
import type { NewAuditEntry } from '../core/store/store.ts';
import type { Action, Approval, History, HistoryEvent } from './approval.ts';
import { troubleOf } from './failure.ts';

/**
 * What happened to presses and the calls for them, shown by *Details…* (`details.ts`). Each event is saved together
 * with the change it describes. Posts and the outcome are already in the record, so they are not events.
 */

const EVENTS_MAX = 40;

/** Adds the events between the two. `failure`: why a read of the status failed. */
export function withHistory<Change extends Applied<Approval>>(
  before: Approval,
  change: Change,
  now: number,
  failure?: FailureFacts,
): Change {
  const events = eventsOf(before, change, failure);
  if (events.length === 0) return change;
  return {
    ...change,
    data: events.reduce((data, each) => withEvent(data, each, now), change.data),
  };
}

type NewEvent<Event = HistoryEvent> = Event extends HistoryEvent ? Omit<Event, 'after'> : never;

export function withEvent(approval: Approval, event: NewEvent, now: number): Approval {
  const { events, left } = approval.history ?? { events: [] };
  const after = Math.max(0, now - approval.createdAt);
  // as: has the members of each kind of event
  const all = [...events, { ...event, after } as HistoryEvent];
  return { ...approval, history: bounded({ events: all, ...(left !== undefined && { left }) }) };
}

/** People who cannot decide can press without limit: the oldest of their presses are dropped first. */
function bounded({ events, left = 0 }: History): History {
  const over = events.length - EVENTS_MAX;
  if (over <= 0) return { events, ...(left > 0 && { left }) };
  let out = 0;
  const kept = events.filter(({ kind }) => {
    const goes = kind === 'not-counted' && out < over;
    if (goes) out += 1;
    return !goes;
  });
  return { events: kept.slice(-EVENTS_MAX), left: left + over };
}

function eventsOf(
  before: Approval,
  { data, audit = [] }: Applied<Approval>,
  failure: FailureFacts | undefined,
): NewEvent[] {
  const noted = audit.flatMap((entry) => eventOf(before, data, entry));
  return [...noted, ...unheard(before, data), ...closed(before, data, noted, failure)];
}

/** The event for an audit entry about a press or a call; both are saved together. */
function eventOf(before: Approval, after: Approval, entry: NewAuditEntry): NewEvent[] {
  const { action: what, actor: by, facts } = entry;
  // as: the steps write these values
  const action = facts.action as Action;
  switch (what) {
    case 'approvals.ballot': {
      const isSame = (each: Approval) =>
        each.ballots.some((ballot) => ballot.user === by && ballot.action === action);
      if (facts.refused === undefined) {
        const place = facts.for === undefined ? {} : { for: String(facts.for) };
        return isSame(before) ? [] : [{ kind: 'counted', by, action, ...place }];
      }
      const why = String(facts.refused);
      if (isSame(before) && !isSame(after)) return [{ kind: 'dropped', by, action, why }];
      return [{ kind: 'not-counted', by, why }];
    }
    case 'approvals.taken-back':
      return [{ kind: 'taken-back', by }];
    case 'approvals.respond':
      return [{ kind: 'sending', by, action }];
    case 'approvals.answered': {
      const kind = facts.class as FailureClass | undefined;
      return [
        {
          kind: 'answered',
          answer: String(facts.answer),
          ...(kind !== undefined && { class: kind }),
        },
      ];
    }
    default:
      return [];
  }
}

/** Presses that came too late, or whose person could not be authorized: each has a reply. */
function unheard(before: Approval, after: Approval): NewEvent[] {
  const isWaiting = ({ queue }: Approval, user: string) => queue.some((each) => each.user === user);
  return after.replies.flatMap(({ id, user: by, about }): NewEvent[] => {
    if (before.replies.some((each) => each.id === id)) return [];
    if (about === 'late' && before.decision?.by !== by) {
      return [{ kind: 'not-counted', by, why: 'late' }];
    }
    const isUnchecked = about === 'trouble' && isWaiting(before, by) && !isWaiting(after, by);
    return isUnchecked ? [{ kind: 'not-counted', by, why: 'unchecked' }] : [];
  });
}

/** A decision that ended without an outcome, along with its ballots. */
function closed(
  before: Approval,
  after: Approval,
  noted: readonly NewEvent[],
  failure: FailureFacts | undefined,
): NewEvent[] {
  const { decision } = before;
  if (decision === undefined || after.decision !== undefined || after.outcome !== undefined) {
    return [];
  }
  const { by, action } = decision;
  // It waits again with the ballots that still count, or its author's ballot was reported as dropped.
  const isTold = noted.some(
    (each) => each.kind === 'taken-back' || (each.kind === 'dropped' && each.by === by),
  );
  if (isTold || after.ballots.some(({ user }) => user === by)) return [];
  const { unconfirmed: known = [] } = before;
  const isUnsure = after.unconfirmed?.some((each) => each.by === by && !known.includes(each));
  return [
    {
      kind: 'closed',
      by,
      action,
      ...(isUnsure === true && { unsure: true as const }),
      ...whyOf(failure),
    },
  ];
}

/** A read that was refused or unreadable makes the state unknown, which the message explains. */
function whyOf(failure: FailureFacts | undefined): Pick<Closed, 'failure'> {
  if (failure === undefined || failure.class === 'unreadable') return {};
  if (troubleOf(failure).why === 'refused') return {};
  const { class: kind, code, status } = failure;
  return { failure: { class: kind, code, ...(status !== undefined && { status }) } };
}

type Closed = Extract<HistoryEvent, { kind: 'closed' }>;
