import * as z from 'zod';
import { cleanLine } from '../../core/lib/clean-line.ts';
import type { Approval } from '../approval.ts';
import type { ContractPart } from './contract-part.ts';

/** What a source reads of a request that its requester withdrew. */
export const withdrawContract = {
  details: {
    withdrawnBy: z
      .string()
      .optional()
      .describe('Slack user id of the requester who withdrew it in Slack'),
  },

  shown: ({ withdrawnBy }: Approval) => (withdrawnBy === undefined ? undefined : { withdrawnBy }),

  withdrawn({ withdrawnBy, names = {} }: WithdrawnDetails) {
    if (withdrawnBy === undefined) return undefined;
    const name = names[withdrawnBy];
    const who = name === undefined ? withdrawnBy : `${cleanLine(name)} (${withdrawnBy})`;
    return ` by its requester ${who}`;
  },
} satisfies ContractPart;

interface WithdrawnDetails {
  readonly withdrawnBy?: string;
  readonly names?: Readonly<Record<string, string>>;
}
