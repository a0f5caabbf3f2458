import { type ApprovalState, isFinal } from '../../../ask/contract/approval-details.ts';
import { FRESH_MS, isOf } from '../../core/engine/attempt.ts';
import { type Due, firstReady } from '../../core/engine/first-due.ts';
import { patientWaitMs } from '../../core/engine/patience.ts';
import { CALLBACK_MS, type CallbackEnd, type CallbackMessage } from '../../core/http/callbacks.ts';
import type { SlackLinks } from '../../core/slack/links.ts';
import type { Approval, Callback, CallbackEvent } from '../approval.ts';
import { messagePost } from '../approval.ts';
import type { ApprovalStep, CallBack } from '../decision/approval-core.ts';
import { statusOf } from '../decision/status.ts';
import { digestOf } from '../digest.ts';
import { barMembers } from '../electorate/bar-seen.ts';
import { isOwnApproval } from '../electorate/requester.ts';
import { withEvent } from '../history.ts';
import { type CallbackBody, requesterOf } from './callback-body.ts';

/**
 * Tells the source what happened to its request. A receiver may be slow: the call outlives the step and its lease, and
 * its result comes back as a signal, so that no click waits for it. If the process dies, the saved attempt makes sure
 * that the same callback is sent again, with the same id.
 */

/** busy: too many callbacks to this source are in flight. */
type CalledBack = CallbackEnd | { readonly kind: 'begun' | 'busy' | 'unwanted' };

/** Adds callbacks for what has changed, one for each event. */
export function withCallbacks(before: Approval, after: Approval, now: number): Approval {
  const news = newsOf(before, after).map((event) => ({ event, at: now }));
  return news.length === 0 ? after : { ...after, callbacks: [...(after.callbacks ?? []), ...news] };
}

function newsOf(before: Approval, after: Approval): CallbackEvent[] {
  const status = statusOf(after);
  const isPosted = messagePost(before).ts === undefined && messagePost(after).ts !== undefined;
  const event = status === statusOf(before) ? undefined : EVENTS[status];
  return [
    ...(isPosted && !isFinal(status) ? (['approval.posted'] as const) : []),
    ...(event === undefined ? [] : [event]),
  ];
}

const EVENTS: Readonly<Partial<Record<ApprovalState, CallbackEvent>>> = {
  BLOCKED: 'approval.blocked',
  APPROVED: 'approval.decided',
  REJECTED: 'approval.decided',
  TIMED_OUT: 'approval.timed_out',
  WITHDRAWN: 'approval.withdrawn',
};

/** One callback at a time, the oldest that is due. */
export function dueCallback({ callbacks = [] }: Approval, now: number): Due<CallBack> {
  const open = callbacks.flatMap(({ attempt }) => attempt?.mustEndBy ?? []);
  const endsAt = Math.max(0, ...open);
  if (now < endsAt) return endsAt;
  const next = firstReady(callbacks, now);
  if (next === null || typeof next === 'number') return next;
  const { event, at } = next;
  return { kind: 'call-back', event, at, plannedAt: now };
}

export const callBack: ApprovalStep<CallBack, CalledBack> = {
  markAttempt(approval, step, _timing, now) {
    const attempt = { plannedAt: step.plannedAt, mustEndBy: now + FRESH_MS + CALLBACK_MS };
    return { data: changed(approval, step, (each) => ({ ...each, attempt })) };
  },

  async execute({ callbacks, links, deliverResult }, id, approval, step) {
    const end = callbacks.send(approval.source, messageOf(id, approval, step, links));
    if (end === 'busy' || end === 'unwanted') return { kind: end };
    deliverResult(id, step, end);
    return { kind: 'begun' };
  },

  /** A late result was already followed by another try, so it only counts if the callback was accepted. */
  apply(approval, step, result, { timing, random }, now) {
    switch (result.kind) {
      case 'begun':
        return { data: approval };
      case 'taken':
        return { data: nowDue(ended(approval, step, true, now)) };
      case 'unwanted':
        return { data: without(approval, step) };
      case 'busy':
        return { data: later(approval, step, now + BUSY_MS * (1 + random())) };
      case 'not-taken': {
        if (!isOf(step, findIn(approval, step)?.attempt)) return { data: approval };
        const tries = (findIn(approval, step)?.tries ?? 0) + 1;
        const { first, most, giveUp } = timing.callbackMs;
        // 1, 5, 25 s and so on, up to an hour.
        const patientMs = patientWaitMs(tries - 1, first, most, 5);
        const waitMs = Math.max(patientMs, result.failure.retryAfterMs ?? 0);
        const isOver = now + waitMs > step.at + giveUp;
        if (isOver) return { data: ended(approval, step, false, now) };
        return { data: later(approval, step, now + waitMs, { tries }) };
      }
    }
  },

  alerts(before, step, result, after) {
    const isGivenUp = result.kind === 'not-taken' && findIn(after, step) === undefined;
    if (!isGivenUp) return [];
    const { code } = result.failure;
    return [{ cause: 'callback-failed', subject: before.source, said: code }];
  },
};

