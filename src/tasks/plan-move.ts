import { duePart } from '../posts/part.ts';
import type { Plan } from '../reconcile/flow.ts';
import { isMoved, type Move, partNamed } from './move.ts';
import { faceKey, faceOf } from './move-face.ts';
import type { MoveStep } from './move-step.ts';

/** A step that is due, or the time when one may be; null: nothing to do. */
type Due = MoveStep | number | null;

/** Slack puts the modal that acknowledged the submission in place first; ours comes after it. */
export const SHOW_AFTER_MS = 500;
/** How long the word that somebody may move counts. */
export const PERMISSION_MS = 60_000;

/** The one thing to do next for a move; finished, it is kept for `keepMs`. */
export function planMove(move: Move, { keepMs }: { keepMs: number }, now: number): Plan<MoveStep> {
  const waits: number[] = [];
  for (const next of [dueShow, dueWork, dueAnnouncement, dueResult, dueMemory]) {
    const due = next(move, now);
    if (typeof due === 'number') waits.push(due);
    else if (due !== null) return { kind: 'step', step: due };
  }
  if (waits.length === 0) return { kind: 'finish', keepMs };
  return { kind: 'wait', until: Math.min(...waits), lane: 'people' };
}

function dueWork({ phase }: Move, now: number): Due {
  switch (phase.name) {
    case 'over':
      return null;
    case 'sending':
      // Only a process that died leaves this behind: what became of the call is looked up.
      return { kind: 'look', plannedAt: now };
    case 'check':
      return now < phase.notBefore ? phase.notBefore : { kind: 'check' };
    case 'send':
      if (now < phase.notBefore) return phase.notBefore;
      if (now > phase.checkedAt + PERMISSION_MS) return { kind: 'check' };
      return { kind: 'send', plannedAt: now };
    case 'look':
      return now < phase.notBefore ? phase.notBefore : { kind: 'look', plannedAt: now };
  }
}

function dueShow(move: Move, now: number): Due {
  if (move.modal === undefined) return null;
  const face = faceOf(move);
  if (move.shown === faceKey(face)) return null;
  const from = Math.max(move.showing?.notBefore ?? 0, move.createdAt + SHOW_AFTER_MS);
  return now < from ? from : { kind: 'show', face };
}

/** Everybody in the channel may know what was moved, and by whom. */
function dueAnnouncement(move: Move, now: number): Due {
  return isMoved(move) ? stepFor(move, 'announcement', now) : null;
}

/** Without a modal the person gets the end as a direct message, which then says what holds. */
function dueResult(move: Move, now: number): Due {
  if (move.modal !== undefined) return null;
  const face = faceOf(move);
  const { ts } = partNamed(move, 'result');
  if (ts === undefined) return face.state === 'over' ? stepFor(move, 'result', now) : null;
  if (move.told === faceKey(face)) return null;
  const from = move.showing?.notBefore ?? 0;
  return now < from ? from : { kind: 'update', face };
}

function stepFor(move: Move, name: 'announcement' | 'result', now: number): Due {
  const next = duePart(partNamed(move, name), now);
  if (next === null || typeof next === 'number') return next;
  return { kind: next, part: name, face: faceOf(move), plannedAt: now };
}

function dueMemory(move: Move): Due {
  const isDue =
    isMoved(move) && move.remembered === undefined && move.draft.item.projectId !== null;
  return isDue ? { kind: 'remember' } : null;
}
