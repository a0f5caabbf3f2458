import type { FeatureHooks } from './feature-hook.ts';

/** A request whose requester withdrew it in Slack. `withdraw.ts` does it. */

declare module '../approval.ts' {
  interface Approval {
    /** The requester who withdrew it, by Slack user id; absent: its source did. */
    readonly withdrawnBy?: string;
  }
}

declare module './statement.ts' {
  interface StatementFacts {
    /** For somebody who decided a request that its requester withdrew. */
    readonly 'requester-withdrew': { readonly by: string };
    /** For the requester: it is withdrawn. */
    readonly 'you-withdrew': unknown;
    /** For the requester: only if the decision in progress fails. */
    readonly 'withdrawn-late': unknown;
  }
}

declare module './feature-hook.ts' {
  interface WithdrawnFacts {
    readonly withdrawnBy?: string;
  }
}

export const withdrawing: FeatureHooks = {
  left: ({ withdrawnBy }) => (withdrawnBy === undefined ? undefined : { withdrawnBy }),

  withdrawn: ({ withdrawnBy: by }) =>
    by === undefined ? undefined : { code: 'requester-withdrew', by },
};
