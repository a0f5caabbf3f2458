import type { ReportResult, ReportStep } from '../../operations/report.ts';
import type { Permission } from '../../people/permission.ts';
import type { CreateUserOutcome } from '../../service/create-user.ts';
import type { PatchUserOutcome } from '../../service/patch-user.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { Provisioning } from '../provisioning.ts';
import type { ChangeFace } from './change-face.ts';
import type { Protection } from './protection.ts';

/** One thing to do next: at most one thing is asked of another system. */
export type ChangeStep =
  /** Find out whether the person may. */
  | { readonly kind: 'check' }
  /** Find out whether the account is the person's own, or the last administrator's. */
  | { readonly kind: 'guard' }
  /** Look at the account, or at what creating one would do. */
  | { readonly kind: 'look'; readonly plannedAt: number }
  /** Send it (Interface 4.5). */
  | { readonly kind: 'send'; readonly plannedAt: number }
  | ReportStep<ChangeFace>;

export type ChangeStepResult =
  | Permission
  | Protection
  | { readonly kind: 'foreseen'; readonly provisioning: Provisioning }
  /** null: the service shows no such account. */
  | { readonly kind: 'seen'; readonly account: UserProfile | null }
  | { readonly kind: 'answered'; readonly answer: CreateUserOutcome | PatchUserOutcome }
  | { readonly kind: 'no-token' }
  | ReportResult;
