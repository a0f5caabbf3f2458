import type { Applied } from '../../core/engine/flow.ts';
import {
  type Approval,
  type Asker,
  isOpen,
  isOwnGate,
  messagePost,
  withPost,
} from '../approval.ts';
import type { Terms } from '../electorate/terms.ts';
import { endUnsent } from './decision.ts';
import type { Withdrawing } from './feature-hook.ts';
import { withdrawn } from './feature-hooks.ts';
import type { Statement } from './statement.ts';
import { mustRecall } from './store-rewind.ts';
import { isWithdrawn, owe, toldWithdrawn, withAsker } from './transitions.ts';

/**
 * Withdraws a request without a decision. A decision that is in flight, or may have been accepted, is still looked up;
 * an unsent one is dropped, and everybody waiting is told.
 */
export function withdraw(
  approval: Approval,
  terms: Terms,
  at: number,
  more: Withdrawing = {},
): Applied<Approval> {
  if (!isOpen(approval) || isPastDeadline(approval, at)) return { data: approval };
  const { queue, ...rest } = approval;
  const watch = { ...rest.watch, nextAt: Math.min(rest.watch.nextAt, at) };
  const isToRecall = isOwnGate(approval) && mustRecall(approval, terms);
  const { why, facts = {}, actor = approval.source } = more;
  const taken = { ...rest, queue: [], watch, withdrawnAt: at, ...why };
  const closed = endUnsent(isToRecall ? unrecalled(taken) : taken, terms.timing, at);
  const statement = withdrawn(closed);
  const told = queue.reduce((owing, click) => owe(owing, click, 'late', statement), closed);
  const data = isWithdrawn(told) ? toldWithdrawn(told) : watchedOn(told);
  const entry = { action: 'approvals.withdrawn', record: null, actor, facts };
  return { data, audit: [entry] };
}

/** Its requester withdraws it, and is told how it stands. */
export function withdrawByRequester(
  approval: Approval,
  asker: Asker,
  terms: Terms,
): Applied<Approval> {
  const { user } = asker;
  const told = (data: Approval, statement: Statement) => owe(data, asker, 'state', statement);
  const { outcome, withdrawnAt } = approval;
  if (outcome !== undefined) return { data: told(approval, { code: 'outcome', outcome }) };
  // They are told when the record says that it timed out.
  if (isPastDeadline(approval, asker.at)) return { data: withWaiting(approval, asker) };
  const isFirst = withdrawnAt === undefined;
  const by = { why: { withdrawnBy: user }, actor: user };
  const { data, audit = [] } = withdraw(approval, terms, asker.at, by);
  if (data.unrecalled === true) {
    // They are told once its message was read.
    return { data: withWaiting(data, asker), audit };
  }
  if (!isWithdrawn(data)) return { data: told(data, { code: 'withdrawn-late' }), audit };
  return { data: told(data, { code: isFirst ? 'you-withdrew' : 'withdrawn-state' }), audit };
}

/** An own gate that was open at its deadline timed out then, whether or not anybody has read that yet. */
function isPastDeadline(approval: Approval, at: number): boolean {
  const { expiresAt, withdrawnAt } = approval;
  const isOver = withdrawnAt === undefined && expiresAt !== undefined && at >= expiresAt;
  return isOver && isOwnGate(approval);
}

function withWaiting(approval: Approval, asker: Asker): Approval {
  const askers = withAsker(approval.watch, asker);
  return { ...approval, watch: { ...approval.watch, askers } };
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
