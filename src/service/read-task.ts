import type { TaskDialect } from './dialect.ts';
import { unreadable } from './json-of-exchange.ts';
import { pathSegment } from './path-segment.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import { type NoSubItems, type Task, taskOf } from './task.ts';
import type { CallLimits, Transport } from './transport.ts';

const OPERATION = 'read task';
const MAX_BODY_BYTES = 1024 * 1024;
const REFUSALS = { 401: 'unauthorized', 403: 'forbidden', 404: 'not-found' } as const;

export type TaskRead =
  | { readonly kind: 'found'; readonly task: Task }
  | ({ readonly kind: 'incomplete' } & NoSubItems)
  | Refusal<(typeof REFUSALS)[keyof typeof REFUSALS]>;

/**
 * Reads a work item with its sub-items where the deployment has a way (Interface 2.1 shows none).
 * `reference`: an id, a key or a link, as the deployment takes it. Throws RemoteFailure; `unreadable`
 * when something that a move needs is missing in a sub-item, or is nothing of its kind.
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
