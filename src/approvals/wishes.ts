import type { Core } from '../core/core.ts';
import { signalRecord } from '../core/engine/put-record.ts';
import { problem } from '../core/http/problem.ts';
import { jsonReply, type Reply } from '../core/http/reply.ts';
import { type Approval, messagePost } from './approval.ts';
import { summaryOf } from './intake-contract.ts';
import { isOpen } from './lists.ts';
import { type ApprovalSignal, encodeSignal } from './receive.ts';
import { decodeApproval } from './stored-approval.ts';

/** What a source wants of a request that it sent: whoever holds the record takes it in. */

export const NOT_FOUND = problem({ status: 404, title: 'Not found' });

/** Puts a request from the source into the record's inbox; false: there is no record. */
export async function putWish(core: Core, id: string, wish: ApprovalSignal): Promise<boolean> {
  const signal = { id: core.random.uuid(), body: encodeSignal(wish) };
  return (await signalRecord(core, id, signal)) === 'stored';
}

/**
 * How a request stands once `isTakenIn` says so, or as it stands after 2 s; undefined: it is gone. A record that is
 * free is soon taken.
 */
export async function whenTakenIn(
  core: Core,
  id: string,
  isTakenIn: (approval: Approval) => boolean,
): Promise<Approval | undefined> {
  let present: Approval | undefined;
  for (const waitMs of LOOK_MS) {
    await core.timers.sleep(waitMs);
    const record = await core.store.read(id);
    present = record && decodeApproval(record);
    if (present === undefined || isTakenIn(present)) break;
  }
  return present;
}

const LOOK_MS = [5, 20, 75, 150, 250, 500, 1_000];

/**
 * Takes the request back, and says how it stands then. While its holder sends a decision, nobody knows whether it is
 * withdrawn.
 */
export async function withdraw(core: Core, id: string, approval: Approval): Promise<Reply> {
  if (!(await putWish(core, id, { kind: 'withdraw' }))) return NOT_FOUND;
  // What will not be posted any more keeps nobody waiting behind it.
  if (isOpen(approval) && isQueued(approval, core.store.now())) core.queue.leave(approval.channel);
  const present = await whenTakenIn(core, id, isClosed);
  return present === undefined ? NOT_FOUND : jsonReply(202, summaryOf(id, present));
}

/** It is decided or withdrawn, and no decision of a person is on its way. */
function isClosed(approval: Approval): boolean {
  return !isOpen(approval) && approval.decision === undefined;
}

/** Its message waits behind others in the channel, and has no slot yet: it joined the queue alone. */
function isQueued(approval: Approval, now: number): boolean {
  const { ts, attempt, slot, tries, notBefore = now } = messagePost(approval);
  const isUntouched = [ts, attempt, slot, tries].every((each) => each === undefined);
  return isUntouched && notBefore > now;
}
