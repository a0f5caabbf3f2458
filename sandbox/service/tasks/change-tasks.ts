import type { Memory } from '../memory.ts';
import {
  changedAt,
  itemNamed,
  itemsBelow,
  type Project,
  projectOf,
  type TaskWorld,
  treeOf,
  type WorkItem,
  workflowOf,
} from './task-world.ts';
import type { ShownItem, ShownProject, TasksHandle } from './tasks-handle.ts';

/** The part of the handle that reads work items and changes them as people in the service do. */
export function changeTasks(needs: {
  readonly memory: () => Memory;
  readonly now: () => number;
  readonly randomUuid: () => string;
  readonly changed: () => void;
}): TasksHandle {
  const world = (): TaskWorld => needs.memory().tasks;
  const put = (after: TaskWorld): void => {
    needs.memory().tasks = after;
    needs.changed();
  };
  const known = (idOrKey: string): WorkItem => {
    const item = itemNamed(world(), idOrKey);
    if (!item) throw new Error(`There is no work item ${idOrKey}.`);
    return item;
  };

  return {
    projects: () => world().projects.map((project) => shownProject(world(), project)),
    item: (idOrKey) => shownItem(world(), known(idOrKey)),
    edit: (idOrKey, patch) => {
      const item = known(idOrKey);
      put(withItem(world(), checked(world(), { ...item, ...patch }), needs.now()));
    },
    add: (place, sprout) => {
      const parent = 'below' in place ? known(place.below) : null;
      const project = world().projects.find((each) =>
        'project' in place ? each.slug === place.project : each.id === parent?.projectId,
      );
      if (!project) throw new Error('There is no such project.');
      const item = { ...newItem(project, sprout), id: needs.randomUuid() };
      const placed = { ...item, parentId: parent?.id ?? null };
      put(withItem(world(), checked(world(), placed), needs.now()));
      return shownItem(world(), known(item.id));
    },
    remove: (idOrKey) => {
      const gone = new Set(treeOf(world(), known(idOrKey)).map(({ id }) => id));
      const items = [...world().items].filter(([id]) => !gone.has(id));
      put({ ...world(), items: new Map(items), revision: world().revision + 1 });
    },
  };
}

/** With the project's next key. */
function newItem(
  { id, keyPrefix, lastNumber, statuses }: Project,
  { title, status }: { readonly title: string; readonly status?: string },
): Omit<WorkItem, 'id' | 'parentId'> {
  return {
    key: `${keyPrefix}-${lastNumber + 1}`,
    title,
    projectId: id,
    typeId: null,
    status: status ?? statuses[0]?.id ?? '',
    updatedAt: '',
    values: {},
    archived: [],
  };
}

/** Throws if the item's status is not in its workflow. */
function checked(world: TaskWorld, item: WorkItem): WorkItem {
  const workflow = workflowOf(projectOf(world, item.projectId), item.typeId);
  if (workflow.some(({ id }) => id === item.status)) return item;
  throw new Error(`${item.status} is none of ${workflow.map(({ id }) => id).join(', ')}.`);
}

/** Adds an item, or replaces it. */
function withItem(world: TaskWorld, item: WorkItem, now: number): TaskWorld {
  const revision = world.revision + 1;
  const changed = { ...item, updatedAt: changedAt(now, revision) };
  const number = Number(item.key.split('-').at(-1));
  return {
    projects: world.projects.map((project) =>
      project.id === item.projectId
        ? { ...project, lastNumber: Math.max(project.lastNumber, number) }
        : project,
    ),
    items: new Map([...world.items, [item.id, changed]]),
    keys: new Map([...world.keys, [item.key, item.id]]),
    revision,
  };
}

function shownProject(world: TaskWorld, project: Project): ShownProject {
  const { id, slug, name, space, statuses, types } = project;
  const items = itemsBelow(world, { projectId: id }).map((item) => shownItem(world, item));
  return { id, slug, name, space, statuses, types, items };
}

function shownItem(world: TaskWorld, item: WorkItem): ShownItem {
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
