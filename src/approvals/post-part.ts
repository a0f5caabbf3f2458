import type { Route } from '../config/config.ts';
import { makePost, type PostNeeds } from '../posts/make-post.ts';
import type { Outbox } from '../slack/outbox.ts';
import { type Approval, messagePart, partNamed } from './approval.ts';
import {
  type AnnouncementName,
  announcement,
  approvalMessage,
  overflowMessage,
  type SlackMessage,
} from './message/message.ts';
import type { Face } from './message/message-state.ts';
import { isOverflow, overflowNumber } from './message/overflow.ts';
import { isReminder, reminderMessage } from './message/reminder.ts';
import type { Step, StepResult } from './step.ts';

export interface PartNeeds extends PostNeeds {
  readonly outbox: Pick<Outbox, 'post' | 'findByMetadata'>;
  readonly routeNamed: (name: string) => Route | undefined;
}

/** Searches Slack for a part whose post was not answered. */
export async function findPart(
  { outbox }: Pick<PartNeeds, 'outbox'>,
  id: string,
  approval: Approval,
  name: string,
): Promise<StepResult> {
  const { channel } = partNamed(approval, name, undefined);
  if (channel === undefined) throw new Error('a part without a channel was never posted');
  const ts = await outbox.findByMetadata({
    channel,
    ...threadOf(approval, name),
    sinceAt: approval.createdAt,
    matches: { record: id, part: nameInMetadata(approval, name) },
  });
  return ts === undefined ? { kind: 'not-found' } : { kind: 'posted', channel, ts };
}

/** Posts a part; its turn was taken before. */
export function postPart(
  needs: PartNeeds,
  id: string,
  approval: Approval,
  step: Extract<Step, { kind: 'post' }>,
): Promise<StepResult> {
  return makePost(needs, {
    channel: step.channel,
    ...threadOf(approval, step.part),
    ...contentOf(id, approval, step.part, step.face, needs.routeNamed(approval.route)),
    metadata: { record: id, part: nameInMetadata(approval, step.part) },
  });
}

/** A message that is posted again has another name, so that the deleted one is not taken for it. */
function nameInMetadata(approval: Approval, name: string): string {
  const times = partNamed(approval, name, undefined).gone?.length ?? 0;
  return times === 0 ? name : `${name}-again-${times}`;
}

/** Replies go under the message. */
function threadOf(approval: Approval, name: string): { readonly threadTs?: string } {
  const { ts } = messagePart(approval);
  const isReply = name === 'outcome-thread' || isOverflow(name) || isReminder(name);
  return isReply && ts !== undefined ? { threadTs: ts } : {};
}

function contentOf(
  id: string,
  approval: Approval,
  name: string,
  face: Face,
  route: Route | undefined,
): SlackMessage {
  if (name === 'message') return approvalMessage(id, approval, face, { route });
  if (isOverflow(name)) return overflowMessage(approval, overflowNumber(name));
  if (isReminder(name)) return reminderMessage(name, approval, route?.reviewers);
  if (approval.outcome === undefined) throw new Error('an outcome is announced once it is known');
  // The names of parts are made in `plan.ts`; what is neither of the above announces the outcome.
  return announcement(name as AnnouncementName, approval, approval.outcome);
}
