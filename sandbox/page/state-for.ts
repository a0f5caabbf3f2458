import type { BotAddress, Sandbox } from '../sandbox.ts';
import type { PageMemory } from './page-memory.ts';
import type { PageState } from './page-state.ts';
import {
  accountsState,
  approvalsState,
  projectsState,
  requestsState,
  testProjectsState,
} from './service-state.ts';
import { appState, channelsState, namesState, peopleState, viewState } from './workspace-state.ts';

/** The state for one person; for the first one of the workspace when there is none of that id. */
export function stateFor(
  userId: string,
  sandbox: Sandbox,
  memory: PageMemory,
  bot: BotAddress | null,
): PageState {
  const people = peopleState(sandbox);
  const me = people.find(({ id }) => id === userId) ?? people[0];
  if (!me) throw new Error('The workspace has no people.');
  return {
    begunAt: memory.begunAt,
    me,
    people,
    names: namesState(sandbox),
    channels: channelsState(me, sandbox, memory),
    app: appState(sandbox.workspace.manifest),
    modal: viewState(sandbox.workspace.modal(me.id), sandbox.workspace.modalErrors(me.id)),
    home: viewState(sandbox.workspace.home(me.id)),
    approvals: approvalsState(sandbox),
    projects: projectsState(sandbox.service),
    testProjects: testProjectsState(sandbox.service),
    accounts: accountsState(sandbox.service),
    requests: requestsState(sandbox.service),
    routes: bot?.routes ?? [],
    terminal: memory.terminal,
    hasTerminal: bot?.runAsk !== undefined,
    commands: bot?.commands ?? [],
    troubles: memory.troubles,
  };
}
