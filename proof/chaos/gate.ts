import type { IntakeSeen, Press, Withdrawal } from '../simulation/evidence.ts';
import type { RouteOfChaos } from './settings.ts';

/** One approval while it is being run; the observer turns it into evidence. */
export interface Gate {
  readonly name: string;
  readonly title: string;
  /** The service's token; null: an own gate, known by its name. */
  readonly token: string | null;
  readonly route: RouteOfChaos;
  readonly channel: string;
  /** The requester's Slack id: that person cannot decide it. */
  readonly requester: string | null;
  readonly madeAt: number;
  readonly deadlineAt: number | null;
  readonly intake: Intake[];
  readonly withdrawals: { -readonly [Key in keyof Withdrawal]: Withdrawal[Key] }[];
  readonly presses: Press[];
}

export type Intake = { -readonly [Key in keyof IntakeSeen]: IntakeSeen[Key] };
