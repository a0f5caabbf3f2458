import type { Permission } from '../people/permission.ts';
import type { TellResult, TellStep } from '../posts/telling.ts';
import type { MoveOutcome } from '../service/move-task.ts';
import type { TaskRead } from '../service/task.ts';
import type { MoveFace } from './move-face.ts';
import type { MoveRefusal } from './refusal.ts';

/** One thing to do next for a move: at most one external call. */
export type MoveStep =
  /** Find out whether the person may. */
  | { readonly kind: 'check' }
  /** Send the move (Interface 4.1). */
  | { readonly kind: 'send'; readonly plannedAt: number }
  /** Read the item again. */
  | { readonly kind: 'look'; readonly plannedAt: number }
  | TellStep<MoveFace>
  /** Tell administrators that the service does not accept the key. */
  | { readonly kind: 'alert' }
  /** Note where the item is, and keep the mapping for next time. */
  | { readonly kind: 'remember' };

export type MoveStepResult =
  | Permission<MoveRefusal>
  | { readonly kind: 'answered'; readonly answer: MoveOutcome }
  /** There is no key for the service. */
  | { readonly kind: 'no-key' }
  | { readonly kind: 'read'; readonly read: TaskRead }
  /** There is no way to read an item. */
  | { readonly kind: 'blind' }
  | TellResult;
