import { answerOfWrite } from './json-of-exchange.ts';
import { layersOf, readMember, readText } from './read-member.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import { type CallLimits, pathSegment, type Transport } from './transport.ts';

const OPERATION = 'move task';

/** A work item and its destination (Interface 4.1). All texts are sent verbatim. */
export interface TaskMove {
  readonly taskId: string;
  readonly targetProjectId: string;
  /** Destination status ids by the status ids in use anywhere in the item's tree. */
  readonly statusMapping: Readonly<Record<string, string>>;
  /** The item's `updatedAt` as read. */
  readonly baseUpdatedAt: string;
  /** The item and every sub-item that is expected to move. */
  readonly subtreeTaskIds: readonly string[];
  /** null: not sent, and the destination's default workflow is used. */
  readonly targetTaskTypeId: string | null;
}

/** A completed move as the service reports it; null where it does not. */
interface MovedTask {
  readonly kind: 'moved';
  readonly id: string | null;
  /** The new key. */
  readonly key: string | null;
  readonly spaceSlug: string | null;
  readonly projectSlug: string | null;
  /** Includes sub-items. */
  readonly movedCount: number | null;
  readonly droppedFieldCount: number | null;
}

/** Interface 7.1, with 400 and 410, which other servers use for its 422 and 404. `changed`: the item or its sub-items. */
const REFUSALS = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  409: 'changed',
  410: 'not-found',
  422: 'invalid',
} as const;

export type MoveOutcome = MovedTask | Refusal<(typeof REFUSALS)[keyof typeof REFUSALS]>;

/**
 * Moves a work item with its sub-items (Interface 4.1). Sent once, never retried. Throws RemoteFailure for failures
 * that Interface 7.1 does not name; `ambiguous` may have moved it.
 */
export async function moveTask(
  { transport, apiKey }: { transport: Transport; apiKey: string },
  move: TaskMove,
  limits: CallLimits = {},
): Promise<MoveOutcome> {
  const path = `/api/v1/tasks/${pathSegment(OPERATION, move.taskId, 'bad_id')}/move`;
  const headers = { authorization: `Bearer ${apiKey}` };
  const request = {
    operation: OPERATION,
    method: 'POST',
    path,
    headers,
    body: bodyOf(move),
  } as const;
  try {
    return movedTaskOf(await answerOfWrite(transport.send(request, limits)));
  } catch (error) {
    return refusalOf(error, REFUSALS);
  }
}

function bodyOf(move: TaskMove) {
  const { targetProjectId, statusMapping, baseUpdatedAt, subtreeTaskIds, targetTaskTypeId } = move;
  return {
    targetProjectId,
    statusMapping,
    baseUpdatedAt,
    subtreeTaskIds,
    ...(targetTaskTypeId !== null && { targetTaskTypeId }),
  };
}

function movedTaskOf(body: unknown): MovedTask {
  const layers = layersOf(body);
  const layer = layers.find((each) => readMember(each, 'moved') !== undefined) ?? layers[0];
  return {
    kind: 'moved',
    id: readText(layer, '/moved/id'),
    key: readText(layer, '/moved/key'),
    spaceSlug: readText(layer, '/moved/spaceSlug'),
    projectSlug: readText(layer, '/moved/projectSlug'),
    movedCount: countOf(layer, 'movedCount'),
    droppedFieldCount: countOf(layer, 'droppedFieldCount'),
  };
}

function countOf(layer: unknown, name: string): number | null {
  const count = readMember(layer, name);
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null;
}
