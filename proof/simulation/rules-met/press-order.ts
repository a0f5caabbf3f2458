import { acceptedBallots } from '../absent.ts';
import { type Case, postOf } from '../case.ts';
import { EARLIER } from '../checks/taking-back.ts';
import type { Press, TakeBack } from '../evidence.ts';
import { isHeld, type RuleMet, row, told } from './row.ts';

/** Presses that arrive late, or are undone late. */
export const PRESS_ORDER_ROWS: readonly RuleMet[] = [
  row('press order', 'before a newer one of the same person', rejectedEarlier),
  row('press order', 'before somebody else undid it', pressedBeforeUndo),
  row('press order', 'undone before it was looked at', (seen) =>
    isHeld(seen) ? told(seen, /\. It is being decided without yours\.$/) : 0,
  ),
  row('press order', 'undone when it was over', (seen) =>
    isHeld(seen) ? seen.takeBacks.filter((each) => isAtNote(seen, each)).length : 0,
  ),
  row('press order', 'taken back while it is being sent', (seen) =>
    told(seen, /\* is being decided with your approval\. Your approval is taken back only if/),
  ),
  row('press order', 'on a deleted message, before the next one is there', pressedOnDeleted),
];

/** How many people read that their reject does not count, because they approved it since. */
function rejectedEarlier({ told: all, presses }: Case): number {
  const first = (person: string, action: Press['action']) =>
    presses.find((each) => each.person === person && each.action === action)?.at ?? Number.NaN;
  return all.filter(
    ({ text, person }) => EARLIER.test(text) && first(person, 'reject') < first(person, 'approve'),
  ).length;
}

/**
 * How many people read that their approval does not count, because somebody undid it after they had pressed, and that
 * was applied before the press arrived.
 */
function pressedBeforeUndo({ told: all, presses, takeBacks, audit }: Case): number {
  const undone = takeBacks.flatMap(({ person, at }) => {
    const entry = audit?.find(
      (each) =>
        each.action === 'approvals.taken-back' && each.actor === person && (each.at ?? 0) >= at,
    );
    return entry?.at === undefined ? [] : [{ person, from: at, at: entry.at }];
  });
  return all.filter(
    ({ text, person }) =>
      /\* was reopened after this press, so it was not counted\./.test(text) &&
      undone.some(
        (undo) =>
          undo.person !== person &&
          presses.some(
            (each) =>
              each.person === person && each.at < undo.from && (each.arrivedAt ?? 0) > undo.at,
          ),
      ),
  ).length;
}

/** It came before the note that it is about to be sent, was applied after it, and nothing was sent in between. */
function isAtNote({ audit, approval }: Case, { person, at: from }: TakeBack): boolean {
  const own = audit ?? [];
  const noted = own.findIndex(({ action, at = 0 }) => action === 'approvals.respond' && at >= from);
  const undone = own
    .slice(noted + 1)
    .find(({ action, actor }) => action === 'approvals.taken-back' && actor === person);
  const until = undone?.at ?? 0;
  return (
    noted >= 0 &&
    undone !== undefined &&
    !approval.tries?.some(
      ({ operation, at }) => operation === 'respond' && at >= from && at <= until,
    )
  );
}

/**
 * How many people approved on its first message just before that was deleted, so that it arrived after the bot had heard
 * so, and before the next one was there; and it counted.
 */
function pressedOnDeleted(seen: Case): number {
  const { messages, presses } = seen;
  const [first, next] = messages.filter((each) => postOf(each)?.startsWith('message') === true);
  const { deletedAt = null, missed } = first ?? {};
  const heardAt = missed?.at ?? null;
  if (deletedAt === null || heardAt === null) return 0;
  const nextAt = next?.versions[0]?.at ?? Number.POSITIVE_INFINITY;
  return presses.filter(
    ({ person, action, at, arrivedAt = 0 }) =>
      action === 'approve' &&
      at < deletedAt &&
      acceptedBallots(seen).some(({ actor }) => actor === person) &&
      arrivedAt > heardAt + HEARD_MS &&
      arrivedAt + HEARD_MS < nextAt,
  ).length;
}

/** From an answer or a press until it is noted. */
const HEARD_MS = 300;
