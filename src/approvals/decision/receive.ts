import type { Applied } from '../../core/engine/flow.ts';
import type { Signal } from '../../core/store/store.ts';
import type { ActedAt } from '../acted-at.ts';
import {
  type Action,
  type Approval,
  type Asker,
  type Click,
  isOpen,
  isOwnGate,
  messagePost,
  type Reachable,
  type SupersededBy,
  type Watch,
  withPost,
} from '../approval.ts';
import { digestOf } from '../digest.ts';
import { type AskedAgain, receiveRequester } from '../electorate/requester.ts';
import type { Terms } from '../electorate/terms.ts';
import { withEvent } from '../history.ts';
import { blockedIn, isFreeOf, withResume, withResumesDue } from '../suspension.ts';
import { endUnsent } from './decision.ts';
import { noteAct } from './press-order.ts';
import { type ResultReport, receiveReport } from './result.ts';
import type { Statement } from './statement.ts';
import { mustRecall } from './store-rewind.ts';
import {
  isWithdrawn,
  owe,
  presentState,
  repeats,
  takenBack,
  toldWithdrawn,
} from './transitions.ts';

/** Signals in an approval's inbox. Only Gatepost writes and reads them. */
export type ApprovalSignal =
  | {
      readonly kind: 'ballot';
      readonly action: Action;
      readonly asker: Reachable;
      /** Sealed. */
      readonly reason?: string;
      /** The message that was clicked; absent: pressed elsewhere. */
      readonly message?: string;
      /** Digest of what was shown and, after a dot, its round, if pressed elsewhere. */
      readonly digest?: string;
      readonly acted?: ActedAt;
      /** Of the message that was clicked. */
      readonly round?: string;
    }
  /**
   * Read the status now; `asker` waits for the answer. `again`: the source asks for the same in somebody's name; earlier
   * versions only read the status.
   */
  | {
      readonly kind: 'check';
      readonly asker?: Reachable;
      readonly message?: string;
      readonly again?: AskedAgain;
    }
  /** A person takes back their approval. `message`: the request's, if pressed there. */
  | {
      readonly kind: 'take-back';
      readonly asker: Reachable;
      readonly message?: string;
      readonly acted?: ActedAt;
      readonly round?: string;
    }
  /** A person reviewed what its requester approved. */
  | { readonly kind: 'reviewed'; readonly asker: Reachable; readonly message?: string }
  /** Somebody whom it may ask left or came back. */
  | { readonly kind: 'absences' }
  /** What suspended the approvals on the list works again for another one. */
  | { readonly kind: 'resume'; readonly list: string }
  /** The source withdraws the request. */
  | { readonly kind: 'withdraw' }
  /** Another request of the source with the same name is newer, unless its `order` is lower. */
  | { readonly kind: 'supersede'; readonly order: string; readonly by: SupersededBy }
  /** The source reports the result of the approved work. */
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
    return owe(approval, click, 'late', withdrawn(approval));
  if (outcome === undefined) return { ...approval, queue: queuedWith(approval.queue, click) };
  if (repeats(click, outcome)) return approval;
  return owe(approval, click, 'late', { code: 'decided', outcome, action: click.action });
}

function withdrawn({ supersededBy }: Approval): Statement {
  return { code: 'withdrawn', isReplaced: supersededBy !== undefined };
}

/** Authorized later, like any other press. */
function receiveReview(approval: Approval, click: Click): Approval {
  const { outcome, queue } = approval;
  if (outcome?.self?.reviewed !== undefined) {
    return owe(approval, click, 'state', { code: 'reviewed', by: outcome.self.reviewed.by });
  }
  if (outcome?.self !== undefined) {
    return { ...approval, queue: queuedWith(queue, { ...click, reviews: true }) };
  }
  const isOver = outcome !== undefined;
  return owe(
    approval,
    click,
    'state',
    isOver ? { code: 'outcome', outcome } : presentState(approval),
  );
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
  if (outcome !== undefined) {
    if (asker === undefined) return approval;
    return owe(approval, { ...asker, at }, 'state', { code: 'outcome', outcome });
  }
  if (isWithdrawn(approval)) {
    return asker === undefined
      ? approval
      : owe(approval, { ...asker, at }, 'state', { code: 'withdrawn-state' });
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
  return { ...postableNow(approval), watch: due };
}

/** A press soon after another one waits for the same answer, or gets it at once. */
function checkedAlready(approval: Approval, asker: Asker): Approval {
  const { watch } = approval;
  if (watch.askers === undefined) return owe(approval, asker, 'state', presentState(approval));
  return { ...approval, watch: { ...watch, askers: withAsker(watch, asker) } };
}

function withAsker({ askers = [] }: Watch, asker: Asker): readonly Asker[] {
  return [...askers.filter(({ user }) => user !== asker.user), asker];
}

function receiveAbsences(approval: Approval, changedAt: number): Approval {
  const { absent = { at: approval.createdAt } } = approval;
  return isOpen(approval) ? { ...approval, absent: { ...absent, changedAt } } : approval;
}

/** If it was decided, withdrawn or posted in the meantime, it passes the resume on to the next ones. */
function receiveResume(approval: Approval, list: string): Approval {
  if (isFreeOf(approval, list)) return withResume(approval, list);
  return list === blockedIn(approval.channel) ? postableNow(approval) : showableNow(approval);
}

/**
 * Withdraws a request without a decision. A decision that is in flight, or may have been accepted, is still looked up;
 * an unsent one is dropped, and everybody waiting is told.
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
  const statement = withdrawn(closed);
  const told = queue.reduce((owing, click) => owe(owing, click, 'late', statement), closed);
  const data = isWithdrawn(told) ? toldWithdrawn(told) : watchedOn(told);
  const facts = supersededBy === undefined ? {} : { supersededBy: supersededBy.id };
  const entry = { action: 'approvals.withdrawn', record: null, actor: approval.source, facts };
  return { data, audit: [entry] };
}

/** A newer request that did not find this one on its list looks again. */
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
 * Its message is looked for again, at once unless a search is already running, even if it was given up: the store may
 * have lost that it was posted again to state an outcome.
 */
function unrecalled(approval: Approval): Approval {
  const { soughtAt, slot, notBefore, failed, ...post } = messagePost(approval);
  const waits = post.attempt !== undefined && notBefore !== undefined ? { notBefore } : {};
  return { ...withPost(approval, { ...post, ...waits }), unrecalled: true };
}

/** Resumes polling if it had stopped: the effect of a decision is read again at least once. */
function watchedOn(approval: Approval): Approval {
  const { ended, ...watch } = approval.watch;
  return { ...approval, watch };
}

/** Retries a message that Slack refused: the bot may have been invited since. */
function postableNow(approval: Approval): Approval {
  const post = messagePost(approval);
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
