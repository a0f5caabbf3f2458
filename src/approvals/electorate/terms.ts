import type { Route } from '../../core/config/config.ts';
import type { Timing } from '../../core/lib/timing.ts';

/** The rules of a request's route, and when they are applied. */
export interface RouteTerms {
  /** As configured now; undefined: no longer, so nobody can decide. */
  readonly route: Route | undefined;
  readonly asOf: number;
}

/** What the rules need in addition to the approval, as configured now. */
export interface Terms extends RouteTerms {
  readonly timing: Timing;
  /** Records created earlier may have lost their last saves: see `Store.servingSince`. */
  readonly servingSince: number;
  /** See `Store.wentBackAt`. */
  readonly wentBackAt: number;
  readonly watchMaxAgeMs: number;
  /** How long a finished approval is kept, and how long of that it is listed as decided. */
  readonly keepMs: number;
  readonly decidedMs: number;
  readonly budgetPerMinute: number;
  /** How many approvals are polled in the background. */
  readonly pending: number;
  /** See `ServiceAnswers`. */
  readonly isDenying: boolean;
  /** From 0 to 1, new at each call. */
  readonly random: () => number;
}
