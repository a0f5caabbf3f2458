import { z } from 'zod';
import type { Route } from '../config/config.ts';
import { makePost, type PostNeeds } from '../posts/make-post.ts';
import type { Outbox } from '../slack/outbox.ts';
import type { PartMetadata } from '../slack/part-metadata.ts';
import { type AnnouncementName, announcement } from './announcement.ts';
import { type Approval, messagePart, partNamed } from './approval.ts';
import type { Face } from './face.ts';
import { approvalMessage, overflowMessage, type SlackMessage } from './message.ts';
import { isOverflow, overflowNumber } from './overflow.ts';
import { isReminder, reminderMessage } from './reminder.ts';
import type { Step, StepResult } from './step.ts';

export interface PartNeeds extends PostNeeds {
  readonly outbox: Pick<Outbox, 'post' | 'findByMetadata'>;
  readonly routeNamed: (name: string) => Route | undefined;
}

/** Searches Slack for a part whose post was not answered, or not kept. */
export async function findPart(
  { outbox }: Pick<PartNeeds, 'outbox'>,
  id: string,
  approval: Approval,
  { part: name, channel }: Extract<Step, { kind: 'find' }>,
): Promise<StepResult> {
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
    metadata: metadataFor(id, approval, step.part, step.face),
  });
}

/**
 * What a post says of itself. A message that names who decided says so in its metadata too, for a store
 * that forgets it.
 */
export function metadataFor(
  id: string,
  approval: Approval,
  name: string,
  face: Face,
): PartMetadata {
  const part = { record: id, part: nameInMetadata(approval, name) };
  if (name !== 'message' || face.state !== 'decided' || face.by.length === 0) return part;
  return { ...part, status: face.status, credit: face.credit, by: face.by.join(',') };
}

/** Whom our message names, by its metadata; null: nobody. */
export async function recallNamed(
  { outbox }: { readonly outbox: Pick<Outbox, 'readMetadata'> },
  id: string,
  approval: Approval,
): Promise<StepResult> {
  const { ts } = messagePart(approval);
  if (ts === undefined) throw new Error('only a message that was posted names somebody');
  const found = await outbox.readMetadata({ channel: approval.channel, ts });
  const named = found?.record === id ? namedIn.safeParse(found).data : undefined;
  return { kind: 'recalled', named: named ?? null };
}

const namedIn = z.object({
  status: z.enum(['APPROVED', 'REJECTED']),
  credit: z.enum(['certain', 'sent']),
  by: z
    .string()
    .min(1)
    .transform((users) => users.split(',')),
});

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