/** The base wait; jittered, so that callbacks do not all come back at once. */
const BUSY_MS = 15_000;

type Named = Pick<CallBack, 'event' | 'at'>;

function findIn({ callbacks = [] }: Approval, named: Named): Callback | undefined {
  return callbacks.find((each) => isSame(each, named));
}

function isSame(one: Named, other: Named): boolean {
  return one.event === other.event && one.at === other.at;
}

function changed(
  approval: Approval,
  named: Named,
  change: (callback: Callback) => Callback,
): Approval {
  const { callbacks = [] } = approval;
  return {
    ...approval,
    callbacks: callbacks.map((each) => (isSame(each, named) ? change(each) : each)),
  };
}

function later(
  approval: Approval,
  step: CallBack,
  at: number,
  more: Pick<Callback, 'tries'> = {},
): Approval {
  return changed(approval, step, ({ attempt, ...rest }) => ({
    ...rest,
    ...more,
    notBefore: Math.round(at),
  }));
}

function without(approval: Approval, named: Named): Approval {
  const { callbacks = [], ...rest } = approval;
  const others = callbacks.filter((each) => !isSame(each, named));
  return others.length === 0 ? rest : { ...rest, callbacks: others };
}

/** The history says whether a callback about the end of a request was accepted. */
function ended(approval: Approval, named: Named, isTaken: boolean, now: number): Approval {
  const { event } = named;
  const left = without(approval, named);
  const isKept = event !== 'approval.posted' && event !== 'approval.blocked';
  const isFirst = findIn(approval, named) !== undefined;
  return isKept && isFirst ? withEvent(left, { kind: 'callback', event, isTaken }, now) : left;
}

/** The receiver works again: the other callbacks do not wait for their next try. */
function nowDue(approval: Approval): Approval {
  if (approval.callbacks === undefined) return approval;
  return { ...approval, callbacks: approval.callbacks.map(({ notBefore, ...each }) => each) };
}

/** The body of a callback: the state at that time. */
export function messageOf(
  id: string,
  approval: Approval,
  { event, at }: Named,
  links: SlackLinks,
): CallbackMessage {
  const { key, outcome, channel } = approval;
  const { ts } = messagePost(approval);
  // If it is uncertain whose decision was accepted, nobody is named: a program cannot read a caveat.
  const decided =
    event === 'approval.decided' && outcome?.credit === 'certain' ? outcome : undefined;
  const reasons = (decided?.reasons ?? []).map(({ text }) => text);
  const body: CallbackBody = {
    type: event,
    timestamp: new Date(at).toISOString(),
    data: {
      id,
      ...(key !== undefined && { key }),
      status: STATUSES[event] ?? outcome?.status ?? 'PENDING',
      by: [...(decided?.by ?? [])],
      reason: reasons.length > 0 ? reasons.join('\n') : null,
      digest: digestOf(approval),
      requester: requesterOf(approval),
      ...(decided !== undefined && isOwnApproval(approval) && { ownApproval: true }),
      ...barMembers(approval),
      permalink: ts === undefined ? null : (links.message(channel, ts) ?? null),
    },
  };
  const name = event.slice(event.indexOf('.') + 1);
  // A request can be posted or blocked repeatedly; its end has one id, even if the store lost it and it is sent again.
  const isRepeatable = event === 'approval.posted' || event === 'approval.blocked';
  const messageId = isRepeatable ? `${id}-${name}-${at}` : `${id}-${name}`;
  return { id: messageId, body: JSON.stringify(body) };
}

/** For a decision it is the outcome's. */
const STATUSES: Readonly<Partial<Record<CallbackEvent, CallbackBody['data']['status']>>> = {
  'approval.posted': 'PENDING',
  'approval.blocked': 'BLOCKED',
  'approval.timed_out': 'TIMED_OUT',
  'approval.withdrawn': 'WITHDRAWN',
};
