import type { ArchivedValue, Project, Status, WorkItem } from './task-world.ts';

/**
 * Work items, as people see and change them in the service itself. An item is named by its id or by any key it has ever
 * had.
 */
export interface TasksHandle {
  /** With their items. */
  projects(): readonly ShownProject[];
  /** Throws if there is none. */
  item(idOrKey: string): ShownItem;
  /** Somebody edits an item; `status` is an id of its workflow. */
  edit(idOrKey: string, patch: { readonly title?: string; readonly status?: string }): void;
  /** Somebody adds an item below another, or at the top of a project, which is named by its slug. */
  add(
    place: { readonly below: string } | { readonly project: string },
    item: { readonly title: string; readonly status?: string },
  ): ShownItem;
  /** Somebody deletes an item and everything below it. */
  remove(idOrKey: string): void;
}

export interface ShownProject extends Pick<Project, 'id' | 'slug' | 'name' | 'statuses' | 'types'> {
  /** The space's slug. */
  readonly space: string;
  readonly items: readonly ShownItem[];
}

export interface ShownItem extends Pick<WorkItem, 'id' | 'key' | 'title' | 'updatedAt'> {
  /** Earlier keys, oldest first. */
  readonly formerKeys: readonly string[];
  readonly projectId: string;
  readonly status: Status;
  /** The type's name; null: none. */
  readonly type: string | null;
  /** By the field's name. */
  readonly values: Readonly<Record<string, string>>;
  readonly archived: readonly ArchivedValue[];
  readonly subItems: readonly ShownItem[];
}
