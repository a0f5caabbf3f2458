import type { DenialWithAccount, Permission } from '../people/permission.ts';
import type { TellResult, TellStep } from '../posts/telling.ts';
import type { CreateTestCaseOutcome } from '../service/create-test-case.ts';
import type { CaseFace } from './case-face.ts';

/** One thing to do next for a test case: at most one external call. */
export type CaseStep =
  /** Find out whether the person may. */
  | { readonly kind: 'check' }
  /** Send it (Interface 4.2). */
  | { readonly kind: 'send'; readonly plannedAt: number }
  /** The process that sent it is gone, and the interface shows no way to look. */
  | { readonly kind: 'give-up'; readonly plannedAt: number }
  | TellStep<CaseFace>
  /** Tell administrators that the service does not accept the key. */
  | { readonly kind: 'alert' }
  /** Keep the choices for the channel's next case. */
  | { readonly kind: 'remember' };

export type CaseStepResult =
  | Permission<DenialWithAccount>
  | { readonly kind: 'answered'; readonly answer: CreateTestCaseOutcome }
  /** There is no key for the service. */
  | { readonly kind: 'no-key' }
  | TellResult;
