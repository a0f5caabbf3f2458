import type { Task } from '../service/task.ts';
import type { Draft, Target } from './draft.ts';
import { itemsOf } from './tree.ts';

/** What differs from what was reviewed. */
export interface Changes {
  readonly added: number;
  readonly removed: number;
  /** Items whose status is another. */
  readonly statuses: number;
  /** It is in another project now. */
  readonly project: boolean;
  /** The service's own time of the last change, if that is another; to the letter. */
  readonly updatedAt: string | null;
}

/**
 * Where an item is that was to be moved. moved: in the destination. untouched: as it was reviewed.
 * changed: neither. unclear: what can be read of it does not tell.
 */
export function whereIs(
  { item, target }: Pick<Draft, 'item'> & { readonly target: Target },
  found: Task,
): 'moved' | 'untouched' | 'changed' | 'unclear' {
  // What was read by its key is another item.
  if (found.id !== item.id) return 'unclear';
  if (found.projectId === target.projectId) return 'moved';
  if (found.projectId === null) {
    if (found.key === null || item.key === null) return 'unclear';
    // An item gets another key by a move and by nothing else (Interface 2.1), but not only by ours.
    if (found.key !== item.key) return 'unclear';
  }
  return isSame(item, found) ? 'untouched' : 'changed';
}

function isSame(item: Task, found: Task): boolean {
  return (
    item.updatedAt === found.updatedAt &&
    item.key === found.key &&
    item.projectId === found.projectId &&
    statesOf(item) === statesOf(found)
  );
}

function statesOf(item: Task): string {
  const states = itemsOf(item).map(({ id, status }) => JSON.stringify([id, status]));
  return states.sort().join();
}

export function changesIn({ item }: Pick<Draft, 'item'>, found: Task): Changes {
  const before = new Map(itemsOf(item).map(({ id, status }) => [id, status]));
  const after = new Map(itemsOf(found).map(({ id, status }) => [id, status]));
  const both = [...after].filter(([id]) => before.has(id));
  return {
    added: after.size - both.length,
    removed: before.size - both.length,
    statuses: both.filter(([id, status]) => before.get(id) !== status).length,
    project: item.projectId !== found.projectId,
    updatedAt: found.updatedAt === item.updatedAt ? null : found.updatedAt,
  };
}
