import type { Core } from '../../core/core.ts';
import { signalRecord } from '../../core/engine/put-record.ts';
import { problem } from '../../core/http/problem.ts';
import { type Approval, isOpen, messagePost } from '../approval.ts';
import { type ApprovalSignal, encodeSignal } from '../decision/signal.ts';
import { decodeApproval } from '../stored-approval.ts';

/** Requests from a source about its approvals, as signals to the record. */

export const NOT_FOUND = problem({ status: 404, title: 'Not found' });
export const APPROVED_BY_THEM = problem({
  status: 409,
  title: 'Conflict',
  detail: 'This gate was approved by the person who asks for it. Ask with another key',
});

/** Puts a source's request into the record's inbox; false: there is no record. */
export async function putSourceRequest(
  core: Core,
  id: string,
  request: ApprovalSignal,
): Promise<boolean> {
  const signal = { id: core.random.uuid(), body: encodeSignal(request) };
  return (await signalRecord(core, id, signal)) === 'stored';
}

/**
 * The approval once `isApplied` is true, or as it is after 2 s; undefined: it is gone. A record that is free is
 * processed quickly.
 */
export async function waitUntilApplied(
  core: Core,
  id: string,
  isApplied: (approval: Approval) => boolean,
): Promise<Approval | undefined> {
  let present: Approval | undefined;
  for (const waitMs of LOOK_MS) {
    await core.timers.sleep(waitMs);
    const record = await core.store.read(id);
    present = record && decodeApproval(record);
    if (present === undefined || isApplied(present)) break;
  }
  return present;
}

const LOOK_MS = [5, 20, 75, 150, 250, 500, 1_000];

/**
 * Withdraws the request, and returns its state; undefined: there is none. While a decision is being sent, it is not
 * known whether it is withdrawn.
 */
export async function withdraw(
  core: Core,
  id: string,
  approval: Approval,
): Promise<Approval | undefined> {
  if (!(await putSourceRequest(core, id, { kind: 'withdraw' }))) return undefined;
  leaveQueue(core, approval);
  return waitUntilApplied(core, id, isClosed);
}

/** A withdrawn request will not be posted, so it need not delay the posts behind it. */
export function leaveQueue(core: Core, approval: Approval): void {
  if (isOpen(approval) && isQueued(approval, core.store.now())) core.queue.leave(approval.channel);
}

/** Decided or withdrawn, with no decision in flight. */
function isClosed(approval: Approval): boolean {
  return !isOpen(approval) && approval.decision === undefined;
}

/** Its message is queued in the channel without a slot: it only joined the queue. */
function isQueued(approval: Approval, now: number): boolean {
  const { ts, attempt, slot, tries, notBefore = now } = messagePost(approval);
  const isUntouched = [ts, attempt, slot, tries].every((each) => each === undefined);
  return isUntouched && notBefore > now;
}
