import { type FailureFacts, isRefused, RemoteFailure } from '../../core/lib/failure.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import { detailOf } from '../flow/progress.ts';
import type {
  AuditFacts,
  Progress,
  ReadBack,
  ReadPhase,
  ReadResult,
  Rules,
  SendNext,
  Unconfirmed,
  Verdict,
} from '../flow/rules.ts';
import { accountNamed } from './account.ts';
import { type Change, type ChangeTypes, DONE, isDone, type Outcome } from './change.ts';
import {
  type Comparison,
  compareAccounts,
  doneWith,
  pendingOf,
  wantedOf,
} from './compare-accounts.ts';
import { troubleOf } from './trouble.ts';

export const CHANGE_KIND = 'account-change';

/** A lost call may be repeated, if reading the accounts shows that this does no harm. */
export const CHANGE_RULES: Rules<ChangeTypes> = {
  kind: CHANGE_KIND,
  audit: 'people',
  factsOf: ({ change }) => factsOf(change),
  outcomeFacts(outcome) {
    if (!isDone(outcome)) return {};
    const { found = false, account } = outcome;
    return { found, ...(account !== null && { account: account.id }) };
  },
  confirms: ({ kind }) => CONFIRMING.has(kind),
  isDoneOnce: false,
  verdict: answerVerdict,
  isSuccess: isDone,
  settling: new Set<Outcome['code']>([...DONE, 'already', 'not-done']),
  // The account is read again before anything is sent, and the service's problem may have been fixed.
  repeatable: new Set<Outcome['code']>([
    'unknown',
    'not-done',
    'could-not-check',
    'account-not-read',
    'store-not-read',
    'not-reached',
    'busy',
    'unclear',
    'unreadable',
    'conflict',
    'unauthorized',
    'forbidden',
    'absent',
    'refused',
    'redirected',
  ]),
  // Two administrators could otherwise deactivate each other.
  authorizedForMs: ({ change }) => (change.kind === 'deactivate' ? 12_000 : undefined),
  cancelled: { code: 'cancelled' },
  reading: { isFirst: () => true, verdict: readingVerdict },
};

const CONFIRMING: ReadonlySet<string> = new Set<ChangeTypes['answer']['kind']>([
  'provisioned',
  'changed',
  'deactivated',
]);

/** For the audit log: ids and names of attributes, never values. */
function factsOf(change: Change): AuditFacts {
  const what = { what: change.kind };
  const { active, ...texts } = wantedOf(change);
  const attributes = Object.keys(texts).join(', ');
  if (change.kind === 'create') {
    const { kind, id } = change.foreseen;
    return { ...what, foreseen: kind, account: id, attributes };
  }
  const { id } = change.account;
  return { ...what, account: id, ...(attributes !== '' && { attributes }) };
}

/** The service's answer (Interface 4.5). */
function answerVerdict(
  { wish: { change } }: Progress<ChangeTypes>,
  answer: ChangeTypes['answer'],
): Verdict<ChangeTypes> {
  switch (answer.kind) {
    case 'provisioned':
    case 'changed':
      return answer.user === null
        ? { kind: 'read-back', why: 'answered' }
        : { kind: 'done', outcome: doneWith(change, answer.user) };
    case 'deactivated':
      return { kind: 'read-back', why: 'answered' };
    default: {
      const { kind, detail } = answer;
      // Somebody else may have done it first.
      if (kind === 'gone' && change.kind === 'delete') {
        return { kind: 'read-back', why: 'gone', ...detailOf(detail) };
      }
      if (kind === 'conflict') return { kind: 'read-back', why: kind, ...detailOf(detail) };
      return { kind: 'done', outcome: { code: kind, ...detailOf(detail) } };
    }
  }
}

/** The accounts as read: before sending, or to find out the effect of a call. */
function readingVerdict(
  progress: Progress<ChangeTypes>,
  phase: ReadPhase<ChangeTypes>,
  result: ReadResult<ChangeTypes>,
): Verdict<ChangeTypes> {
  const { found } = result;
  const seen =
    'failure' in found ? found.failure : compareAccounts(progress.wish.change, found.reading);
  if (phase.name === 'send') return beforeSending(progress, phase, seen, result);
  if (phase.why === 'lost') return lostVerdict(progress, phase.reads, seen, result);
  return phase.why === 'conflict'
    ? conflictVerdict(progress, phase, seen, result)
    : shownVerdict(progress, phase, seen, result);
}

/** Sends only if everything is as the person saw it. */
function beforeSending(
  { wish: { change }, unconfirmed }: Progress<ChangeTypes>,
  { reads = 0 }: SendNext,
  seen: Comparison | FailureFacts,
  { timing, now }: ReadResult<ChangeTypes>,
): Verdict<ChangeTypes> {
  if ('class' in seen) {
    const waitMs = timing.retryMs[reads];
    if (waitMs === undefined || isRefused(seen))
      return { kind: 'done', outcome: troubleWith(seen) };
    return { kind: 'read-again', notBefore: now + (seen.retryAfterMs ?? waitMs) };
  }
  if (seen.kind === 'untouched') return { kind: 'ready' };
  if (seen.kind !== 'fulfilled') return { kind: 'done', outcome: outcomeOf(seen, unconfirmed) };
  if (unconfirmed === undefined) {
    return { kind: 'done', outcome: { code: change.kind === 'create' ? 'otherwise' : 'already' } };
  }
  // An earlier call whose answer was lost has done it.
  return { kind: 'done', outcome: { ...doneWith(change, seen.account), found: true } };
}

function troubleWith(failure: FailureFacts): Outcome {
  const { code, detail } = troubleOf(new RemoteFailure('read accounts', failure));
  return { code, ...detailOf(detail) };
}

