import { type Case, rightsOf } from '../case.ts';
import { adds, BALLOT, hasFailed, logged, type RuleMet, row, told } from './row.ts';

/** Who may decide it, and who asked for it. */
export const REVIEWER_ROWS: readonly RuleMet[] = [
  row('reviewers', 'left out by the request, and pressed', (seen) =>
    adds(seen, 'reviewers') ? told(seen, /^You are not a reviewer of /) : 0,
  ),
  row('reviewers', 'gone after they approved', (seen) => told(seen, /no longer counts: /)),
  row('reviewers', 'taken off the route, and pressed', (seen) =>
    wasReloaded(seen) && !adds(seen, 'reviewers')
      ? told(
          seen,
          /^You are not a reviewer of |reviewers of (?:this request|its route) were changed/,
        )
      : 0,
  ),
  row('reviewers', 'taken off while the status is read', takenOffMeanwhile),
  row('reviewers', 'gone before their decision is sent again', (seen) =>
    hasFailed(seen) ? told(seen, / does not count\. While it was waiting, /) : 0,
  ),
  row('reviewers', 'rejected what may be rejected already', (seen) =>
    Math.max(0, rejectedBy(seen).size - 1),
  ),

  row('requester', 'pressed', (seen) => told(seen, /^You asked for /)),
  row('requester', 'proved, and pressed', (seen) =>
    seen.approval.isProved === true ? told(seen, /^You asked for /) : 0,
  ),
  row('requester', 'known by an address alone', (seen) =>
    isKnownByAddress(seen)
      ? told(seen, /^You asked for |could not check whether you asked for /)
      : 0,
  ),
  row('requester', 'by an address that Slack does not know', (seen) =>
    isKnownByAddress(seen) && seen.approval.askers?.includes('U0CLEO') === true
      ? told(seen, /^You asked for /)
      : 0,
  ),
  row('requester', 'the only one who could decide', (seen) =>
    seen.approval.isCalledBack === false
      ? 0
      : logged(seen, 'approvals.blocked', ({ facts }) => facts.code === 'only-requester'),
  ),
];

function wasReloaded({ approval, run }: Case): boolean {
  const until = approval.deadlineAt ?? Number.POSITIVE_INFINITY;
  return (run.reloads ?? []).some((at) => approval.madeAt <= at && at <= until);
}

/** How often the first read after an approval was answered once its author had been taken off the route. */
function takenOffMeanwhile({ approval: { calls, name }, presses, run }: Case): number {
  const isTakenOff = (person: string, from: number, until: number) =>
    rightsOf(run, person).some(
      ({ approval, can, at }) =>
        approval === name && !can && from < at && at < until && run.reloads?.includes(at),
    );
  return presses.filter(({ action, person, at: pressedAt }) => {
    const next = calls.find(({ at }) => at > pressedAt);
    if (action !== 'approve' || next?.operation !== 'read' || next.heard !== true) return false;
    return isTakenOff(person, next.at, next.heardAt ?? next.at);
  }).length;
}

/** Whose reject was accepted. */
function rejectedBy({ audit }: Case): ReadonlySet<string> {
  const own = (audit ?? []).filter(
    ({ action, facts }) =>
      action === BALLOT && facts.action === 'reject' && facts.refused === undefined,
  );
  return new Set(own.map(({ actor }) => actor));
}

function isKnownByAddress({ approval: { askers = [], home } }: Case): boolean {
  return askers.length > 0 && home?.asked.length === 0;
}
