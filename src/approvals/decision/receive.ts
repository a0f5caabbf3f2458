import type { Applied } from '../../core/engine/flow.ts';
import type { Post } from '../../core/posts/post.ts';
import type { Signal } from '../../core/store/store.ts';
import {
  type Approval,
  type Asker,
  type Click,
  isOpen,
  messagePost,
  type Reachable,
  withPost,
} from '../approval.ts';
import { digestOf } from '../digest.ts';
import { receiveRequester } from '../electorate/requester.ts';
import type { Terms } from '../electorate/terms.ts';
import { withEvent } from '../history.ts';
import {
  blockedIn,
  isFreeOf,
  refusedPosts,
  unshownIn,
  untoldIn,
  withResume,
  withResumesDue,
} from '../lists.ts';
import { isBarSignal, receiveBarChange } from './bars.ts';
import { receiveByFeature, withdrawn } from './feature-hooks.ts';
import { noteAct } from './press-order.ts';
import type { ApprovalSignal } from './signal.ts';
import { isWithdrawn, owe, presentState, repeats, takenBack, withAsker } from './transitions.ts';
import { withdraw, withdrawByRequester } from './withdraw.ts';

/** Receives a click, or a request from the source or from another approval. */
export function receiveSignal(
  approval: Approval,
  signal: Signal,
  body: ApprovalSignal,
  terms: Terms,
): Applied<Approval> {
  const received = receiveBody(approval, signal, body, terms);
  return { ...received, data: withResumesDue(approval, received.data) };
}

function receiveBody(
  approval: Approval,
  signal: Signal,
  body: ApprovalSignal,
  terms: Terms,
): Applied<Approval> {
  switch (body.kind) {
    case 'ballot': {
      const { action, asker, reason } = body;
      const said = reason === undefined ? {} : { reason };
      const click = { id: signal.id, at: signal.at, action, ...asker, ...said };
      // Once decided or withdrawn, that is the news, whatever was shown.
      const [digest, elsewhere = ''] = body.digest?.split('.') ?? [];
      const isToCompare = digest !== undefined && isOpen(approval);
      if (isToCompare && digest !== digestOf(approval)) {
        const owing = owe(approval, click, 'refusal', { code: 'changed' });
        const event = { kind: 'not-counted', by: asker.user, why: 'changed' } as const;
        return { data: withEvent(owing, event, signal.at) };
      }
      const { acted, round = digest && elsewhere } = body;
      const seen = touched(approval, body.message);
      // Once it is over, that is the news.
      const { data, refused } = isOpen(approval)
        ? noteAct(seen, { asker: click, acted, round, action }, terms)
        : { data: seen };
      return refused ?? { data: receiveClick(data, click) };
    }
    case 'check':
      if (body.again !== undefined) return receiveRequester(approval, body.again);
      return { data: receiveCheck(touched(approval, body.message), signal.at, body.asker, terms) };
    case 'take-back': {
      const asker = { ...body.asker, at: signal.at };
      const act = { asker, acted: body.acted, round: body.round, action: undefined };
      const { data, refused } = isOpen(approval)
        ? noteAct(approval, act, terms)
        : { data: approval };
      // There is no reply for the sentence to replace.
      const about = body.message ? 'state' : 'taken-back';
      return refused ?? takenBack(data, asker, terms, about);
    }
    case 'reviewed': {
      const click = { id: signal.id, at: signal.at, action: 'approve', ...body.asker } as const;
      return { data: receiveReview(touched(approval, body.message), click) };
    }
    case 'absences':
      return { data: receiveAbsences(approval, signal.at) };
    case 'resume':
      return { data: receiveResume(approval, body.list) };
    case 'withdraw':
      return body.asker === undefined
        ? withdraw(approval, terms, signal.at)
        : withdrawByRequester(approval, { ...body.asker, at: signal.at }, terms);
    default:
      if (isBarSignal(body)) return { data: receiveBarChange(approval, body) };
      return receiveByFeature(approval, body, terms, signal.at, withdraw);
  }
}

function receiveClick(approval: Approval, click: Click): Approval {
  const { outcome, withdrawnAt } = approval;
  if (outcome === undefined && withdrawnAt !== undefined)
    return owe(approval, click, 'late', withdrawn(approval));
  if (outcome === undefined) return { ...approval, queue: queuedWith(approval.queue, click) };
  if (repeats(click, outcome)) return approval;
  return owe(approval, click, 'late', { code: 'decided', outcome, action: click.action });
}

