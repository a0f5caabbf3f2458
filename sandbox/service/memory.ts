import type { ApprovalState } from './approval-state.ts';
import { type Space, seedSpaces } from './spaces.ts';
import { seedTasks } from './tasks/seed-tasks.ts';
import type { TaskWorld } from './tasks/task-world.ts';
import { seedTestProjects, type TestProject } from './test-cases/test-project.ts';
import type { ServiceUser } from './users/account.ts';
import { seedUsers } from './users/seed-users.ts';
import type { Variant } from './variant.ts';
import { usualVariant } from './variant.ts';

/** The service's state. */
export interface Memory {
  readonly approvals: Map<string, ApprovalState>;
  spaces: readonly Space[];
  tasks: TaskWorld;
  testProjects: readonly TestProject[];
  users: readonly ServiceUser[];
  variant: Variant;
}

export function seedMemory(): Memory {
  return {
    approvals: new Map(),
    spaces: seedSpaces,
    tasks: seedTasks(),
    testProjects: seedTestProjects,
    users: seedUsers,
    variant: usualVariant,
  };
}
