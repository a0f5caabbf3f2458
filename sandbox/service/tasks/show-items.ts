import {
  itemsBelow,
  type Project,
  projectOf,
  type TaskWorld,
  type WorkItem,
  workflowOf,
} from './task-world.ts';
import type { ShownItem, ShownProject } from './tasks-handle.ts';

export function shownProject(world: TaskWorld, project: Project): ShownProject {
  const { id, slug, name, space, statuses, types } = project;
  const items = itemsBelow(world, { projectId: id }).map((item) => shownItem(world, item));
  return { id, slug, name, space, statuses, types, items };
}

export function shownItem(world: TaskWorld, item: WorkItem): ShownItem {
  const { id, key, title, updatedAt, projectId, archived } = item;
  const project = projectOf(world, projectId);
  const status = workflowOf(project, item.typeId).find((each) => each.id === item.status);
  if (!status) throw new Error(`${key} has a status that its workflow does not have.`);
  const keys = [...world.keys].filter(([, owner]) => owner === id).map(([each]) => each);
  const values = project.fields.flatMap((field) => {
    const value = item.values[field.id];
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return {
    id,
    key,
    title,
    updatedAt,
    formerKeys: keys.filter((each) => each !== key),
    projectId,
    status,
    type: project.types.find((each) => each.id === item.typeId)?.name ?? null,
    values: Object.fromEntries(values),
    archived,
    subItems: itemsBelow(world, { parentId: id }).map((each) => shownItem(world, each)),
  };
}
