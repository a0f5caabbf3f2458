import type { Approval } from '../approval.ts';
import { closedOf } from '../tell/closed-view.ts';
import type { ContractPart } from './contract-part.ts';

/** What a source reads of a route that is closed. */
export const closedContract = {
  shown(approval: Approval) {
    const closed = closedOf(approval);
    return closed && { closed };
  },
} satisfies ContractPart;
