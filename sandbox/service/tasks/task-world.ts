/** All projects with their work items, immutable: every rule returns a new one. */
export interface TaskWorld {
  readonly projects: readonly Project[];
  /** By id. */
  readonly items: ReadonlyMap<string, WorkItem>;
  /** Item ids by every key an item has ever had: old keys keep working (Interface 4.1, rule 2). */
  readonly keys: ReadonlyMap<string, string>;
  /** Counts changes. */
  readonly revision: number;
}

export interface Project {
  /** UUID. */
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly space: string;
  readonly keyPrefix: string;
  /** The number of the last key; never reused. */
  readonly lastNumber: number;
  /** The default workflow. */
  readonly statuses: readonly Status[];
  readonly types: readonly TaskType[];
  readonly fields: readonly Field[];
}

export interface Status {
  readonly id: string;
  readonly name: string;
}

export interface TaskType {
  readonly id: string;
  readonly name: string;
  /** Its own workflow; null: the project's. */
  readonly statuses: readonly Status[] | null;
}

/** A field's counterpart in another project is the field with the same name. */
export interface Field {
  readonly id: string;
  readonly name: string;
}

export interface WorkItem {
  /** UUID; unchanged by a move. */
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly projectId: string;
  /** null: no type. */
  readonly typeId: string | null;
  /** A status id. */
  readonly status: string;
  readonly parentId: string | null;
  /** ISO 8601 with microseconds: changes with every change, and `Date` cannot hold it exactly. */
  readonly updatedAt: string;
  /** By field id. */
  readonly values: Readonly<Record<string, string>>;
  readonly archived: readonly ArchivedValue[];
}

export interface ArchivedValue {
  /** The field's name. */
  readonly field: string;
  readonly value: string;
}

/** The workflow of items of a type in a project; null: no type. */
export function workflowOf(project: Project, typeId: string | null): readonly Status[] {
  return project.types.find((type) => type.id === typeId)?.statuses ?? project.statuses;
}

/** Throws if there is none. */
export function projectOf(world: TaskWorld, id: string): Project {
  const project = world.projects.find((each) => each.id === id);
  if (!project) throw new Error('There is no such project.');
  return project;
}

/** The items directly below one, or at the top of a project, in the order they were added. */
export function itemsBelow(
  world: TaskWorld,
  place: { readonly parentId: string } | { readonly projectId: string },
): WorkItem[] {
  return [...world.items.values()].filter((item) =>
    'parentId' in place
      ? item.parentId === place.parentId
      : item.parentId === null && item.projectId === place.projectId,
  );
}

/** An item and everything below it, parents first. */
export function treeOf(world: TaskWorld, item: WorkItem): WorkItem[] {
  const below = itemsBelow(world, { parentId: item.id });
  return [item, ...below.flatMap((each) => treeOf(world, each))];
}

/** By id, or by any key it has ever had. */
export function itemNamed(world: TaskWorld, idOrKey: string): WorkItem | undefined {
  return world.items.get(world.keys.get(idOrKey) ?? idOrKey);
}

/** The time of a change; `revision` is that after the change. */
export function changedAt(now: number, revision: number): string {
  const micros = String(revision % 1000).padStart(3, '0');
  return `${new Date(now).toISOString().slice(0, -1)}${micros}Z`;
}
