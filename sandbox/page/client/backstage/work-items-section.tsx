import type { PageProject, PageState, PageWorkItem } from '../../page-state.ts';
import { useAsking } from '../live/use-asking.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { Trouble } from '../parts/trouble.tsx';
import type { Section } from './section.ts';

export const workItemsSection: Section = { title: 'Work items in the service', Content: WorkItems };

function WorkItems({ state: { projects } }: { state: PageState }) {
  return (
    <>
      <p class="quiet">Write “/move-task OPS-12” in a channel to move one with all below it.</p>
      {projects.map((project) => (
        <Project key={project.id} project={project} />
      ))}
    </>
  );
}

function Project({ project: { name, items } }: { project: PageProject }) {
  return (
    <details>
      <summary>
        {name} · {items.length === 1 ? '1 item' : `${items.length} items`}
      </summary>
      <ul class="listed">
        {items.map((item) => (
          <WorkItem key={item.id} item={item} />
        ))}
      </ul>
    </details>
  );
}

/** One item. To change it while somebody moves it is how a move meets a conflict. */
function WorkItem({ item: { id, key, title, status, depth } }: { item: PageWorkItem }) {
  const { ask, isAsking, trouble } = useAsking();
  const change = (): void => void ask('edit-item', { item: id, title: `${title}!` });
  return (
    <li class={`depth-${Math.min(depth, 3)}`}>
      <p>
        <strong>{key}</strong> {title}
      </p>
      <p class="quiet">{status}</p>
      {depth === 0 && (
        <BusyButton kind="small" isBusy={isAsking} onPress={change}>
          Change it elsewhere
        </BusyButton>
      )}
      <Trouble words={trouble} />
    </li>
  );
}
