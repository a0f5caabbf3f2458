import { FRESH_MS } from '../../core/engine/attempt.ts';
import type { Due } from '../../core/engine/first-due.ts';
import { type Applied, STORE_AGAIN_MS } from '../../core/engine/flow.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { type Approval, type Ballot, type Click, isOpen } from '../approval.ts';
import {
  type Closed,
  type ClosingSeen,
  isLoudAllowed,
  lastOf,
  nextWindowAt,
  windowsAt,
} from '../electorate/closed.ts';
import { readClosing } from '../electorate/closing.ts';
import { electorateOf } from '../electorate/electorate.ts';
import { tally } from '../electorate/tally.ts';
import type { Terms } from '../electorate/terms.ts';
import { selfApprovalIn, slackIdsOf } from '../electorate/votes.ts';
import { ROUTE_CLOSED } from './closed-route.ts';
import { retryUnsent, stopSending } from './decision.ts';
import type { GuardRead } from './guard.ts';
import { refusedEntry, withoutDecision } from './reauthorize.ts';
import { owe } from './transitions.ts';

/**
 * No approval is sent or recorded while its route is closed. The record reads the closing right before it saves an
 * attempt, and before it counts a press: the closing lies on another shard, so that no single save can compare the two.
 */

declare module '../approval.ts' {
  interface Click {
    /** The closing was read after this press. */
    readonly isPastClosing?: true;
  }
}

/** Read whether people have closed the route. */
export interface ReadClosing {
  readonly kind: 'read-closing';
  readonly plannedAt: number;
  /** When it was last read; a newer reading takes precedence. */
  readonly seenAt: number;
  /** The last change at the time of planning: a later one causes another read. */
  readonly changedAt: number | undefined;
  /** The presses that wait for it, by id. */
  readonly presses: readonly string[];
}

type ClosingRead =
  | { readonly kind: 'closing-read'; readonly closing: Closed | null }
  /** The store did not answer. */
  | { readonly kind: 'away' };

/** Whenever it may have changed, or was not read when it was due. */
function dueClosing(approval: Approval, terms: Terms, now: number): Due<ReadClosing> {
  if (!isOpen(approval)) return null;
  const { closing = {} } = approval;
  const isChanged =
    closing.changedAt !== undefined ||
    closing.againAt !== undefined ||
    isOverNow(closing, now) ||
    (closing.now === undefined && windowsAt(terms.route, now).length > 0);
  if (!isChanged) return null;
  const { againAt = 0 } = closing;
  return now < againAt ? againAt : stepOf(approval, now);
}

/** Before anybody is mentioned. */
function dueClosingFirst(approval: Approval, _: Terms, now: number): Due<ReadClosing> {
  const { readAt, againAt } = approval.closing ?? {};
  const isUnread = readAt === undefined && againAt === undefined;
  return isUnread && isOpen(approval) ? stepOf(approval, now) : null;
}

/** Before somebody's approval counts. */
function dueClosingOfPress(approval: Approval, _: Terms, now: number): Due<ReadClosing> {
  const isWaiting = isOpen(approval) && unreadPresses(approval, now).length > 0;
  return isWaiting ? stepOf(approval, now) : null;
}

/** Right before a decision is sent: nothing else is read in between. */
function dueClosingOfDecision(approval: Approval, terms: Terms, now: number): Due<ReadClosing> {
  return isOpen(approval) && isToSend(approval, terms, now) ? stepOf(approval, now) : null;
}

function stepOf(approval: Approval, now: number): ReadClosing {
  const { readAt: seenAt = 0, changedAt } = approval.closing ?? {};
  const presses = unreadPresses(approval, now).map(({ id }) => id);
  return { kind: 'read-closing', plannedAt: now, seenAt, changedAt, presses };
}

/** When the route opens or closes without anything else happening: nobody waits for it. */
function dueClosingLater(approval: Approval, terms: Terms, now: number): Due<never> {
  if (!isOpen(approval)) return null;
  const { now: closed } = approval.closing ?? {};
  return (closed === undefined ? nextWindowAt(terms.route, now) : closed.until) ?? null;
}

/** After which the closing was not read. */
function unreadPresses({ queue, closing }: Approval, now: number): readonly Click[] {
  const { readAt = 0, againAt } = closing ?? {};
  const isRead = ({ at }: Click) => againAt === undefined && at <= readAt && readAt <= now;
  return queue.filter(
    (click) =>
      click.action === 'approve' &&
      click.reviews !== true &&
      click.isPastClosing !== true &&
      !isRead(click),
  );
}

function isOverNow({ now: closed }: ClosingSeen, now: number): boolean {
  return closed !== undefined && now >= closed.until;
}

/** An approval is about to be sent, and it is not known that it can be. */
function isToSend(approval: Approval, terms: Terms, now: number): boolean {
  const { decision, closing = {} } = approval;
  if (decision?.action !== 'approve' || decision.phase.name !== 'send') return false;
  const { readAt = 0, now: closed, changedAt, againAt } = closing;
  const isFresh = readAt <= now && now <= readAt + FRESH_MS;
  const isRead = isFresh && changedAt === undefined && againAt === undefined;
  return !isRead || (closed !== undefined && !isPassing(approval, terms));
}

/** A loud self-approval, where the route allows it. */
function isPassing(approval: Approval, { route }: Pick<Terms, 'route'>): boolean {
  return isLoudAllowed(approval, route) && selfApprovalIn(approval) !== undefined;
}

