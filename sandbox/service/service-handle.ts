import type { Until } from '../changes.ts';
import type { Fault, FaultKind } from '../faults.ts';
import type { ApprovalAction, ApprovalState } from './approval-state.ts';
import type { Permissions } from './spaces.ts';
import type { TasksHandle } from './tasks/tasks-handle.ts';
import type { TestProject } from './test-cases/test-project.ts';
import type { ServiceUser } from './users/account.ts';
import type { Variant } from './variant.ts';

export interface Service {
  /** Adds a pending approval (Interface 3.2). The token is random unless given. */
  createApproval(options?: { readonly prompt?: string; readonly token?: string }): {
    readonly token: string;
  };
  /** Somebody decides outside Slack. False: it was decided already. */
  decide(token: string, action: ApprovalAction, userId?: string): boolean;
  timeOut(token: string): boolean;
  /** Throws if there is none. */
  approval(token: string): ApprovalState;
  approvals(): readonly ApprovalState[];
  /** Every request in the order of arrival. */
  requests(operation?: ServiceOperation): readonly ServiceRequest[];
  readonly tasks: TasksHandle;
  /** With their cases, oldest first. */
  testProjects(): readonly TestProject[];
  /** Sets the API key's permissions in a space, by its slug. */
  permit(space: string, patch: Partial<Permissions>): void;
  /** Accounts as SCIM lists them. */
  users(): readonly ServiceUser[];
  /** Finds by id or userName; adds one if there is none and a userName is given. */
  setUser(idOrUserName: string, patch: Partial<ServiceUser>): void;
  setVariant(variant: Partial<Variant>): void;
  readonly variant: Variant;
  fault(fault: ServiceFault): void;
  clearFaults(): void;
  readonly until: Until;
}

/** `readTask` and `readProjects` are the sandbox's own: the interface shows no way to read a work item. */
export type ServiceOperation =
  | 'getApproval'
  | 'respond'
  | 'moveTask'
  | 'readTask'
  | 'readProjects'
  | 'createTestCase'
  | 'listUsers'
  | 'createUser'
  | 'patchUser'
  | 'deleteUser';

export interface ServiceRequest {
  readonly operation: ServiceOperation;
  /** For an approval; otherwise null. */
  readonly token: string | null;
  /** Other ids in the path, decoded: a work item, an account, the space and the test project of a case. */
  readonly ids: readonly string[];
  /** The query of a list, or the body as it arrived if it is JSON. */
  readonly body: unknown;
  readonly hasAuthorization: boolean;
  readonly at: number;
  /** HTTP status; null until it is answered, 0 if the connection was dropped. */
  readonly answered: number | null;
}

/**
 * `html`: a 502 page, not processed. `unreadable`: processed, answered 2xx with a body that is not JSON. `refused`:
 * answered 400 with `words`, not processed.
 */
export interface ServiceFault
  extends Fault<FaultKind | 'html' | 'unreadable' | 'refused', Omit<ServiceRequest, 'answered'>> {
  readonly operation?: ServiceOperation;
  readonly words?: string;
}
