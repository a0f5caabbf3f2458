import type { Applied } from '../core/engine/flow.ts';
import type { Signal } from '../core/store/store.ts';
import {
  type Action,
  type Approval,
  type Asker,
  type Click,
  isOwnGate,
  messagePost,
  type Reachable,
  type SupersededBy,
  type Watch,
  withPost,
} from './approval.ts';
import { endUnsent } from './decision.ts';
import { withEvent } from './history.ts';
import { isOpen } from './lists.ts';
import { digestOf } from './message/overflow.ts';
import { reviewedSentence } from './message/self-approval.ts';
import {
  CHANGED,
  decidedSentence,
  outcomeSentence,
  WITHDRAWN_STATE,
  withdrawnSentence,
} from './message/sentences.ts';
import type { Terms } from './policy.ts';
import { type ResultReport, receiveReport } from './result/result.ts';
import { mustRecall } from './store-rewind.ts';
import { blockedIn, isFreeOf, withResume, withResumesDue } from './suspension.ts';
import {
  isWithdrawn,
  owe,
  presentSentence,
  repeats,
  takenBack,
  toldWithdrawn,
} from './transitions.ts';

/** What happens to an approval from outside, as its inbox holds it. Written and read by Gatepost alone. */
export type ApprovalSignal =
  | {
      readonly kind: 'ballot';
      readonly action: Action;
      readonly asker: Reachable;
      /** Sealed. */
      readonly reason?: string;
      /** The message that was clicked; absent: it was pressed elsewhere. */
      readonly message?: string;
      /** Of what was shown to whoever pressed elsewhere. */
      readonly digest?: string;
    }
  /** Ask the service now; `asker` waits for the response. */
  | { readonly kind: 'check'; readonly asker?: Reachable; readonly message?: string }
  /** Somebody takes their approval back. `message`: the request's, if they pressed there. */
  | { readonly kind: 'take-back'; readonly asker: Reachable; readonly message?: string }
  /** Somebody has looked at what its requester approved themself. */
  | { readonly kind: 'reviewed'; readonly asker: Reachable; readonly message?: string }
  /** Somebody whom it may ask is away from now on, or is back. */
  | { readonly kind: 'absences' }
  /** What suspended those on the list works again, for others. */
  | { readonly kind: 'resume'; readonly list: string }
  /** The source takes the request back. */
  | { readonly kind: 'withdraw' }
  /** Another request of the source with the same name is newer, unless its `order` is less. */
  | { readonly kind: 'supersede'; readonly order: string; readonly by: SupersededBy }
  /** The source reports what became of what was approved. */
  | { readonly kind: 'report'; readonly report: ResultReport };

export function encodeSignal(signal: ApprovalSignal): string {
  return JSON.stringify(signal);
}

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
      // Of one that is decided or withdrawn that is what they have to know.
      const isToCompare = body.digest !== undefined && isOpen(approval);
      if (isToCompare && body.digest !== digestOf(approval)) {
        const owing = owe(approval, click, 'refusal', CHANGED);
        const event = { kind: 'not-counted', by: asker.user, why: 'changed' } as const;
        return { data: withEvent(owing, event, signal.at) };
      }
      return { data: receiveClick(touched(approval, body.message), click) };
    }
    case 'check':
      return { data: receiveCheck(touched(approval, body.message), signal.at, body.asker, terms) };
    case 'take-back': {
      const asker = { ...body.asker, at: signal.at };
      // Nothing takes the place of the message.
      return takenBack(approval, asker, terms.route, body.message ? 'state' : 'taken-back');
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
      return withdraw(approval, terms, signal.at);
    case 'supersede':
      return receiveSupersede(approval, body, terms, signal.at);
    case 'report':
      return receiveReport(approval, body.report, signal.at);
  }
}

function receiveClick(approval: Approval, click: Click): Approval {
  const { outcome, withdrawnAt } = approval;
  if (outcome === undefined && withdrawnAt !== undefined)
    return owe(approval, click, 'late', withdrawnSentence(approval));
  if (outcome === undefined) return { ...approval, queue: queuedWith(approval.queue, click) };
  if (repeats(click, outcome)) return approval;
  return owe(approval, click, 'late', decidedSentence(outcome, click.action));
}

/** Who may do that is found out as of any other press. */
function receiveReview(approval: Approval, click: Click): Approval {
  const { outcome, queue } = approval;
  if (outcome?.self?.reviewed !== undefined) {
    return owe(approval, click, 'state', reviewedSentence(outcome.self.reviewed.by));
  }
  if (outcome?.self !== undefined) {
    return { ...approval, queue: queuedWith(queue, { ...click, reviews: true }) };
  }
  const text = outcome === undefined ? presentSentence(approval) : outcomeSentence(outcome);
  return owe(approval, click, 'state', text);
}

/** Pressing the same button again while the first press waits is one press, answered the newest way. */
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
  if (outcome !== undefined) {
    if (asker === undefined) return approval;
    return owe(approval, { ...asker, at }, 'state', outcomeSentence(outcome));
  }
  if (isWithdrawn(approval)) {
    return asker === undefined
      ? approval
      : owe(approval, { ...asker, at }, 'state', WITHDRAWN_STATE);
  }
  const { lastCheck } = watch;
  const checker = asker && { ...asker, at, checks: true as const };
  const isRecent = lastCheck !== undefined && at < lastCheck.at + timing.checkEveryMs;
  if (checker !== undefined && isRecent && lastCheck.isRefused === undefined) {
    return checkedAlready(approval, checker);
  }
  const askers = checker === undefined ? watch.askers : withAsker(watch, checker);
  // A person is answered; an automation learns from the record, which is therefore watched again, and at once.
  const { ended, ...watched } = watch;
  const seen = asker === undefined ? { ...watched, slot: true as const } : watch;
  const check = asker && { lastCheck: { at, nextAt: watch.nextAt } };
  const due = { ...seen, nextAt: at, ...(askers && { askers }), ...check };
  return { ...postableNow(approval), watch: due };
}

