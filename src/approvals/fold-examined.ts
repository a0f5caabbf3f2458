import type { FailureFacts } from '../lib/failure.ts';
import type { Folded } from '../reconcile/flow.ts';
import { RETRY_MS } from '../reconcile/patience.ts';
import type { NewAuditEntry } from '../store/store.ts';
import { type Approval, type Ballot, type Click, NO_SENDS } from './approval.ts';
import { CLOSED, droppedNote, progressSentence } from './message/sentences.ts';
import { foldRechecked, isRecheck, recheckBallots, uncheckedCode } from './recheck.ts';
import { type RefusalCode, refusalSentence } from './refusal.ts';
import { isSealed } from './sealed.ts';
import type { FailedStep, StepResult } from './step.ts';
import { quorumOf, type Terms, votersFor } from './terms.ts';
import { nextTryAt } from './timing.ts';
import { tell } from './transitions.ts';
import { isUnreached } from './trouble.ts';

/** Folds what was found out about a person who clicked. */
export function foldExamined(
  approval: Approval,
  click: Click,
  result: StepResult,
  terms: Terms,
  now: number,
): Folded<Approval> {
  const { decision } = approval;
  if (isRecheck(decision, click)) return foldRechecked(approval, decision, result, terms, now);
  const waiting = approval.queue.find((each) => each.id === click.id);
  // Answered meanwhile: the outcome was learned, or another holder examined it.
  if (waiting === undefined) return { data: approval };
  if (result.kind === 'failed') return { data: tryLater(approval, waiting, result, now) };
  const rest = { ...approval, queue: approval.queue.filter((each) => each !== waiting) };
  if (result.kind === 'not-allowed') {
    const text = refusalSentence(result.code, approval, terms);
    const data = tell(upToDate(rest, result.code), waiting, text);
    return { data, audit: [entry(waiting, { refused: result.code })] };
  }
  if (result.kind !== 'accepted') throw new Error(`an examination does not end as ${result.kind}`);
  const ballot: Ballot = {
    user: waiting.user,
    action: waiting.action,
    at: waiting.at,
    ...(result.serviceUser !== undefined && { serviceUser: result.serviceUser }),
    ...(result.through !== undefined && { through: result.through }),
    ...(result.reason !== undefined && { reason: result.reason }),
  };
  const others = recheckBallots(rest, result.beside?.others ?? {}, terms, now);
  if (others.failed !== undefined && haveWith(others.data, ballot) >= quorumOf(rest, terms.route)) {
    const data = tryLater({ ...others.data, queue: approval.queue }, waiting, others.failed, now);
    return { data, audit: others.audit };
  }
  const data = count(others.data, ballot, waiting, others.dropped, terms, now);
  const accepted = entry(waiting, { serviceUser: result.serviceUser ?? null });
  return { data, audit: [...others.audit, accepted] };
}

/** A button that did not ask for the reason that is needed is of an older configuration: it is shown anew. */
function upToDate(approval: Approval, refused: RefusalCode): Approval {
  const { shown, ...rest } = approval;
  return refused === 'reason-missing' ? rest : approval;
}

/** A person's latest ballot counts; one reject decides, approvals decide at the quorum. */
function count(
  approval: Approval,
  ballot: Ballot,
  click: Click,
  dropped: readonly string[],
  terms: Terms,
  now: number,
): Approval {
  const others = approval.ballots.filter((each) => each.user !== ballot.user);
  const counted = { ...approval, ballots: [...others, ballot] };
  const have = haveWith(approval, ballot);
  const needed = quorumOf(approval, terms.route);
  if (ballot.action === 'approve' && have < needed) {
    const note = dropped.length > 0 ? ` ${droppedNote(dropped)}` : '';
    return tell(counted, click, `${progressSentence(have, needed)}${note}`);
  }
  const { id, action, reason, tries, notBefore, unreached, ...asker } = click;
  return {
    ...counted,
    decision: {
      action: ballot.action,
      by: ballot.user,
      ...(ballot.serviceUser !== undefined && { serviceUser: ballot.serviceUser }),
      at: now,
      asker,
      phase: { name: 'look', tries: 0, notBefore: afterDoubts(approval, now), sends: NO_SENDS },
    },
  };
}

/** How many approve once a ballot has taken the place of the person's last one. */
function haveWith({ ballots }: Approval, ballot: Ballot): number {
  const others = ballots.filter(({ user }) => user !== ballot.user);
  return votersFor('approve', [...others, ballot]).length;
}

/** What was sent for somebody else may still be on its way: it goes first. */
export function afterDoubts({ doubts = [] }: Approval, now: number): number {
  return Math.max(now, ...doubts.map(({ quietAt }) => quietAt));
}

/**
 * Slack or the service did not answer. Nobody is let in on that ground. A service that cannot be
 * reached is tried for half a minute, as for a decision; otherwise nobody waits for long.
 */
function tryLater(approval: Approval, click: Click, failed: FailedStep, now: number): Approval {
  const { failure, of } = failed;
  const { tries = 0 } = click;
  const isRefused = failure.class === 'refused' && failure.status !== 429;
  const unreached = of === 'service' && isUnreached(failure);
  const isPatient = unreached || click.unreached === true;
  const notBefore = isPatient ? laterInTime(failure, click, now) : later(failure, tries, now);
  const others = approval.queue.filter((each) => each !== click);
  if (isRefused || notBefore === undefined) {
    const text = CLOSED[isSealed(failure) ? 'sealed' : uncheckedCode(failed)];
    return tell({ ...approval, queue: others }, click, text);
  }
  // To the end of the queue: somebody else's check may work.
  const again = { ...click, tries: tries + 1, notBefore, ...(unreached && { unreached }) };
  return { ...approval, queue: [...others, again] };
}

/** undefined: it was tried for long enough. */
function laterInTime(
  { code, retryAfterMs = 0 }: FailureFacts,
  { tries = 0, at: pressedAt }: Click,
  now: number,
): number | undefined {
  const nextAt = nextTryAt({ pressedAt, tries, isTimeout: code === 'timeout' }, now);
  return nextAt && Math.max(nextAt, now + retryAfterMs);
}

/** Who would have to wait longer is told to come back. */
const LONGEST_WAIT_MS = 10_000;

/** undefined: asking again is of no use, or would take too long. */
function later({ retryAfterMs = 0 }: FailureFacts, tries: number, now: number): number | undefined {
  const waitMs = RETRY_MS[tries];
  if (waitMs === undefined || retryAfterMs > LONGEST_WAIT_MS) return undefined;
  return now + Math.max(waitMs, retryAfterMs);
}

function entry(click: Click, facts: NewAuditEntry['facts']): NewAuditEntry {
  return {
    action: 'approvals.ballot',
    record: null,
    actor: click.user,
    facts: { action: click.action, ...facts },
  };
}
