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
import { pipelineMethods, runInTerminal } from './methods/pipeline.ts';
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

const GUIDE = '/set-it-up';

/** `begin`: what happens as soon as a bot is connected. */
export function createBackstage(needs: {
  readonly sandbox: Sandbox;
  readonly changes: Changes;
  readonly now: () => number;
  readonly bot: () => BotAddress | null;
}): PagePanel & { readonly begin: () => void } {
  const { sandbox, changes, bot } = needs;
  const { service, workspace } = sandbox;
  let memory = newBackstageMemory();
  const releaseManagers = () => workspace.userGroups().flatMap(({ users }) => users);
  const world = () => ({ ...needs, memory, changed: changes.notify });
  return {
    client: new URL('client/main.tsx', import.meta.url),
    methods: bound(methods, world),
    texts: { [GUIDE]: async () => bot()?.guide?.() },
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
      guide: bot()?.guide === undefined ? null : GUIDE,
      troubles: memory.troubles,
    }),
    begin: () => {
      const opening = bot()?.opening;
      if (opening !== undefined) runInTerminal(opening, world());
    },
    reset: () => {
      endDeadlines(memory);
      memory = newBackstageMemory();
    },
  };
}
