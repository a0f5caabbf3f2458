import * as z from 'zod';
import { flag } from '../../core/config/values.ts';
import { isUntold } from '../electorate/self-approval.ts';
import { selfApprovalIn } from '../electorate/votes.ts';
import type { Guard } from './guard.ts';

declare module './statement.ts' {
  interface StatementFacts {
    /** The others could not be told of a self-approval; `refused`: Slack's code. */
    readonly untold: { readonly refused: string | undefined };
  }
}

/** A self-approval goes ahead once the other reviewers were told. Its outcome says whose it is. */
export const toldFirst: Guard = {
  pieces: {
    /** loud: for emergencies, only for own gates. Everybody else who can decide is told first. */
    selfApproval: z
      .union([flag, z.literal('loud')], { error: 'must be true, false or loud' })
      .default(false),
  },

  waitsFor: (approval) => (isUntold(approval) ? 'telling' : undefined),

  credit(approval) {
    const { user } = selfApprovalIn(approval) ?? {};
    return user === undefined ? {} : { self: { by: user } };
  },
};
