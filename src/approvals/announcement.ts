import { section } from '../slack/blocks.ts';
import { bold, escapeMrkdwn } from '../slack/text.ts';
import type { Approval, Outcome } from './approval.ts';
import type { SlackMessage } from './message.ts';
import { outcomeLine, reasonBlocks } from './outcome-line.ts';
import { excerptOf } from './overflow.ts';

export type AnnouncementName = 'outcome-thread' | 'outcome-channel' | 'outcome-requester';

/** The outcome as it is told in the thread, in the outcome channel and to the requester. */
export function announcement(
  name: AnnouncementName,
  approval: Approval,
  outcome: Outcome,
): SlackMessage {
  const line = outcomeLine({ ...outcome, resolvedAt: outcome.resolvedAt ?? null });
  const title = bold(escapeMrkdwn(excerptOf(approval).title));
  const text = {
    'outcome-thread': line,
    'outcome-channel': `${line}\n${title} · asked in <#${approval.channel}>`,
    'outcome-requester': `${line}\nYour request ${title} in <#${approval.channel}>`,
  }[name];
  return { text, blocks: [section(text), ...reasonBlocks(outcome.reasons)] };
}
