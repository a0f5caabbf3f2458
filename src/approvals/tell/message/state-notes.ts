import type { KnownBlock } from '@slack/types';
import type { SlackLinks } from '../../../core/slack/links.ts';
import type { Approval } from '../../approval.ts';
import type { DecidedFacts, WithdrawnFacts } from '../../decision/feature-hook.ts';

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
