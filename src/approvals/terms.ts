import type { Route } from '../config/config.ts';
import type { Action, Approval, Ballot } from './approval.ts';

/** What the rules need to know besides the approval itself: the configuration as it stands now. */
export interface Terms {
  /** The approval's route; undefined when it is no longer configured: then nobody may decide. */
  readonly route: Route | undefined;
  /** What was created before may have lost its last saves: see `Store.servingSince`. */
  readonly servingSince: number;
  readonly watchMaxAgeMs: number;
  /** How long a finished approval is kept. */
  readonly keepMs: number;
  readonly budgetPerMinute: number;
  /** How many approvals are polled in the background. */
  readonly pending: number;
  /** 0 up to 1, new at each call. */
  readonly random: () => number;
}

/** Whether Slack may show more of it than is known here. */
export function mayBeForgotten(
  { createdAt }: Approval,
  { servingSince }: Pick<Terms, 'servingSince'>,
): boolean {
  return createdAt < servingSince;
}

/** How many approvals it takes: the request may ask for more than the route, never for fewer. */
export function quorumOf(approval: Approval, route: Route | undefined): number {
  return Math.max(approval.quorum ?? 1, route?.quorum ?? 1);
}

export function votersFor(action: Action, ballots: readonly Ballot[]): string[] {
  return ballots.filter((ballot) => ballot.action === action).map((ballot) => ballot.user);
}
