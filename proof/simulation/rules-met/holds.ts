import { acceptedIn, type Case, rightsOf } from '../case.ts';
import { hinders, missedIn, STOPPED, sendsOf, UNDONE } from '../checks/holds.ts';
import { TAKEN_BACK } from '../checks/taking-back.ts';
import { BALLOT, holdsIn, isHeld, logged, type RuleMet, row, SOON_MS, told } from './row.ts';

/** How an approval that is held ends, and what happens meanwhile. */
export const HOLD_ROWS: readonly RuleMet[] = [
  row(
    'hold',
    'ends at the deadline',
    (seen) =>
      holdsIn(seen).filter(({ from, until }) => {
        const latest = (seen.approval.deadlineAt ?? Number.POSITIVE_INFINITY) - 2_000;
        return (
          until < from + (seen.approval.holdMs ?? 0) - 1_500 && Math.abs(until - latest) < 1_500
        );
      }).length,
  ),
  row('hold', 'undone', (seen) => (isHeld(seen) ? told(seen, TAKEN_BACK) : 0)),
  row('hold', 'undone by another', (seen) => told(seen, UNDONE)),
  row('hold', 'rejected by another', (seen) => told(seen, STOPPED)),
  row('hold', 'whoever approved leaves meanwhile', leftWhileHeld),
  row('hold', 'escalated meanwhile', (seen) => {
    const at = acceptedIn(seen)?.answeredAt ?? Number.POSITIVE_INFINITY;
    const { escalates = [] } = seen.approval;
    return holdsIn(seen).filter(({ from, until }) =>
      escalates.some(({ afterMs }) => from < at + afterMs && at + afterMs < until),
    ).length;
  }),
  row(
    'hold',
    'rules reloaded meanwhile',
    (seen) =>
      holdsIn(seen).filter(({ from, until }) =>
        (seen.run.reloads ?? []).some((at) => from < at && at < until),
      ).length,
  ),
  row(
    'hold',
    'over while the store is away',
    (seen) =>
      missedIn(seen).filter(({ to }) =>
        holdsIn(seen).some(({ from, until }) => from > to && from < to + SOON_MS && until > to),
      ).length,
  ),
  row('hold', 'clocks are set forward', (seen) => {
    const [sent = Number.NEGATIVE_INFINITY] = sendsOf(seen);
    const set = seen.run.interruptions.filter(({ what }) => what.startsWith(ALL_CLOCKS));
    return holdsIn(seen).filter(({ from, until }) =>
      set.some(({ from: at }) => from < at && at < until - SURELY_MS && at < sent),
    ).length;
  }),
  row('hold', 'its process stands still, and goes on after another', heldByTwo),
  row(
    'hold',
    'rejected, and checked after its end',
    (seen) =>
      holdsIn(seen).filter(({ from, until }) =>
        seen.presses.some(
          ({ person, action, at }) =>
            action === 'reject' &&
            from < at &&
            at < until - 5_500 &&
            !wasHindered(seen, at, until) &&
            logged(seen, BALLOT, (each) => each.actor === person && (each.at ?? 0) > until) > 0,
        ),
      ).length,
  ),
];

/**
 * How many holds ended with the news for somebody that they can no longer decide, since a moment in it. Where rules have
 * changed for this gate, everybody is authorized again for that reason.
 */
function leftWhileHeld(seen: Case): number {
  const { run, approval } = seen;
  if (run.rights.some((each) => each.approval === approval.name)) return 0;
  return holdsIn(seen).filter(({ from, until }) =>
    seen.told.some(
      ({ person, at: toldAt, text }) =>
        /does not count\. While it was waiting, /.test(text) &&
        toldAt < until + AUTHORIZED_MS &&
        rightsOf(run, person).some(({ at, can }) => !can && from < at && at < until),
    ),
  ).length;
}

const ALL_CLOCKS = 'clock of every process is set forward ';
/** By then it would be sent too early. */
const SURELY_MS = 2_000;

/**
 * How many holds another process went on with, and said so, before the first one did; and no other delay would hide that
 * what the first one waited counts.
 */
function heldByTwo(seen: Case): number {
  const held = holdsIn(seen).toSorted((one, other) => one.from - other.from);
  return seen.run.interruptions.filter(({ what, from, to }) => {
    const before = held.findLast((each) => each.from < from);
    const after = held.find((each) => each.from > from);
    if (before === undefined || after === undefined || !what.endsWith(' stands still'))
      return false;
    const isTakenOver = after.from > from + LEASE_MS && after.until > before.until + LEASE_MS;
    const isBackMeanwhile = after.from < to && to < after.until - CERTAIN_MS;
    const isInTime = sendsOf(seen).some((at) => to < at && at < after.until + PIECE_MS);
    return isTakenOver && isBackMeanwhile && isInTime;
  }).length;
}

/** No other process takes over before. */
const LEASE_MS = 8_000;
const CERTAIN_MS = 1_500;
/** For how long a process waits at a time. */
const PIECE_MS = 490;

/** How long somebody who was authorized is not authorized again. */
const AUTHORIZED_MS = 6_000;

/** Something else may have kept processes from checking a press. */
function wasHindered({ run }: Case, since: number, until: number): boolean {
  return run.interruptions.some((each) => hinders(each) && each.from <= until && each.to >= since);
}
