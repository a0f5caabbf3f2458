/**
 * The panel “Behind the scenes” on the page of the demo: the automation, the service, and faults. Its browser code is
 * in `client/`.
 */

import type { Changes } from '../changes.ts';
import { bound } from '../page/page-method.ts';
import type { PagePanel } from '../page/page-panel.ts';
import type { BotAddress, Sandbox } from '../sandbox.ts';
import { endDeadlines, newBackstageMemory } from './backstage-memory.ts';
import type { BackstageMethods } from './backstage-method.ts';
import type { BackstageState } from './backstage-state.ts';
import { automationMethods } from './methods/automation.ts';
import { pipelineMethods } from './methods/pipeline.ts';
import { serviceMethods, troubleMethods } from './methods/trouble.ts';
import {
  accountNotes,
  accountsState,
  approvalsState,
  projectsState,
  requestsState,
  testProjectsState,
} from './service-state.ts';

const methods: BackstageMethods = {
  ...automationMethods,
  ...pipelineMethods,
  ...serviceMethods,
  ...troubleMethods,
};

export function createBackstage(needs: {
  readonly sandbox: Sandbox;
  readonly changes: Changes;
  readonly now: () => number;
  readonly bot: () => BotAddress | null;
}): PagePanel {
  const { sandbox, changes, bot } = needs;
  const { service, workspace } = sandbox;
  let memory = newBackstageMemory();
  const releaseManagers = () => workspace.userGroups().flatMap(({ users }) => users);
  return {
    client: new URL('client/main.tsx', import.meta.url),
    methods: bound(methods, () => ({ ...needs, memory, changed: changes.notify })),
    notesOn: (user) => [
      ...(releaseManagers().includes(user.id) ? ['release manager'] : []),
      ...accountNotes(user, service),
    ],
    state: (): BackstageState => ({
      releaseManagers: releaseManagers(),
      approvals: approvalsState(sandbox),
      projects: projectsState(service),
      testProjects: testProjectsState(service),
      accounts: accountsState(service),
      requests: requestsState(service),
      routes: bot()?.routes ?? [],
      terminal: memory.terminal,
      hasTerminal: bot()?.runAsk !== undefined,
      commands: bot()?.commands ?? [],
      troubles: memory.troubles,
    }),
    reset: () => {
      endDeadlines(memory);
      memory = newBackstageMemory();
    },
  };
}
