import { z } from 'zod';
import type { Applied } from '../../engine/flow.ts';
import type { Failed } from '../../engine/settled.ts';
import { type Approval, messagePost, type Outcome } from '../approval.ts';
import { isOwnGate } from '../authority.ts';
import { settled } from '../failure.ts';
import { mustRecall } from '../forgotten.ts';
import { messageStateOf, stateKey } from '../message/message-state.ts';
import type { Terms } from '../policy.ts';
import { learnOutcome } from '../transitions.ts';
import type { Due, StepRules } from './step-rules.ts';

/**
 * Read from the message itself whom it names: before an outcome without names is stated, and before an own
 * gate of which the store may have lost the outcome goes on.
 */
export interface Recall {
  readonly kind: 'recall';
}

type Recalled = { readonly kind: 'recalled'; readonly named: Named | null } | Failed;

/** Whom a message names for an outcome. */
type Named = Pick<Outcome, 'status' | 'credit' | 'by'>;

export function dueRecall(approval: Approval, terms: Terms, now: number): Due<Recall> {
  if (messagePost(approval).ts === undefined || !mustRecall(approval, terms)) return null;
  const from = approval.update?.notBefore ?? 0;
  return now < from ? from : { kind: 'recall' };
}

export const recall: StepRules<Recall, Recalled> = {
  /** By its metadata; null: nobody. */
  execute({ outbox }, id, approval) {
    const { ts } = messagePost(approval);
    if (ts === undefined) throw new Error('only a message that was posted names somebody');
    const read = async (): Promise<Recalled> => {
      const found = await outbox.readMetadata({ channel: approval.channel, ts });
      const named = found?.record === id ? namedIn.safeParse(found).data : undefined;
      return { kind: 'recalled', named: named ?? null };
    };
    return settled(read());
  },

  /** The message is left as it is when it names them: it also holds their reasons. */
  apply(approval, _step, result, terms, now) {
    const { outcome, update } = approval;
    if (outcome === undefined && isOwnGate(approval)) {
      return applyToGate(approval, result, terms, now);
    }
    if (outcome === undefined || outcome.credit !== 'none') return { data: approval };
    if (result.kind === 'failed') {
      const { failure } = result;
      const mayNotLook = failure.class === 'refused' && failure.status !== 429;
      if (mayNotLook) return { data: { ...approval, recalled: true } };
      const notBefore = now + (failure.retryAfterMs ?? terms.timing.defaultRetryAfterMs);
      return { data: { ...approval, update: { ...update, notBefore } } };
    }
    const { named } = result;
    if (named?.status !== outcome.status) return { data: { ...approval, recalled: true } };
    const { credit, by } = named;
    const known: Approval = { ...approval, recalled: true, outcome: { ...outcome, credit, by } };
    const facts = { status: named.status, credit, recalled: true };
    const entry = { action: 'approvals.outcome', record: null, actor: by.join(','), facts };
    return {
      data: { ...known, shown: stateKey(messageStateOf(known, terms, now)) },
      audit: [entry],
    };
  },
};

/** Without an answer it is asked again; a message that names nobody, or cannot be read, holds no outcome. */
function applyToGate(
  approval: Approval,
  result: Recalled,
  terms: Terms,
  now: number,
): Applied<Approval> {
  if (result.kind === 'failed') {
    const { failure } = result;
    if (failure.class !== 'refused' || failure.status === 429) {
      const notBefore = now + (failure.retryAfterMs ?? terms.timing.defaultRetryAfterMs);
      return { data: { ...approval, update: { ...approval.update, notBefore } } };
    }
  }
  const named = result.kind === 'recalled' ? result.named : null;
  const read: Approval = { ...approval, watch: { ...approval.watch, checkedAt: now } };
  if (named === null) return { data: read };
  const { status, by } = named;
  const credited = { credit: 'certain', by } as const;
  const learned = learnOutcome(read, { status, resolvedAt: null, how: 'refused', credited }, now);
  // The message is left as it is here, too.
  const shown = stateKey(messageStateOf(learned.data, terms, now));
  return { ...learned, data: { ...learned.data, shown } };
}

const namedIn = z.object({
  status: z.enum(['APPROVED', 'REJECTED']),
  credit: z.enum(['certain', 'sent']),
  by: z
    .string()
    .min(1)
    .transform((users) => users.split(',')),
});
