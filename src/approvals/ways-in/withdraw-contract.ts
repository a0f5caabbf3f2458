import type { Approval } from '../approval.ts';
import type { ContractPart } from './contract-part.ts';

/** What a source reads of a request that its requester withdrew. */
export const withdrawContract = {
  shown: ({ withdrawnBy }: Approval) => (withdrawnBy === undefined ? undefined : { withdrawnBy }),
} satisfies ContractPart;
