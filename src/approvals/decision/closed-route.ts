import type { Applied } from '../../core/engine/flow.ts';
import { type Approval, isOpen } from '../approval.ts';
import { type Closed, isLoudAllowed } from '../electorate/closed.ts';
import type { FeatureHooks } from './feature-hook.ts';
import type { Guard } from './guard.ts';
import type { FeatureSignal } from './signal.ts';

/** Approvals do not count while their route is closed. `closed.ts` reads whether it is. */

declare module './statement.ts' {
  interface StatementFacts {
    /**
     * For somebody who approved; `wasCounted`: their approval counted before; `wasTried`: it was sent, and the service was
     * too busy for it.
     */
    readonly 'route-closed': Closed & { readonly wasCounted?: true; readonly wasTried?: true };
  }
  interface UnsentFacts {
    readonly 'route-closed': { readonly closed: Closed };
  }
}

declare module './signal.ts' {
  interface FeatureSignals {
    /** Somebody has closed or opened its route. */
    readonly closing: { readonly changedAt: number };
  }
}

/** In `why` of the history, and of a decision that is not sent. */
export const ROUTE_CLOSED = 'route-closed' as const;

export const closedRoute: Guard = {
  /** A self-approval may count nevertheless. */
  refuses(approval, { self }, { route, asOf }) {
    const { now: closed } = approval.closing ?? {};
    // After its time it has opened, unless it was closed again: it is read once more before anything is sent.
    if (closed === undefined || asOf >= closed.until) return undefined;
    if (self === true && isLoudAllowed(approval, route)) return undefined;
    return { code: 'route-closed', until: closed.until, why: closed.why };
  },
};

/** An attempt that is only noted is not sent: the closing is read first. */
export const callingOff: FeatureHooks = { callsOff: 'closing' };

/** It is read again. */
export function receiveClosingChange(
  approval: Approval,
  { changedAt }: FeatureSignal<'closing'>,
): Applied<Approval> {
  if (!isOpen(approval)) return { data: approval };
  const { againAt, ...closing } = approval.closing ?? {};
  return { data: { ...approval, closing: { ...closing, changedAt } } };
}
