/**
 * Presses count in the order in which they were made: a replica that stood still can hold one back until its person has
 * decided again, or until the request was opened again. Times are Slack's; no clock of ours or of the store is compared
 * with them.
 */

import type { Applied } from '../../core/engine/flow.ts';
import { type ActedAt, isEarlier, withAct } from '../acted-at.ts';
import type { Action, Approval, Asker } from '../approval.ts';
import type { Terms } from '../electorate/terms.ts';
import { withEvent } from '../history.ts';
import { afterRewind } from './store-rewind.ts';
import { owe, turnedAway } from './transitions.ts';

export interface Act {
  readonly asker: Asker;
  /** Absent: received by an earlier version. */
  readonly acted: ActedAt | undefined;
  /** undefined: an Undo, or an approval taken back. */
  readonly action: Action | undefined;
  /** Of the message that was pressed, '' for the first; undefined: pressed elsewhere, or received by an earlier version. */
  readonly round: string | undefined;
}

/** In `why` of the history. */
export const EARLIER_PRESS = 'earlier';

/** With the act noted; `refused`: its person has acted since, or the request was opened again. */
export function noteAct(
  before: Approval,
  { asker, acted, action, round }: Act,
  terms: Terms,
): { readonly data: Approval; readonly refused?: Applied<Approval> } {
  const opens = action === 'approve';
  const approval = opens ? afterRewind(before, terms) : before;
  // What closes the gate is never held back by it.
  if (opens && round !== undefined && round !== (approval.round ?? '')) {
    // Its message may not have been changed yet.
    const { shown, ...rest } = turnedAway(approval, asker);
    return { data: approval, refused: { data: rest } };
  }
  if (acted === undefined) return { data: approval };
  const last = approval.acts?.[asker.user];
  if (last !== undefined && isEarlier(acted, last)) {
    // It may have been made later than its time says, and what closes the gate is not held back.
    if (acted.isLeast && !opens) return { data: approval };
    // A double click that arrived in the wrong order: the other press is answered.
    const isSame = (each: { user: string; action: Action }) =>
      each.user === asker.user && each.action === action;
    if ([...approval.queue, ...approval.ballots].some(isSame))
      return { data: approval, refused: { data: approval } };
    const told = owe(approval, asker, 'refusal', { code: 'earlier' });
    const event = { kind: 'not-counted', by: asker.user, why: EARLIER_PRESS } as const;
    return { data: approval, refused: { data: withEvent(told, event, asker.at) } };
  }
  return { data: { ...approval, acts: withAct(approval.acts, asker.user, acted) } };
}
