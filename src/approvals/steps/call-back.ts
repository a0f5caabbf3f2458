import { FRESH_MS, isOf } from '../../core/engine/attempt.ts';
import { type Due, firstReady } from '../../core/engine/first-due.ts';
import { patientWaitMs } from '../../core/engine/patience.ts';
import { CALLBACK_MS, type CallbackEnd, type CallbackMessage } from '../../core/http/callbacks.ts';
import type { SlackLinks } from '../../core/slack/links.ts';
import type { Approval, Callback, CallbackEvent } from '../approval.ts';
import { messagePost } from '../approval.ts';
import { withEvent } from '../history.ts';
import { type ApprovalState, type CallbackBody, isFinal, statusOf } from '../intake-contract.ts';
import { digestOf } from '../message/overflow.ts';
import type { CallBack, StepRules } from './step-rules.ts';

/**
 * The source is told what became of its request. A receiver may be slow: the call goes on after the step, without
 * the lease, and its end comes back as a signal, so that no click waits for it. A process that dies meanwhile
 * leaves the note of its attempt, and the same is sent again, with the same id.
 */

/** busy: too many are on their way to this source. */
type CalledBack = CallbackEnd | { readonly kind: 'begun' | 'busy' | 'unwanted' };

/** The news in a change of the approval, each to be told once. */
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

/** One at a time is on its way, the oldest that is due. */
export function dueCallback({ callbacks = [] }: Approval, now: number): Due<CallBack> {
  const open = callbacks.flatMap(({ attempt }) => attempt?.mustEndBy ?? []);
  const endsAt = Math.max(0, ...open);
  if (now < endsAt) return endsAt;
  const next = firstReady(callbacks, now);
  if (next === null || typeof next === 'number') return next;
  const { event, at } = next;
  return { kind: 'call-back', event, at, plannedAt: now };
}

export const callBack: StepRules<CallBack, CalledBack> = {
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

  /** What ends late was sent again meanwhile, unless it was taken. */
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
        // 1, 5, 25 s and so on, at most an hour.
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

/** Many that found no room do not all come back at once. */
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

/** Of one that tells the end of a request, its history says whether it was taken. */
function ended(approval: Approval, named: Named, isTaken: boolean, now: number): Approval {
  const { event } = named;
  const left = without(approval, named);
  const isKept = event !== 'approval.posted' && event !== 'approval.blocked';
  const isFirst = findIn(approval, named) !== undefined;
  return isKept && isFirst ? withEvent(left, { kind: 'callback', event, isTaken }, now) : left;
}

/** The receiver takes them: what was waiting for its next try need not. */
function nowDue(approval: Approval): Approval {
  if (approval.callbacks === undefined) return approval;
  return { ...approval, callbacks: approval.callbacks.map(({ notBefore, ...each }) => each) };
}

/** What the source reads: as it was at that time. */
export function messageOf(
  id: string,
  approval: Approval,
  { event, at }: Named,
  links: SlackLinks,
): CallbackMessage {
  const { key, outcome, channel } = approval;
  const { ts } = messagePost(approval);
  // Where it is not certain whose decision counted, nobody is named: a program reads no small print.
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
      permalink: ts === undefined ? null : (links.message(channel, ts) ?? null),
    },
  };
  const name = event.slice(event.indexOf('.') + 1);
  // A request is posted or blocked again; its end comes once, also from a store that forgot it.
  const isRepeatable = event === 'approval.posted' || event === 'approval.blocked';
  const messageId = isRepeatable ? `${id}-${name}-${at}` : `${id}-${name}`;
  return { id: messageId, body: JSON.stringify(body) };
}

/** Of a decision it is the outcome's. */
const STATUSES: Readonly<Partial<Record<CallbackEvent, CallbackBody['data']['status']>>> = {
  'approval.posted': 'PENDING',
  'approval.blocked': 'BLOCKED',
  'approval.timed_out': 'TIMED_OUT',
  'approval.withdrawn': 'WITHDRAWN',
};
