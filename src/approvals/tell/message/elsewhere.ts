import type { Button, KnownBlock } from '@slack/types';
import { actions, section } from '../../../core/slack/blocks.ts';
import { cutPlain } from '../../../core/slack/text.ts';
import type { Approval } from '../../approval.ts';
import { digestOf, titleOf } from '../../digest.ts';

/** Buttons of a request that are not on its message. */

/** A sentence for one person, with buttons below it. */
export function withButtons(
  text: string,
  buttons: readonly Button[],
): { readonly text: string; readonly blocks?: KnownBlock[] } {
  if (buttons.length === 0) return { text };
  return { text, blocks: [section(text), actions('approvals.answer', buttons)] };
}

/** The value of a button outside the request's message: which request was shown, and how. At most 2,000 characters. */
export function shownValue(id: string, approval: Approval): string {
  const [title] = cutPlain(titleOf(approval), 300);
  return [id, approval.channel, shownOf(approval), title].join(' ');
}

/** What is shown of a request elsewhere: its digest, and its round unless that is the first. */
export function shownOf(approval: Approval): string {
  const { round } = approval;
  return [digestOf(approval), ...(round === undefined ? [] : [round])].join('.');
}
