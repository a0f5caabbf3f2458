import type { Approval } from '../approval.ts';
import type { AskedNeeds, ContractPart } from './contract-part.ts';
import { ownName } from './contract-values.ts';
import { hashed, ownNameOf } from './sender.ts';

/** What a source sends and reads of requests that replace older ones. */
export const supersedeContract = {
  request: {
    supersedes: ownName()
      .optional()
      .describe('Withdraws your older requests of this name that nobody decided'),
  },

  /** Hashed, because the source's name for its requests may contain the token. */
  asked({ supersedes }: { readonly supersedes?: string }, { core, source, proof }: AskedNeeds) {
    if (supersedes === undefined) return undefined;
    const at = String(Math.floor(core.store.now())).padStart(15, '0');
    const name = hashed(ownNameOf('supersedes', source, supersedes, proof));
    return { supersedes: { name, order: `${at}.${core.random.uuid()}` } };
  },

  shown: ({ supersededBy }: Approval) => supersededBy && { supersededBy: supersededBy.id },
} satisfies ContractPart;
