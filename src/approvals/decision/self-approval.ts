import { selfApprovalIn } from '../electorate/self-approval.ts';
import type { Part } from './part.ts';

declare module './statement.ts' {
  interface StatementFacts {
    /** The others could not be told of a self-approval; `refused`: Slack's code. */
    readonly untold: { readonly refused: string | undefined };
  }
}

/** An approval that uses its requester's own says so. */
export const selfApproval: Part = {
  credit(approval) {
    const { user } = selfApprovalIn(approval) ?? {};
    return user === undefined ? {} : { self: { by: user } };
  },
};
