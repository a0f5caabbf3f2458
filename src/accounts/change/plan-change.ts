import { dueModal, dueResult } from '../../operations/report.ts';
import { dueSend } from '../../operations/sending.ts';
import { type Due, firstDue } from '../../reconcile/first-due.ts';
import type { Plan } from '../../reconcile/flow.ts';
import type { AccountChange, Phase } from './account-change.ts';
import { faceOf } from './change-face.ts';
import type { ChangeStep } from './change-step.ts';

/** How old the look at an account may be when its change is sent: as old as a slow look makes it. */
const LOOK_GOOD_FOR_MS = 6_000;
const GUARD_GOOD_FOR_MS = 12_000;

/** The one thing to do next; finished, it is kept for `keepMs`. */
export function planChange(
  change: AccountChange,
  { keepMs }: { readonly keepMs: number },
  now: number,
): Plan<ChangeStep> {
  const face = faceOf(change);
  const dues: readonly (() => Due<ChangeStep>)[] = [
    () => dueModal(change, face, now),
    () => dueWork(change, now),
    () => dueResult(change, face, now),
  ];
  return firstDue(dues, keepMs);
}

function dueWork({ phase, wish }: AccountChange, now: number): Due<ChangeStep> {
  const look = { kind: 'look', plannedAt: now } as const;
  if (phase.name === 'over') return null;
  if (phase.name === 'look') return now < phase.notBefore ? phase.notBefore : look;
  const due = dueSend(phase, now);
  if (typeof due === 'number') return due;
  // Only a process that died leaves a sending behind: what became of the call is looked up.
  if (due === 'lost') return look;
  if (due === 'authorize') return { kind: 'check' };
  const { guardedAt, seenAt } = sendNextOf(phase);
  if (wish.kind === 'deactivate' && isLongAgo(guardedAt, GUARD_GOOD_FOR_MS, now)) {
    return { kind: 'guard' };
  }
  return isLongAgo(seenAt, LOOK_GOOD_FOR_MS, now) ? look : { kind: 'send', plannedAt: now };
}

function sendNextOf(phase: Phase): Partial<Extract<Phase, { name: 'send' }>> {
  return phase.name === 'send' ? phase : {};
}

function isLongAgo(at: number | undefined, goodForMs: number, now: number): boolean {
  return at === undefined || now > at + goodForMs;
}
