import type { SlackSandbox } from '../slack-sandbox.ts';
import type { PageMemory } from './page-memory.ts';
import type { PagePanel } from './page-panel.ts';
import type { PageState } from './page-state.ts';
import { appState, channelsState, namesState, peopleState, viewState } from './workspace-state.ts';

/** The state for one person; for the first person if there is none with that id. */
export function stateFor(
  userId: string,
  { workspace }: SlackSandbox,
  memory: PageMemory,
  panel: PagePanel | undefined,
): PageState {
  const people = peopleState(workspace, panel);
  const me = people.find(({ id }) => id === userId) ?? people[0];
  if (!me) throw new Error('The workspace has no people.');
  return {
    begunAt: memory.begunAt,
    me,
    people,
    names: namesState(workspace),
    channels: channelsState(me, workspace, memory),
    app: appState(workspace),
    modal: viewState(workspace.modal(me.id), workspace.modalErrors(me.id)),
    home: viewState(workspace.home(me.id)),
    ...panel?.state(),
  };
}
