import type { Service } from '../service/service-handle.ts';
import type { ShownItem } from '../service/tasks/tasks-handle.ts';
import type { PageProject, PageWorkItem } from './page-state.ts';

export function projectsState({ tasks }: Service): PageProject[] {
  return tasks.projects().map(({ id, name, items }) => ({
    id,
    name,
    items: items.flatMap((item) => shown(item, 0)),
  }));
}

/** An item and everything below it, each before its sub-items. */
export function withSubItems(item: ShownItem): ShownItem[] {
  return [item, ...item.subItems.flatMap(withSubItems)];
}

function shown({ id, key, title, status, subItems }: ShownItem, depth: number): PageWorkItem[] {
  const below = subItems.flatMap((each) => shown(each, depth + 1));
  return [{ id, key, title, status: status.name, depth }, ...below];
}