export const readsClosing: GuardRead<ReadClosing, ClosingRead> = {
  due: {
    changed: dueClosing,
    post: dueClosingFirst,
    send: dueClosingOfDecision,
    press: dueClosingOfPress,
    later: dueClosingLater,
  },

  execute(core, _id, { route }) {
    const read = async (): Promise<ClosingRead> => {
      const closing = await readClosing(core.store, route);
      return {
        kind: 'closing-read',
        closing: closing === undefined ? null : { until: closing.until, why: closing.why },
      };
    };
    return unlessAway(read(), { kind: 'away' });
  },

  apply(approval, { plannedAt, seenAt, changedAt, presses }, result, terms, now) {
    const { closing: before = {} } = approval;
    if (!isOpen(approval) || (before.readAt ?? 0) !== seenAt) return { data: approval };
    const isSeen = ({ id }: Click) => presses.includes(id);
    const queue = approval.queue.map((click) =>
      isSeen(click) ? { ...click, isPastClosing: true as const } : click,
    );
    const pressed = { ...approval, queue };
    if (result.kind === 'away') return { data: unread(pressed, before, terms, now) };
    const { closing: byPeople } = result;
    const isOn = byPeople !== null && now < byPeople.until;
    const closed = lastOf([...(isOn ? [byPeople] : []), ...windowsAt(terms.route, now)]);
    const { changedAt: since, againAt, now: was, earlier = [], ...rest } = before;
    const waited = closed === undefined && was ? [...earlier, waitedIn(was, now)] : earlier;
    const closing: ClosingSeen = {
      ...rest,
      readAt: plannedAt,
      ...(since !== changedAt && { changedAt: since }),
      ...(waited.length > 0 && { earlier: waited.slice(-EARLIER_MAX) }),
      ...(closed !== undefined && { now: { ...closed, since: was?.since ?? now } }),
    };
    const data: Approval = { ...pressed, closing };
    if (closed !== undefined) return unsent(data, closed, terms, now);
    // A store that always takes this long is as good as away: it would be read again without end.
    return { data: now > plannedAt + FRESH_MS ? retried(data, terms, now) : data };
  },
};

const EARLIER_MAX = 50;

/** While nothing ran, it opened at its end. */
function waitedIn({ since, until }: NonNullable<ClosingSeen['now']>, now: number) {
  return [since, Math.max(since, Math.min(until, now))] as const;
}

/** Without the store's answer nothing is sent; other presses are authorized, and it is read again before that. */
function unread(approval: Approval, closing: ClosingSeen, terms: Terms, now: number): Approval {
  const again = { ...closing, againAt: now + STORE_AGAIN_MS };
  return retried({ ...approval, closing: again }, terms, now);
}

/** The decision that could be sent waits, within the time for which a press is good. */
function retried(approval: Approval, terms: Terms, now: number): Approval {
  const { decision } = approval;
  if (decision === undefined || !isToSend(approval, terms, now)) return approval;
  const failure = { class: 'not-sent', code: 'store_unavailable' } as const;
  const how = { code: 'could-not-check', waitsFor: 'check' } as const;
  return retryUnsent(approval, decision, failure, terms.timing, now, how);
}

/** One that may have been sent is only looked up; of one that was not, the last approval is spent. */
function unsent(approval: Approval, closed: Closed, terms: Terms, now: number): Applied<Approval> {
  const { decision } = approval;
  if (decision?.action !== 'approve' || isPassing(approval, terms)) return { data: approval };
  const { name, sends } = decision.phase;
  if (name === 'sending' || name === 'settle') return { data: approval };
  if (sends.ambiguous > 0) {
    const note = { why: 'route-closed', closed } as const;
    return { data: stopSending(approval, decision, terms.timing, now, note) };
  }
  const tried = sends.limited > 0 ? ({ wasTried: true } as const) : {};
  const spent = { code: 'route-closed', ...closed, wasCounted: true, ...tried } as const;
  const own = approval.ballots.find(
    (each) => each.action === 'approve' && slackIdsOf(each).includes(decision.by),
  );
  const left = spentUntilShort(approval, own, terms);
  const { channel } = approval;
  const others = left.spent.filter(({ user }) => user !== decision.by);
  const told = others.reduce(
    (owing, { user }) => owe(owing, { user, channel, at: now }, 'spent', spent, 'direct'),
    owe(left.data, decision.asker, 'closed', spent),
  );
  const { now: closedNow, ...known } = told.closing ?? {};
  const closing = {
    ...known,
    ...(closedNow && { now: { ...closedNow, hasSpent: true as const } }),
  };
  const entries = left.spent.map((ballot) => refusedEntry(ballot, ROUTE_CLOSED));
  return withoutDecision({ ...told, closing }, terms, now, entries);
}

/** Without the last approval; and, of more than are needed, without the latest of them. */
function spentUntilShort(
  approval: Approval,
  own: Ballot | undefined,
  terms: Terms,
): { readonly data: Approval; readonly spent: readonly Ballot[] } {
  const spent: Ballot[] = [];
  let last = own;
  let data = approval;
  while (last !== undefined) {
    const { user } = last;
    spent.push(last);
    data = { ...data, ballots: data.ballots.filter((each) => each.user !== user) };
    if (!tally(electorateOf(data, terms), data.ballots).isEnough) break;
    last = data.ballots
      .filter(({ action }) => action === 'approve')
      .toSorted((one, other) => other.at - one.at)[0];
  }
  return { data, spent };
}
