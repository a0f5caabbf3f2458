import { hash } from 'node:crypto';
import type { ApprovalDetails } from '../../../../ask/contract/approval-details.ts';
import type { Random } from '../../../core/lib/random.ts';
import type { Store } from '../../../core/store/store.ts';

/**
 * Requests of agents without a key of their own: each approval goes to one call. Such a request has a key made from what
 * is asked for, with a number: the same call made again finds the request while it is undecided, or soon after a
 * decision that no call has received. Otherwise it asks anew, with the next number.
 */

/** How many requests of the same content have a number; every further one is for its call alone. */
const NUMBERED_MAX = 20;
/** How long the same call gets a decision that was made while nobody waited. */
const UNRECEIVED_MS = 600_000;

/** The keys to try, in this order; the last one is new. */
export function* keysFor(content: unknown, random: Random): Generator<string> {
  const name = `agent/${hash('sha256', JSON.stringify(content), 'hex')}`;
  for (let count = 1; count <= NUMBERED_MAX; count += 1) yield `${name}/${count}`;
  yield `${name}/${random.uuid()}`;
}

/** Whether an approval of this request goes to one call; otherwise its key was given, and whoever has it can resume. */
export function isForOneCall({ key = '' }: ApprovalDetails): boolean {
  return ONE_CALL.test(key);
}

const ONE_CALL = /^agent\/[0-9a-f]{64}\/[0-9a-f-]+$/;

/** What a call waits with: the request's id, and a name of the call. */
export interface Handle {
  readonly id: string;
  readonly call: string;
}

export function newHandle(id: string, random: Random): Handle {
  return { id, call: random.bytes(9).toString('base64url') };
}

export function handleText({ id, call }: Handle): string {
  return `${id}.${call}`;
}

/** Whoever has the id alone is one call, too. */
export function readHandle(text: string): Handle {
  const [id = '', call = ''] = text.split('.', 2);
  return { id, call };
}

/** The name by which a call claims an approval. */
export function claimOf({ call }: Handle): string {
  return `agent ${call}`.trim();
}

/** Whether a decided request is the one of a call that asks for the same now. */
export async function isUnreceived(store: Store, details: ApprovalDetails): Promise<boolean> {
  const { id, status, outcome, withdrawnAt } = details;
  const decidedAt = Date.parse(outcome?.resolvedAt ?? withdrawnAt ?? '');
  if (!(store.now() - decidedAt <= UNRECEIVED_MS)) return false;
  // Whoever receives an approval claims it.
  if (status === 'APPROVED') return details.result === undefined;
  return (await store.get(receivedKey(id))) === undefined;
}

/** Notes that a call is told that it is not approved. */
export async function noteReceived(store: Store, id: string): Promise<void> {
  await store.put(receivedKey(id), '1', UNRECEIVED_MS);
}

function receivedKey(id: string): string {
  return `agents:received:${id}`;
}
