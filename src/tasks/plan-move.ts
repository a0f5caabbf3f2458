import { dueResult, dueShow, dueToldPart } from '../posts/telling.ts';
import { type Due, firstDue } from '../reconcile/first-due.ts';
import type { Plan } from '../reconcile/flow.ts';
import { dueSend } from '../reconcile/sending.ts';
import { DRAFT_MS } from './draft.ts';
import { audienceOf, isMoved, type Move } from './move.ts';
import { faceOf } from './move-face.ts';
import type { MoveStep } from './move-step.ts';

/** How old the look at an item may be when its move is sent: as old as a slow look makes it. */
const LOOK_GOOD_FOR_MS = 6_000;

/** The one thing to do next for a move; finished, it is kept for `keepMs`, and as long as its draft can be pressed. */
export function planMove(move: Move, { keepMs }: { keepMs: number }, now: number): Plan<MoveStep> {
  const face = faceOf(move);
  const dues: readonly (() => Due<MoveStep>)[] = [
    // Whoever reads of the move finds the item where it is.
    () => dueMemory(move),
    () => dueShow(move, face, now),
    () => dueWork(move, now),
    () => dueAlert(move),
    () => dueAnnouncement(move, now),
    () => dueResult(move, audienceOf(move), face, now),
  ];
  return firstDue(dues, Math.max(keepMs, DRAFT_MS));
}

function dueWork({ phase, draft }: Move, now: number): Due<MoveStep> {
  if (phase.name === 'over') return null;
  if (phase.name === 'look') {
    return now < phase.notBefore ? phase.notBefore : { kind: 'look', plannedAt: now };
  }
  const due = dueSend(phase, now);
  if (typeof due === 'number') return due;
  // Only a process that died leaves a sending behind: what became of the call is looked up.
  if (due === 'lost') return { kind: 'look', plannedAt: now };
  if (due === 'check') return { kind: 'check' };
  const seenAt = phase.name === 'send' ? phase.seenAt : undefined;
  if (draft.from === 'http' && isLongAgo(seenAt, now)) return { kind: 'look', plannedAt: now };
  return { kind: 'send', plannedAt: now };
}

/**
 * The service notices a change of the item and of the set of its sub-items, but not that a sub-item
 * got another status (Interface 4.1): where the item can be read, that is looked for before it is sent.
 */
function isLongAgo(seenAt: number | undefined, now: number): boolean {
  return seenAt === undefined || now > seenAt + LOOK_GOOD_FOR_MS;
}

/** Everybody in the channel may know what was moved, and by whom. */
function dueAnnouncement(move: Move, now: number): Due<MoveStep> {
  if (!isMoved(move)) return null;
  return dueToldPart(move, audienceOf(move), 'announcement', faceOf(move), now);
}

function dueAlert({ outcome, alerted }: Move): Due<MoveStep> {
  return outcome?.code === 'unauthorized' && alerted === undefined ? { kind: 'alert' } : null;
}

function dueMemory(move: Move): Due<MoveStep> {
  return isMoved(move) && move.remembered === undefined ? { kind: 'remember' } : null;
}
