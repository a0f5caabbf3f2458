import { barView } from '../../../ask/contract/approval-details.ts';
import { FRESH_MS } from '../../core/engine/attempt.ts';
import type { Due } from '../../core/engine/first-due.ts';
import { STORE_AGAIN_MS } from '../../core/engine/flow.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { type Approval, type Click, isOpen } from '../approval.ts';
import type { BarRules, Barred } from './bar.ts';
import { type ClosingSeen, isLoudAllowed, lastOf, nextWindowAt, windowsAt } from './closed.ts';
import { readClosing } from './closing.ts';
import type { Terms } from './terms.ts';
import { selfApprovalIn } from './votes.ts';

/**
 * Whether a request's route is closed. The record reads the closing right before it saves an attempt, and before it
 * counts a press: the closing lies on another shard, so that no single save can compare the two.
 */

declare module '../approval.ts' {
  interface Click {
    /** The closing was read after this press. */
    readonly isPastClosing?: true;
  }
}

declare module './bar.ts' {
  interface BarSignals {
    /** Somebody has closed or opened its route. */
    readonly closing: unknown;
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
  | { readonly kind: 'closing-read'; readonly closing: Barred | null }
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

/** Its member of details and callbacks. */
export const closedMember = { closed: barView.optional() };

export const closedRoute: BarRules<ReadClosing, ClosingRead> = {
  member: 'closed',

  known: ({ closing }) => closing?.now,

  stops({ closing }) {
    const { earlier = [], now } = closing ?? {};
    return now ? [...earlier, [now.since, now.until]] : earlier;
  },

  endedAt: ({ closing }) =>
    closing?.now === undefined ? closing?.earlier?.at(-1)?.[1] : undefined,

  spent(approval) {
    const { now, ...known } = approval.closing ?? {};
    if (now === undefined) return approval;
    return { ...approval, closing: { ...known, now: { ...now, hasSpent: true } } };
  },

  signal: 'closing',

  changed(approval, changedAt) {
    const { againAt, ...closing } = approval.closing ?? {};
    return { ...approval, closing: { ...closing, changedAt } };
  },

  isUnread: ({ closing }) => closing?.againAt !== undefined,

  step: stepOf,

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

  apply(approval, { plannedAt, seenAt, changedAt, presses }, result, { route }, now) {
    const { closing: before = {} } = approval;
    if (!isOpen(approval) || (before.readAt ?? 0) !== seenAt) {
      return { data: approval, isRead: false };
    }
    const isSeen = ({ id }: Click) => presses.includes(id);
    const queue = approval.queue.map((click) =>
      isSeen(click) ? { ...click, isPastClosing: true as const } : click,
    );
    if (result.kind === 'away') {
      const again = { ...before, againAt: now + STORE_AGAIN_MS };
      return { data: { ...approval, queue, closing: again }, isRead: false };
    }
    const { closing: byPeople } = result;
    const isOn = byPeople !== null && now < byPeople.until;
    const closed = lastOf([...(isOn ? [byPeople] : []), ...windowsAt(route, now)]);
    const { changedAt: since, againAt, now: was, earlier = [], ...rest } = before;
    const waited = closed === undefined && was ? [...earlier, waitedIn(was, now)] : earlier;
    const closing: ClosingSeen = {
      ...rest,
      readAt: plannedAt,
      ...(since !== changedAt && { changedAt: since }),
      ...(waited.length > 0 && { earlier: waited.slice(-EARLIER_MAX) }),
      ...(closed !== undefined && { now: { ...closed, since: was?.since ?? now } }),
    };
    return { data: { ...approval, queue, closing }, isRead: true };
  },
};

const EARLIER_MAX = 50;

/** While nothing ran, it opened at its end. */
function waitedIn({ since, until }: NonNullable<ClosingSeen['now']>, now: number) {
  return [since, Math.max(since, Math.min(until, now))] as const;
}
