import type { Button } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { confirm } from '../../core/slack/blocks.ts';
import { idsOf, personIfAny } from '../../core/slack/slack-person.ts';
import { cutPlain } from '../../core/slack/text.ts';
import { StoreError } from '../../core/store/store.ts';
import { APPROVAL_KIND, type Approval, isOpen, isOwnGate } from '../approval.ts';
import { titleOf } from '../digest.ts';
import { requesterIds, withLinked } from '../electorate/requester.ts';
import { share } from '../electorate/votes.ts';
import { decodeApproval } from '../stored-approval.ts';
import { buttonOf } from '../tell/message/message.ts';
import { type ButtonPress, type PressStored, storePress } from './cast-ballot.ts';
import { leaveQueue } from './source-requests.ts';

/** A requester withdraws their own request in Slack, as its source can. */

export const WITHDRAW = 'approvals.withdraw';

/** An approval of the service cannot be withdrawn there: its automation would wait on, and nobody could decide here. */
export function canBeWithdrawn(approval: Approval): boolean {
  return isOwnGate(approval) && isOpen(approval);
}

/** `value`: which request was shown (`shownValue`). */
export function withdrawButton(value: string, approval: Approval): Button {
  const [title] = cutPlain(titleOf(approval), TITLE_MAX);
  const asked = confirm('Withdraw this request?', title, 'Withdraw', 'Cancel', 'danger');
  return buttonOf(value, approval)(WITHDRAW, 'Withdraw', { confirm: asked });
}

const TITLE_MAX = 300;

/** Whether somebody asked for it, as far as Slack or the configuration names who did. Throws RemoteFailure. */
export async function isOwnRequest(core: Core, user: string, approval: Approval): Promise<boolean> {
  const requesters = requesterIds(withLinked(approval, core.config));
  if (requesters.length === 0) return false;
  if (requesters.includes(user)) return true;
  const signal = core.timers.deadline(core.timing.stepMs);
  const person = await personIfAny(core.lookup.recent, user, { signal });
  return person !== undefined && share(requesters, idsOf(person));
}

/** Stores that the person withdraws it. Whether they asked for it does not change afterwards. */
export async function withdrawOwn(core: Core, press: ButtonPress): Promise<PressStored> {
  try {
    const record = await core.store.read(press.record);
    if (record?.kind !== APPROVAL_KIND) return { kind: 'missing' };
    const approval = decodeApproval(record);
    const isTheirs = isOwnGate(approval) && (await isOwnRequest(core, press.user, approval));
    if (!isTheirs) return { kind: 'not-yours' };
    const stored = await storePress(core, press, (asker) => ({ kind: 'withdraw', asker }));
    if (stored.kind === 'stored') leaveQueue(core, approval);
    return stored;
  } catch (error) {
    if (error instanceof StoreError) return { kind: 'unavailable' };
    if (error instanceof RemoteFailure) return { kind: 'unchecked' };
    throw error;
  }
}