/** Who presses soon after somebody else waits for the same answer, or gets it at once. */
function checkedAlready(approval: Approval, asker: Asker): Approval {
  const { watch } = approval;
  if (watch.askers === undefined) return owe(approval, asker, 'state', presentSentence(approval));
  return { ...approval, watch: { ...watch, askers: withAsker(watch, asker) } };
}

function withAsker({ askers = [] }: Watch, asker: Asker): readonly Asker[] {
  return [...askers.filter(({ user }) => user !== asker.user), asker];
}

function receiveAbsences(approval: Approval, changedAt: number): Approval {
  const { absent = { at: approval.createdAt } } = approval;
  return isOpen(approval) ? { ...approval, absent: { ...absent, changedAt } } : approval;
}

/** One that was decided, withdrawn or posted meanwhile leaves it to those behind it. */
function receiveResume(approval: Approval, list: string): Approval {
  if (isFreeOf(approval, list)) return withResume(approval, list);
  return list === blockedIn(approval.channel) ? postableNow(approval) : showableNow(approval);
}

/**
 * Takes a request back without deciding anything. A decision that is on its way, or may have been
 * taken, is still looked up; one that was not sent is not sent any more, and who waits is told.
 */
function withdraw(
  approval: Approval,
  terms: Terms,
  at: number,
  supersededBy?: SupersededBy,
): Applied<Approval> {
  if (!isOpen(approval)) return { data: approval };
  const { queue, ...rest } = approval;
  const watch = { ...rest.watch, nextAt: Math.min(rest.watch.nextAt, at) };
  const isToRecall = isOwnGate(approval) && mustRecall(approval, terms);
  const by = supersededBy && { supersededBy };
  const taken = { ...rest, queue: [], watch, withdrawnAt: at, ...by };
  const closed = endUnsent(isToRecall ? unrecalled(taken) : taken, terms.timing, at);
  const sentence = withdrawnSentence(closed);
  const told = queue.reduce((owing, click) => owe(owing, click, 'late', sentence), closed);
  const data = isWithdrawn(told) ? toldWithdrawn(told) : watchedOn(told);
  const facts = supersededBy === undefined ? {} : { supersededBy: supersededBy.id };
  const entry = { action: 'approvals.withdrawn', record: null, actor: approval.source, facts };
  return { data, audit: [entry] };
}

/** One that is newer itself, and did not see the other one when it looked, looks again. */
function receiveSupersede(
  approval: Approval,
  { order, by }: Extract<ApprovalSignal, { kind: 'supersede' }>,
  terms: Terms,
  at: number,
): Applied<Approval> {
  const { supersedes } = approval;
  if (supersedes === undefined || supersedes.order < order) {
    return withdraw(approval, terms, at, by);
  }
  const { isDone, ...again } = supersedes;
  return { data: isDone === undefined ? approval : { ...approval, supersedes: again } };
}

/**
 * Its message is looked for once more, and at once unless it is being looked for: also one that was given up, since
 * the store may have forgotten that it was posted again to state an outcome.
 */
function unrecalled(approval: Approval): Approval {
  const { soughtAt, slot, notBefore, failed, ...post } = messagePost(approval);
  const waits = post.attempt !== undefined && notBefore !== undefined ? { notBefore } : {};
  return { ...withPost(approval, { ...post, ...waits }), unrecalled: true };
}

/** Watched even if it was not any more: what became of a decision is asked once more, at least. */
function watchedOn(approval: Approval): Approval {
  const { ended, ...watch } = approval.watch;
  return { ...approval, watch };
}

/** A message that Slack refused is tried again: the bot may have been invited since. */
function postableNow(approval: Approval): Approval {
  const post = messagePost(approval);
  if (post.notBefore === undefined || post.attempt !== undefined) return approval;
  // A slot that was taken is waited for, whoever asks: others have theirs before it.
  if (post.slot !== undefined) return approval;
  const { notBefore, ...rest } = post;
  return withPost(approval, rest);
}

/** Somebody looks at the message now: it is worth another try to make it say what holds. */
function touched(approval: Approval, message: string | undefined): Approval {
  return showableNow(adopt(approval, message));
}

/** A change that Slack refused is tried again, whatever was given up. */
function showableNow(approval: Approval): Approval {
  const { tries, ...update } = approval.update ?? {};
  if (update.gaveUpOn === undefined) return approval;
  return { ...approval, update: { ...update, resumed: true } };
}

/** A click proves that a message is there, even if the response to its post was lost. */
function adopt(approval: Approval, message: string | undefined): Approval {
  const post = messagePost(approval);
  if (message === undefined || post.ts !== undefined) return approval;
  if (post.gone?.includes(message)) return approval;
  const { attempt, notBefore, tries, refused, failed, ...rest } = post;
  return withPost(approval, { ...rest, ts: message });
}
