import type { KnownBlock } from '@slack/types';
import type { Post } from '../../../core/posts/post.ts';
import type { SlackLinks } from '../../../core/slack/links.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import type { Approval } from '../../approval.ts';
import type { DecidedFacts, WithdrawnFacts } from '../../decision/feature-hook.ts';
import type { GuardStates } from '../../decision/guard.ts';
import type { Statement, StatementFacts } from '../../decision/statement.ts';
import type { BarFacts, Barred } from '../../electorate/bar.ts';
import type { Electorate } from '../../electorate/electorate.ts';
import type { RouteTerms } from '../../electorate/terms.ts';
import type { MessageState } from './message-state.ts';

/** What a feature can say: shapes for the tables of `feature-words.ts`. */

/** The words of one guard (`decision/guard.ts`): of the state that it shows, and of its replies. */
export interface GuardWords<Name extends keyof GuardStates, Code extends keyof StatementFacts> {
  /** For lock screens. */
  readonly headline: string;
  /** The status in one line. */
  line(state: Extract<MessageState, { name: Name }>, approval: Approval): string;
  readonly sentences: {
    readonly [Each in Code]: (facts: StatementFacts[Each], approval: Approval) => string;
  };
}

/** The words of what bars approvals (`electorate/bar.ts`). */
export interface BarWords {
  isIn(state: BarFacts): boolean;
  /** For lock screens. */
  readonly headline: string;
  /** Instead of who is asked. `progress`: who approved. */
  line(approval: Approval, state: BarFacts, progress: string): string;
  /** For lists. */
  inList(state: BarFacts): string;
  /** For somebody who approved. */
  refused(facts: StatementFacts['barred']): string;
  /** Why a decision was not sent again. */
  unsent(bar: Barred): string;
  /** Why a press was not counted. */
  readonly notCounted: string;
}

/** A reply in the thread that a feature posts. */
export interface FeaturePost {
  isOne(name: string): boolean;
  /** The one that is due; undefined: none. */
  post(approval: Approval): Post | undefined;
  /** undefined: it announces the outcome. */
  content(
    approval: Approval,
    state: MessageState,
    terms: RouteTerms & { readonly links: SlackLinks; readonly usualHosts?: readonly string[] },
  ): SlackMessage | undefined;
  /** Whose names it needs. */
  names?(approval: Approval): readonly string[];
  /** For *Details…*: that it was posted, and what it is called in a sentence. */
  readonly said?: string;
  readonly called?: string;
  /**
   * A decision goes ahead only once it is posted, in the channel too. Otherwise it fails: what its people read.
   * `refused`: Slack's code.
   */
  untold?(refused: string | undefined): Statement;
}

/** What a feature says of a request that is over. */
export interface StateNotes {
  /** Below the outcome. */
  blocks?(state: DecidedFacts, usualHosts: readonly string[] | undefined): readonly KnownBlock[];
  /** The web addresses in them. */
  links?(state: DecidedFacts): readonly string[];
  /** It is more than the outcome: the message is not only folded. */
  isMore?(state: DecidedFacts): boolean;
  /** For lists, one line. */
  line?(state: DecidedFacts): string | undefined;
  /** For the metadata of the message, in case the store loses it. */
  metadata?(approval: Approval): Readonly<Record<string, string>>;
  /** For *Details…*, by time. */
  times?(approval: Approval, by: string): readonly { readonly at: number; readonly text: string }[];
  /** Behind the word Withdrawn, in the message and in *Details…*. */
  withdrawn?(state: WithdrawnFacts, links: SlackLinks | undefined): string;
  withdrawnFor?(approval: Approval): string;
}

/**
 * A button to approve with, in place of the usual one, that asks only the requester for a reason: whether they press it
 * is known only after the press.
 */
export interface AskingButton {
  /** Its id. */
  readonly action: string;
  isFor(electorate: Electorate): boolean;
}
