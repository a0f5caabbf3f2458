import type { Post } from '../../../core/posts/post.ts';
import type { SlackLinks } from '../../../core/slack/links.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import type { Approval } from '../../approval.ts';
import type { Statement } from '../../decision/statement.ts';
import type { RouteTerms } from '../../electorate/terms.ts';
import type { MessageState } from './message-state.ts';

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
