import type { Sandbox } from '../sandbox.ts';
import { accountsState } from './accounts-state.ts';
import { approvalsState } from './approvals-state.ts';
import { channelsState } from './channels-state.ts';
import type { PageMemory } from './page-memory.ts';
import type { PageRoute, PageState } from './page-state.ts';
import { namesState, peopleState } from './people-state.ts';
import { projectsState } from './projects-state.ts';
import { requestsState } from './requests-state.ts';
import { testProjectsState } from './test-projects-state.ts';
import { appState, viewState } from './views-state.ts';

/** The state for one person; for the first one of the workspace when there is none of that id. */
export function stateFor(
  userId: string,
  sandbox: Sandbox,
  memory: PageMemory,
  routes: readonly PageRoute[],
): PageState {
  const people = peopleState(sandbox);
  const me = people.find(({ id }) => id === userId) ?? people[0];
  if (!me) throw new Error('The workspace has no people.');
  return {
    me,
    people,
    names: namesState(sandbox),
    channels: channelsState(me, sandbox, memory),
    app: appState(sandbox.workspace.manifest),
    modal: viewState(sandbox.workspace.modal(me.id), sandbox.workspace.modalErrors(me.id)),
    home: viewState(sandbox.workspace.home(me.id)),
    approvals: approvalsState(sandbox, memory),
    projects: projectsState(sandbox.service),
    testProjects: testProjectsState(sandbox.service),
    accounts: accountsState(sandbox.service),
    requests: requestsState(sandbox.service),
    routes,
    troubles: memory.troubles,
  };
}
