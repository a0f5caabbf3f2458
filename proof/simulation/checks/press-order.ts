import { type Case, postOf, recordOf, violation } from '../case.ts';
import { claimsOf } from '../claims.ts';
import type { Action, AuditSeen, Press, TakeBack, Violation } from '../evidence.ts';

/**
 * Presses count in the order in which they were made, not in that in which they arrive: after an Undo no approval
 * counts that was made before it, and after an approval no older reject of the same person. The log has the order in
 * which they were applied.
 */
export function pressOrder(seen: Case): Violation[] {
  const { audit, run } = seen;
  if (audit === null || run.lapses.length > 0) return [];
  const own = audit.filter(({ record }) => record === seen.records.at(-1));
  return [...countedAgain(seen, own), ...replaced(seen, own)];
}

function countedAgain(seen: Case, own: readonly AuditSeen[]): Violation[] {
  const { takeBacks } = seen;
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

/** A reject was applied after an approval that its person pressed later. */
function replaced({ approval, presses }: Case, own: readonly AuditSeen[]): Violation[] {
  return own.flatMap((entry, place) => {
    const { actor } = entry;
    const isReplaced = own.slice(0, place).some((each) => each.actor === actor && isApproval(each));
    if (!isAccepted(entry, 'reject') || !isReplaced) return [];
    const all = presses.filter((each) => each.person === actor);
    const rejectedAt = all.findLast(({ action }) => action === 'reject')?.at;
    const approvedAt = all.find(({ action }) => action === 'approve')?.at;
    if (rejectedAt === undefined || approvedAt === undefined) return [];
    if (rejectedAt + WHOLE_MS > approvedAt) return [];
    const what = `a reject of ${actor} was counted after the approval that they pressed later`;
    return [violation({ approval }, 'false', what, { person: actor, at: approvedAt })];
  });
}

function isApproval(entry: AuditSeen): boolean {
  return isAccepted(entry, 'approve');
}

function isAccepted({ action, facts }: AuditSeen, what: Action): boolean {
  return action === 'approvals.ballot' && facts.action === what && facts.refused === undefined;
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
