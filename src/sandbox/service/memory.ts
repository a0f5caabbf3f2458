import type { ApprovalState } from './approval-state.ts';
import { accounts } from './seed.ts';
import type { ServiceUser } from './service-handle.ts';
import type { Variant } from './variant.ts';
import { usualVariant } from './variant.ts';

/** What the service remembers. */
export interface Memory {
  readonly approvals: Map<string, ApprovalState>;
  users: readonly ServiceUser[];
  variant: Variant;
}

export function seedMemory(): Memory {
  return { approvals: new Map(), users: accounts, variant: usualVariant };
}
