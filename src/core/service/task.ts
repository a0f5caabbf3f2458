import { readIsoTime } from '../lib/iso-time.ts';
import type { TaskDialect } from './dialect.ts';
import { unreadable } from './json-of-exchange.ts';
import { layersOf, readMember, readText } from './read-member.ts';
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

/** The answer has no such member, so it is not known whether there are sub-items. */
interface NoSubItems {
  /** Its name in the dialect. */
  readonly noMember: string;
}

const OPERATION = 'read task';
const MAX_BODY_BYTES = 1024 * 1024;
const REFUSALS = { 401: 'unauthorized', 403: 'forbidden', 404: 'not-found' } as const;

export type TaskRead =
  | { readonly kind: 'found'; readonly task: Task }
  | ({ readonly kind: 'incomplete' } & NoSubItems)
  | Refusal<(typeof REFUSALS)[keyof typeof REFUSALS]>;

/**
 * Reads a work item with its sub-items, if the deployment supports it (Interface 2.1 does not specify it). `reference`:
 * an id, key or link, whichever the deployment accepts. Throws RemoteFailure; `unreadable` when a sub-item lacks
 * something a move needs, or has it in the wrong form.
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
    if (task === undefined) throw unreadable(OPERATION);
    return 'noMember' in task ? { kind: 'incomplete', ...task } : { kind: 'found', task };
  } catch (error) {
    return refusalOf(error, REFUSALS);
  }
}

/** Deeper than people nest items, but too shallow to exhaust the stack. */
const MAX_DEPTH = 50;

/**
 * Parses a work item with its sub-items; undefined when any of them lacks its id or status, when the first one's
 * `updatedAt` is not a time, or when an id occurs twice: a move needs all of them. A sub-item without a member for
 * sub-items has none.
 */
function taskOf(body: unknown, dialect: TaskDialect): Task | NoSubItems | undefined {
  const item = dialect.item === undefined ? layersOf(body)[0] : readMember(body, dialect.item);
  const ids = new Set<string>();
  const node = nodeOf(item, dialect, ids, 1);
  const updatedAt = readText(item, dialect.updatedAt ?? 'updatedAt');
  if (node === undefined || updatedAt === null || readIsoTime(updatedAt) === null) return undefined;
  const member = dialect.subItems ?? 'subItems';
  if (readMember(item, member) === undefined) return { noMember: member };
  return { ...node, updatedAt, projectId: readText(item, dialect.projectId ?? 'projectId') };
}

/** @param ids found so far. */
function nodeOf(
  item: unknown,
  dialect: TaskDialect,
  ids: Set<string>,
  depth: number,
): TaskNode | undefined {
  const id = readText(item, dialect.id ?? 'id');
  const status = readText(item, dialect.status ?? 'status');
  const below = readMember(item, dialect.subItems ?? 'subItems') ?? [];
  if (id === null || status === null || !Array.isArray(below)) return undefined;
  if (depth > MAX_DEPTH || ids.has(id)) return undefined;
  ids.add(id);
  const subItems: TaskNode[] = [];
  for (const each of below) {
    const node = nodeOf(each, dialect, ids, depth + 1);
    if (node === undefined) return undefined;
    subItems.push(node);
  }
  const key = readText(item, dialect.key ?? 'key');
  return { id, key, title: readText(item, dialect.title ?? 'title'), status, subItems };
}
