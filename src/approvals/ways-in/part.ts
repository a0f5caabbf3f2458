import type { Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { SessionEnd, WorkNeeds } from '../../core/engine/lease-session.ts';
import type { Timers } from '../../core/lib/timers.ts';
import type { Held, Store } from '../../core/store/store.ts';
import type { MoreWords } from './list/slack.ts';

/** What a feature with commands on the command line adds. */
export interface Part {
  /** Of its records. */
  readonly kind: string;
  readonly createWorker: (core: Core) => (held: Held, needs: WorkNeeds) => Promise<SessionEnd>;
  readonly words: MoreWords;
  /** What follows from the rules with which it starts, or that were read again. Throws StoreError. */
  readonly ruled: (core: Core) => Promise<void>;
  /** By the command's name. */
  readonly operators: Readonly<Record<string, Operator>>;
}

/** What operators do to routes on the command line, in the bot's own store, whether or not the bot is running. */
export interface Operator {
  /** Required, as commander takes them: flags, and what they mean. */
  readonly options: readonly (readonly [flags: string, means: string])[];
  /** What to do to each route, or what is wrong with these options. `now`: by this machine's clock. */
  read(options: Readonly<Record<string, string>>, now: number): OperatorAct | string;
}

/** `id`: of the command. Throws StoreError. */
export type OperatorAct = (
  needs: { readonly store: Store; readonly timers: Timers },
  route: Route,
  command: { readonly id: string; readonly by: string },
) => Promise<{ readonly json: object; readonly line: string }>;
