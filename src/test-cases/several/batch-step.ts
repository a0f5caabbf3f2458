import type { TellStep } from '../../posts/telling.ts';
import type { BatchFace } from './batch-face.ts';

/** One thing to do next for a batch: at most one external call. */
export type BatchStep =
  /** Find out whether the person may. */
  | { readonly kind: 'check' }
  /** Take a turn within the budget. */
  | { readonly kind: 'budget' }
  /** Send a line (Interface 4.2). */
  | { readonly kind: 'send'; readonly line: number; readonly plannedAt: number }
  /** The process that sent it is gone, and the interface shows no way to look. */
  | { readonly kind: 'give-up'; readonly line: number; readonly plannedAt: number }
  /** Tell administrators that the service does not accept the key. */
  | { readonly kind: 'alert' }
  | TellStep<BatchFace>;
