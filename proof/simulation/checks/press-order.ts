import { type Case, postOf, recordOf, violation } from '../case.ts';
import { claimsOf } from '../claims.ts';
import type { AuditSeen, Press, TakeBack, Violation } from '../evidence.ts';

/**
 * Presses count in the order in which they were made, not in that in which they arrive: after an Undo no approval
 * counts that was made before it. The log has the order in which they were applied.
 */
export function pressOrder(seen: Case): Violation[] {
  const { audit, run, takeBacks } = seen;
  if (audit === null || run.lapses.length > 0) return [];
  const own = audit.filter(({ record }) => record === seen.records.at(-1));
  const place = own.findIndex(({ action }) => action === 'approvals.taken-back');
  const by = own[place]?.actor;
  const undo = takeBacks.find(({ person }) => person === by);
  if (undo === undefined) return [];
  const counted = own.slice(place + 1).filter(isApproval);
  return [...new Set(counted.map(({ actor }) => actor))].flatMap((actor) => {
    const presses = seen.presses.filter((each) => each.person === actor && isAfter(each, undo));
    const count = counted.filter((each) => each.actor === actor).length;
    const isOrdered = actor === undo.person || isReopened(seen, undo, own.slice(0, place));
    if (!isOrdered || count <= presses.length) return [];
    const what = `an approval of ${actor} was counted that was made before ${undo.person} undid it`;
    return [violation(seen, 'false', what, { person: actor, at: undo.at })];
  });
}

function isApproval({ action, facts }: AuditSeen): boolean {
  return action === 'approvals.ballot' && facts.action === 'approve' && facts.refused === undefined;
}

/** The time of a form is known in whole seconds. */
const WHOLE_MS = 1_000;

/** Or it may have been: a press that is not on the message does not say what the message showed. */
function isAfter(press: Press, undo: TakeBack): boolean {
  const { person, at, isElsewhere, isOfSeveral, isWithReason } = press;
  const isOfForm = isOfSeveral === true || isWithReason === true;
  return (
    at + (isOfForm ? WHOLE_MS : 0) >= undo.at || (person !== undo.person && isElsewhere === true)
  );
}

/** It certainly ended a hold, so that earlier presses of others do not count either. */
function isReopened(seen: Case, { person, at }: TakeBack, before: readonly AuditSeen[]): boolean {
  const last = seen.messages
    .filter((each) => recordOf(each) === seen.records.at(-1) && postOf(each) === 'message')
    .flatMap(({ versions }) => versions.filter((version) => version.at <= at))
    .at(-1);
  const isHeld = last !== undefined && claimsOf(last).held?.by.includes(person) === true;
  return isHeld && before.every(({ facts }) => facts.refused === undefined);
}
