import { may, type Space } from '../spaces.ts';
import {
  changedAt,
  type Field,
  type Project,
  projectOf,
  type TaskWorld,
  treeOf,
  type WorkItem,
  workflowOf,
} from './task-world.ts';

/** The body of a move (Interface 4.1). */
export interface MoveRequest {
  readonly targetProjectId: string;
  readonly statusMapping: Readonly<Record<string, string>>;
  readonly baseUpdatedAt: string;
  readonly subtreeTaskIds: readonly string[];
  readonly targetTaskTypeId?: string | undefined;
}

export interface MoveNeeds {
  readonly spaces: readonly Space[];
  /** The interface does not say which check comes first. */
  readonly checksFirst: 'changes' | 'mapping';
  readonly now: number;
}

export type MoveResult =
  | {
      readonly kind: 'moved';
      readonly world: TaskWorld;
      /** The item after the move. */
      readonly item: WorkItem;
      readonly movedCount: number;
      readonly droppedFieldCount: number;
    }
  | Refused;

export interface Refused {
  readonly kind: 'refused';
  readonly status: 403 | 404 | 409 | 422;
  readonly words: string;
}

/** Moves an item with all its sub-items, exactly as asked, or not at all (Interface 4.1, 7.1). */
export function moveItem(
  world: TaskWorld,
  taskId: string,
  request: MoveRequest,
  needs: MoveNeeds,
): MoveResult {
  const item = world.items.get(taskId);
  if (!item) return refused(404, 'There is no such work item.');
  const target = world.projects.find(({ id }) => id === request.targetProjectId);
  if (!target) return refused(404, 'There is no such project.');
  const tree = treeOf(world, item);
  const isPermitted = isAllowed(projectOf(world, item.projectId), target, needs.spaces);
  if (!isPermitted) return refused(403, 'You may not move this work item to that project.');
  const checks = [changeSince(item, tree, request), mappingFault(tree, target, request)];
  if (needs.checksFirst === 'mapping') checks.reverse();
  const fault = checks.find((each) => each !== undefined);
  if (fault) return fault;
  if (target.id === item.projectId) return refused(422, 'The work item is in that project.');
  return carried(world, tree, target, request, needs.now);
}

function refused(status: Refused['status'], words: string): Refused {
  return { kind: 'refused', status, words };
}

/** Rule 1. */
function isAllowed(source: Project, target: Project, spaces: readonly Space[]): boolean {
  return (
    may(spaces, source.space, 'moveTasks') &&
    may(spaces, target.space, 'createTasks') &&
    may(spaces, target.space, 'viewTasks')
  );
}

function changeSince(
  item: WorkItem,
  tree: readonly WorkItem[],
  { baseUpdatedAt, subtreeTaskIds }: MoveRequest,
): Refused | undefined {
  if (item.updatedAt !== baseUpdatedAt) return refused(409, 'The work item changed since.');
  const expected = new Set(subtreeTaskIds);
  const isSame = expected.size === tree.length && tree.every(({ id }) => expected.has(id));
  return isSame ? undefined : refused(409, 'The sub-items changed since.');
}

function mappingFault(
  tree: readonly WorkItem[],
  target: Project,
  { statusMapping, targetTaskTypeId }: MoveRequest,
): Refused | undefined {
  const typeId = targetTaskTypeId ?? null;
  if (typeId !== null && !target.types.some(({ id }) => id === typeId)) {
    return refused(422, 'targetTaskTypeId is no type of the destination.');
  }
  const missing = tree.find(({ status }) => !Object.hasOwn(statusMapping, status));
  if (missing) return refused(422, `statusMapping has nothing for ${missing.status}.`);
  const known = new Set(workflowOf(target, typeId).map(({ id }) => id));
  const stray = Object.values(statusMapping).find((id) => !known.has(id));
  return stray === undefined
    ? undefined
    : refused(422, `statusMapping names ${stray}, which the destination does not have.`);
}

/** @param tree starts with the item that was named. */
function carried(
  world: TaskWorld,
  tree: readonly WorkItem[],
  target: Project,
  request: MoveRequest,
  now: number,
): MoveResult {
  const revision = world.revision + 1;
  const updatedAt = changedAt(now, revision);
  const moved = tree.map(
    (item, place): WorkItem => ({
      ...item,
      ...carriedValues(item, projectOf(world, item.projectId).fields, target.fields),
      key: `${target.keyPrefix}-${target.lastNumber + 1 + place}`,
      projectId: target.id,
      typeId: request.targetTaskTypeId ?? null,
      status: request.statusMapping[item.status] ?? item.status,
      parentId: place === 0 ? null : item.parentId,
      updatedAt,
    }),
  );
  const [item] = moved;
  if (!item) throw new Error('A tree has its own root.');
  const lastNumber = target.lastNumber + moved.length;
  return {
    kind: 'moved',
    item,
    movedCount: moved.length,
    droppedFieldCount: archivedCount(moved) - archivedCount(tree),
    world: {
      projects: world.projects.map((each) => (each === target ? { ...each, lastNumber } : each)),
      items: broughtLast(world.items, moved),
      keys: new Map([...world.keys, ...moved.map((each) => [each.key, each.id] as const)]),
      revision,
    },
  };
}

function broughtLast(
  items: TaskWorld['items'],
  moved: readonly WorkItem[],
): ReadonlyMap<string, WorkItem> {
  const after = new Map(items);
  for (const item of moved) {
    after.delete(item.id);
    after.set(item.id, item);
  }
  return after;
}

/** Values without a counterpart are archived (rule 3). */
function carriedValues(
  { values, archived }: WorkItem,
  from: readonly Field[],
  to: readonly Field[],
): Pick<WorkItem, 'values' | 'archived'> {
  const kept: Record<string, string> = {};
  const dropped = [...archived];
  for (const field of from) {
    const value = values[field.id];
    if (value === undefined) continue;
    const counterpart = to.find(({ name }) => name === field.name);
    if (counterpart) kept[counterpart.id] = value;
    else dropped.push({ field: field.name, value });
  }
  return { values: kept, archived: dropped };
}

function archivedCount(items: readonly WorkItem[]): number {
  return items.reduce((count, { archived }) => count + archived.length, 0);
}