/** The outcome when nothing more is sent. */
function outcomeOf(
  seen: Exclude<Comparison, { kind: 'untouched' | 'fulfilled' }>,
  unconfirmed: Unconfirmed | undefined,
): Outcome {
  if (seen.kind === 'changed') return { code: 'changed-meanwhile', names: seen.names };
  if (seen.kind !== 'collision') return { code: seen.kind };
  // Perhaps it is the one that was created: not every service shows the external id.
  if (unconfirmed !== undefined) return { code: 'unknown' };
  return { code: 'collision', account: accountNamed(seen.account) };
}

/** The service refused it because of a conflict: what somebody else did. */
function conflictVerdict(
  { unconfirmed }: Progress<ChangeTypes>,
  { detail, reads }: ReadBack<ChangeTypes['why']>,
  seen: Comparison | FailureFacts,
  { timing, now }: ReadResult<ChangeTypes>,
): Verdict<ChangeTypes> {
  const isRead = !('class' in seen);
  const waitMs = timing.retryMs[reads];
  if (!isRead && waitMs !== undefined && !isRefused(seen)) {
    return { kind: 'read-again', notBefore: now + (seen.retryAfterMs ?? waitMs) };
  }
  const isExplained = isRead && (seen.kind === 'changed' || seen.kind === 'gone');
  const outcome = isExplained
    ? outcomeOf(seen, unconfirmed)
    : ({ code: 'conflict', ...detailOf(detail) } as const);
  return { kind: 'done', outcome };
}

/** The service said that it is done, or gone, without showing the account: checks its state. */
function shownVerdict(
  { wish: { change } }: Progress<ChangeTypes>,
  { why, detail, reads }: ReadBack<ChangeTypes['why']>,
  seen: Comparison | FailureFacts,
  { timing, now }: ReadResult<ChangeTypes>,
): Verdict<ChangeTypes> {
  const account = 'account' in seen ? seen.account : null;
  const done = doneWith(change, account);
  const isGone = 'kind' in seen && seen.kind === 'gone';
  const isAsSaid = why === 'gone' ? isGone || account !== null : account !== null;
  const waitMs = timing.retryMs[reads];
  // A list may lag behind.
  if ((!isAsSaid || done.unlike.length > 0) && waitMs !== undefined) {
    return { kind: 'read-again', notBefore: now + waitMs };
  }
  const isThere = !isGone && (account === null || done.unlike.length > 0);
  if (why === 'gone' && isThere) {
    return { kind: 'done', outcome: { code: 'gone', ...detailOf(detail) } };
  }
  return { kind: 'done', outcome: done };
}

/** How many times a change, and a creation, is repeated automatically. */
const RESENDS_MAX = 2;
const CREATES_AGAIN_MAX = 1;

/** The accounts as read after a lost answer. */
function lostVerdict(
  { wish: { change }, unconfirmed }: Progress<ChangeTypes>,
  reads: number,
  seen: Comparison | FailureFacts,
  { readAt, timing: { readBackMs }, now }: ReadResult<ChangeTypes>,
): Verdict<ChangeTypes> {
  if (unconfirmed === undefined) throw new Error('what was lost is unconfirmed');
  const soonMs = readBackMs[reads] ?? 0;
  if ('class' in seen) {
    if (reads >= readBackMs.length) return { kind: 'done', outcome: { code: 'unknown' } };
    return { kind: 'read-again', notBefore: now + (seen.retryAfterMs ?? soonMs) };
  }
  if (seen.kind === 'fulfilled') {
    return { kind: 'done', outcome: { ...doneWith(change, seen.account), found: true } };
  }
  // An account that is no longer shown has no access (SCIM answers 404 then).
  if (seen.kind === 'gone' && change.kind === 'delete') {
    return { kind: 'done', outcome: { ...doneWith(change, null), found: true } };
  }
  if (seen.kind !== 'untouched') return { kind: 'done', outcome: outcomeOf(seen, unconfirmed) };
  // An account that is not listed may have been created, and deactivated again.
  if (seen.isPartial !== true && isRepeatedByItself(change, seen.account, unconfirmed, readAt)) {
    return { kind: 'send-again', notBefore: now + readBackMs[0] * unconfirmed.lost };
  }
  const { quietAt } = unconfirmed;
  if (readAt < quietAt) {
    return { kind: 'read-again', notBefore: Math.min(now + Math.max(soonMs, 250), quietAt) };
  }
  const isKnown = seen.isPartial !== true && wouldShow(change, seen.account);
  const code = isKnown ? 'not-done' : 'unknown';
  return { kind: 'done', outcome: { code } };
}

/**
 * A change sets the values it names, so it can be repeated once its own call has ended; other operations only once
 * nothing can be in flight. If an account is, or may be, still deactivated after a lost reactivation, somebody may have
 * deactivated it again: only a person can repeat that.
 */
function isRepeatedByItself(
  change: Change,
  account: UserProfile | null,
  { lost, hasEnded, quietAt }: Unconfirmed,
  readAt: number,
): boolean {
  if (change.kind === 'activate') return false;
  if (change.kind !== 'create') return lost <= RESENDS_MAX && (hasEnded || readAt >= quietAt);
  const isSafe = account === null || account.active === true;
  return lost <= CREATES_AGAIN_MAX && isSafe && readAt >= quietAt;
}

/** Whether the account would show that it was done. */
function wouldShow(change: Change, account: UserProfile | null): boolean {
  if (change.kind === 'create') return change.foreseen.kind !== 'link';
  if (change.kind !== 'edit') return account?.active !== null;
  return account !== null && pendingOf(change, account).some((name) => account[name] !== null);
}
