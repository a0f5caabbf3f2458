import { readIsoTime } from '../lib/iso-time.ts';
import type { TaskDialect } from './dialect.ts';
import { unreadable } from './json-of-exchange.ts';
import { layersOf, readMember, readText, readWord } from './read-member.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import { type CallLimits, pathSegment, type Transport } from './transport.ts';

/** What a move needs to know about a work item (Interface 2.1, 4.1). Texts are verbatim, not escaped. */
export interface Task extends TaskNode, TaskVersion {
  readonly projectId: string | null;
}

/** A work item's id, key and title. */
export interface TaskName {
  readonly id: string;
  readonly key: string | null;
  readonly title: string | null;
}

/** The same, with the version. */
export interface TaskVersion extends TaskName {
  readonly updatedAt: string;
}

/** A work item in a tree. */
export interface TaskNode extends TaskName {
  /** A status id. */
  readonly status: string;
  readonly subItems: readonly TaskNode[];
}

/** A member that a move needs is missing or has another form, so it is not known what would be moved. */
interface Incomplete {
  /** Its place: names from the dialect, and positions in lists, such as `subItems/0/status`. */
  readonly noMember: string;
}

const OPERATION = 'read task';
const MAX_BODY_BYTES = 1024 * 1024;
const REFUSALS = { 401: 'unauthorized', 403: 'forbidden', 404: 'not-found' } as const;

export type TaskRead =
  | { readonly kind: 'found'; readonly task: Task }
  | ({ readonly kind: 'incomplete' } & Incomplete)
  | Refusal<(typeof REFUSALS)[keyof typeof REFUSALS]>;

/**
 * Reads a work item with its sub-items, if the deployment supports it (Interface 2.1 does not specify it). `reference`:
 * an id, key or link, whichever the deployment accepts. Throws RemoteFailure.
 */
export async function readTask(
  needs: { transport: Transport; apiKey: string; dialect: TaskDialect },
  reference: string,
  limits: CallLimits = {},
): Promise<TaskRead> {
  const { transport, apiKey, dialect } = needs;
  const request = {
    operation: OPERATION,
    method: 'GET',
    path: `${dialect.path}/${pathSegment(OPERATION, reference, 'bad_id')}`,
    headers: { authorization: `Bearer ${apiKey}` },
    maxBodyBytes: MAX_BODY_BYTES,
  } as const;
  try {
    const task = taskOf(await transport.send(request, limits), dialect);
    return 'noMember' in task ? { kind: 'incomplete', ...task } : { kind: 'found', task };
  } catch (error) {
    return refusalOf(error, REFUSALS);
  }
}

/** Deeper than people nest items, but too shallow to exhaust the stack. */
const MAX_DEPTH = 50;

/**
 * Parses a work item with its sub-items. A move needs the id and status of each of them, with no id twice, and the first
 * one's `updatedAt`. A sub-item without a member for sub-items has none. Throws `unreadable` for deeper nesting.
 */
function taskOf(body: unknown, dialect: TaskDialect): Task | Incomplete {
  const item = dialect.item === undefined ? layersOf(body)[0] : readMember(body, dialect.item);
  const member = dialect.subItems ?? 'subItems';
  const node = nodeOf(item, dialect, new Set(), []);
  if ('noMember' in node) return node;
  const name = dialect.updatedAt ?? 'updatedAt';
  const updatedAt = readText(item, name);
  if (updatedAt === null || readIsoTime(updatedAt) === null) return { noMember: name };
  if (readMember(item, member) === undefined) return { noMember: member };
  return { ...node, updatedAt, projectId: readWord(item, dialect.projectId ?? 'projectId') };
}

/** @param ids found so far. @param above its place in the tree. */
function nodeOf(
  item: unknown,
  dialect: TaskDialect,
  ids: Set<string>,
  above: readonly string[],
): TaskNode | Incomplete {
  const names = {
    id: dialect.id ?? 'id',
    status: dialect.status ?? 'status',
    subItems: dialect.subItems ?? 'subItems',
  };
  const without = (name: string) => ({
    noMember: [...above, name].join('/').replaceAll('//', '/'),
  });
  const id = readWord(item, names.id);
  const status = readWord(item, names.status);
  const below = readMember(item, names.subItems) ?? [];
  if (id === null || ids.has(id)) return without(names.id);
  if (status === null) return without(names.status);
  if (!Array.isArray(below)) return without(names.subItems);
  if (above.length / 2 >= MAX_DEPTH) throw unreadable(OPERATION);
  ids.add(id);
  const subItems: TaskNode[] = [];
  for (const [at, each] of below.entries()) {
    const node = nodeOf(each, dialect, ids, [...above, names.subItems, String(at)]);
    if ('noMember' in node) return node;
    subItems.push(node);
  }
  const key = readWord(item, dialect.key ?? 'key');
  return { id, key, title: readText(item, dialect.title ?? 'title'), status, subItems };
}