/** Authorized later, like any other press. */
function receiveReview(approval: Approval, click: Click): Approval {
  const { self } = approval.outcome ?? {};
  if (self === undefined) return owe(approval, click, 'state', presentState(approval));
  if (self.reviewed !== undefined) {
    return owe(approval, click, 'state', { code: 'reviewed', by: self.reviewed.by });
  }
  return { ...approval, queue: queuedWith(approval.queue, { ...click, reviews: true }) };
}

/** The same button pressed again while the first press waits counts once, and is answered by the newest route. */
function queuedWith(queue: readonly Click[], click: Click): readonly Click[] {
  const isSame = (each: Click) => each.user === click.user && each.action === click.action;
  if (!queue.some(isSame)) return [...queue, click];
  return queue.map((each) => (isSame(each) ? { ...each, ...click } : each));
}

function receiveCheck(
  approval: Approval,
  at: number,
  asker: Reachable | undefined,
  { timing }: Terms,
): Approval {
  const { outcome, watch } = approval;
  if (outcome !== undefined || isWithdrawn(approval)) {
    if (asker === undefined) return approval;
    return owe(approval, { ...asker, at }, 'state', presentState(approval));
  }
  const { lastCheck } = watch;
  const checker = asker && { ...asker, at, checks: true as const };
  const isRecent = lastCheck !== undefined && at < lastCheck.at + timing.checkEveryMs;
  if (checker !== undefined && isRecent && lastCheck.isRefused === undefined) {
    return checkedAlready(approval, checker);
  }
  const askers = checker === undefined ? watch.askers : withAsker(watch, checker);
  // A person is answered; an automation reads the record, so polling restarts, at once.
  const { ended, ...watched } = watch;
  const seen = asker === undefined ? { ...watched, slot: true as const } : watch;
  const check = asker && { lastCheck: { at, nextAt: watch.nextAt } };
  const due = { ...seen, nextAt: at, ...(askers && { askers }), ...check };
  return { ...postableNow(approval, messagePost(approval)), watch: due };
}

/** A press soon after another one waits for the same answer, or gets it at once. */
function checkedAlready(approval: Approval, asker: Asker): Approval {
  const { watch } = approval;
  if (watch.askers === undefined) return owe(approval, asker, 'state', presentState(approval));
  return { ...approval, watch: { ...watch, askers: withAsker(watch, asker) } };
}

/** Who is away is read again. */
function receiveAbsences(approval: Approval, changedAt: number): Approval {
  const { absent = { at: approval.createdAt } } = approval;
  return isOpen(approval) ? { ...approval, absent: { ...absent, changedAt } } : approval;
}

/** If it was decided, withdrawn or posted in the meantime, it passes the resume on to the next ones. */
function receiveResume(approval: Approval, list: string): Approval {
  if (isFreeOf(approval, list)) return withResume(approval, list);
  if (list === unshownIn(approval.channel)) return showableNow(approval);
  if (list === blockedIn(approval.channel)) return postableNow(approval, messagePost(approval));
  const refused = refusedPosts(approval);
  return refused
    .filter(({ channel = '' }) => untoldIn(channel) === list)
    .reduce(postableNow, approval);
}

/** Retries what Slack refused: the bot may have been invited since. */
function postableNow(approval: Approval, post: Post): Approval {
  if (post.notBefore === undefined || post.attempt !== undefined) return approval;
  // A reserved slot is kept: others have theirs before it.
  if (post.slot !== undefined) return approval;
  const { notBefore, ...rest } = post;
  return withPost(approval, rest);
}

/** Somebody is looking at the message: worth another try to update it. */
function touched(approval: Approval, message: string | undefined): Approval {
  return showableNow(adopt(approval, message));
}

/** Retries an update that Slack refused, even after giving up. */
function showableNow(approval: Approval): Approval {
  const { tries, ...update } = approval.update ?? {};
  if (update.gaveUpOn === undefined) return approval;
  return { ...approval, update: { ...update, resumed: true } };
}

/** A click proves that the message exists, even if the response to its post was lost. */
function adopt(approval: Approval, message: string | undefined): Approval {
  const post = messagePost(approval);
  if (message === undefined || post.ts !== undefined) return approval;
  if (post.gone?.includes(message)) return approval;
  const { attempt, notBefore, tries, refused, failed, ...rest } = post;
  return withPost(approval, { ...rest, ts: message });
}
