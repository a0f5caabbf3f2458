import type { Action, Outcome, UnknownWhy } from '../approval.ts';
import type { RefusalCode } from '../electorate/authorization.ts';
import type { Bar } from '../electorate/bar.ts';
import type { Tally } from '../electorate/tally.ts';
import type { Trouble } from '../failure.ts';

/** What a reply says, as a code and its facts: `tell/message/reply-sentence.ts` has the sentences. */
export type Statement = {
  readonly [Code in keyof StatementFacts]: { readonly code: Code } & StatementFacts[Code];
}[keyof StatementFacts];

/** A feature adds its own. */
export interface StatementFacts {
  /** The person cannot decide. */
  readonly refused: { readonly why: RefusalCode };
  /**
   * For somebody who approved; `wasCounted`: their approval counted before; `wasTried`: it was sent, and the service was
   * too busy for it.
   */
  readonly barred: { readonly bar: Bar; readonly wasCounted?: true; readonly wasTried?: true };
  /** They have decided since. */
  readonly earlier: unknown;
  readonly reopened: unknown;
  /** Not what they were shown. */
  readonly changed: unknown;
  /** They approved as `as`, and pressed again as `user`. */
  readonly 'approved-already': Counted & { readonly as: string; readonly user: string };
  /** `isHelping`: it reduces the number missing, although particular people are still needed. */
  readonly progress: Counted & { readonly isHelping: boolean };
  /** For the author of an approval that a guard held up. */
  readonly stopped: { readonly by: string };
  /** For people whose decision now lacks this person's approval. */
  readonly undone: { readonly by: string; readonly progress: Tally };
  /** For people whose approvals are enough without this person's, which no longer counts. */
  readonly 'enough-without': { readonly by: string; readonly progress: Tally };
  /** `isDeciding`: the decision continues without it. */
  readonly 'taken-back': { readonly progress: Tally; readonly isDeciding: boolean };
  readonly deciding: unknown;
  readonly 'too-late': unknown;
  readonly 'sent-already': unknown;
  readonly 'nothing-to-take-back': unknown;
  /** For somebody whose ballot counted until it was authorized again. */
  readonly dropped: { readonly action: Action; readonly change: ChangeCode };
  /** For the author of a decision that was delayed and then failed. */
  readonly overtaken: { readonly action: Action; readonly change: ChangeCode };
  /** `detail`: the service's own words. */
  readonly closed: { readonly why: ClosedCode; readonly detail?: string | undefined };
  /** For others whose ballots were part of a decision that failed; `unsure`: it may have been accepted. */
  readonly spent: { readonly action: Action; readonly unsure?: true };
  /** For somebody who decided. */
  readonly withdrawn: unknown;
  readonly decided: { readonly outcome: Decided; readonly action: Action };
  /** For somebody who asked. */
  readonly 'withdrawn-state': unknown;
  readonly outcome: { readonly outcome: Decided };
  readonly waiting: unknown;
  /** `sent`: their decision, which may have been accepted; `word`: what the service said. */
  readonly unknown: {
    readonly why: UnknownWhy;
    readonly word?: string | undefined;
    readonly sent?: Action;
    readonly note?: Unsent | undefined;
  };
  /** A read failed; `goesOn`: polling continues. */
  readonly trouble: { readonly trouble: Trouble; readonly goesOn: boolean };
  readonly outside: { readonly channel: string };
  readonly reviewed: { readonly by: string };
  readonly 'own-review': unknown;
  readonly 'no-review': unknown;
  /** The message in the channel cannot show the outcome. */
  readonly unshown: { readonly outcome: Decided; readonly channel: string };
  readonly 'not-stored': unknown;
}

/** `giver`: in whose place; `tooFew`: why more approvals are needed than before. */
interface Counted {
  readonly progress: Tally;
  readonly giver?: string;
  readonly tooFew?: TooFew;
}

type Decided = Pick<Outcome, 'status' | 'by' | 'credit'>;

/** Why a decision failed; the buttons are back. */
export type ClosedCode =
  | 'not-reached'
  | 'silent'
  | 'failing'
  | 'busy'
  | 'denied'
  | 'invalid'
  | 'not-shown'
  | 'refused'
  | 'sealed'
  | 'could-not-check'
  | 'may-not-check';

/** The change because of which somebody can no longer decide. */
export type ChangeCode = RefusalCode | 'left-group' | 'left-channel';

/** Why there are too few approvals now. */
export type TooFew =
  /** Their approvals no longer count. */
  | { readonly why: 'dropped'; readonly users: readonly string[] }
  /** one-person: two ballots turned out to be one person's. */
  | { readonly why: 'one-person' | 'needs-changed' | 'quorum-raised' };

/** Why a decision was not sent, or not again. */
export type Unsent = {
  readonly [Why in keyof UnsentFacts]: { readonly why: Why } & UnsentFacts[Why];
}[keyof UnsentFacts];

/** A feature adds its own. */
export interface UnsentFacts {
  readonly 'not-sent': { readonly action: Action };
  readonly changed: { readonly change: ChangeCode };
  readonly 'too-few': { readonly tooFew: TooFew };
  readonly barred: { readonly bar: Bar };
}
