import type { Posted } from '../posts/make-post.ts';
import type { PartStep } from '../posts/part.ts';
import type { Failed } from '../reconcile/settled.ts';
import type { MoveOutcome } from '../service/move-task.ts';
import type { TaskRead } from '../service/read-task.ts';
import type { Permission } from './may-move.ts';
import type { MoveFace } from './move-face.ts';

/** One thing to do next for a move: at most one external call. */
export type MoveStep =
  /** Find out whether the person may. */
  | { readonly kind: 'check' }
  /** Send the move (Interface 4.1). */
  | { readonly kind: 'send'; readonly plannedAt: number }
  /** Read the item again. */
  | { readonly kind: 'look'; readonly plannedAt: number }
  /** Show the face in the person's modal. */
  | { readonly kind: 'show'; readonly face: MoveFace }
  /** Change the direct message to the face. */
  | { readonly kind: 'update'; readonly face: MoveFace }
  | PartMoveStep
  /** Keep the mapping for next time. */
  | { readonly kind: 'remember' };

/** A step of the announcement in the channel, or of the direct message with the result. */
export interface PartMoveStep {
  readonly kind: PartStep;
  readonly part: 'announcement' | 'result';
  readonly face: MoveFace;
  readonly plannedAt: number;
}

export type MoveStepResult =
  | Permission
  | { readonly kind: 'answered'; readonly answer: MoveOutcome }
  /** There is no key for the service. */
  | { readonly kind: 'no-key' }
  | { readonly kind: 'read'; readonly read: TaskRead }
  /** There is no way to read an item. */
  | { readonly kind: 'blind' }
  | { readonly kind: 'turn'; readonly waitMs: number }
  | { readonly kind: 'opened'; readonly channel: string }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'done' }
  | Posted
  | Failed;
