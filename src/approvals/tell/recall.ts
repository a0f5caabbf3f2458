import * as z from 'zod';
import { callResult, type Failed } from '../../core/engine/call-result.ts';
import type { Due } from '../../core/engine/first-due.ts';
import type { Applied } from '../../core/engine/flow.ts';
import { isRefused } from '../../core/lib/failure.ts';
import type { Standing } from '../../core/slack/outbox.ts';
import type { NewAuditEntry } from '../../core/store/store.ts';
import {
  type Approval,
  type Credit,
  isOwnGate,
  messagePost,
  type Outcome,
  type SelfApproval,
} from '../approval.ts';
import { mustRecall } from '../decision/store-rewind.ts';
import { learnOutcome } from '../decision/transitions.ts';
import type { StepRules } from '../electorate/step-rules.ts';
import type { Terms } from '../electorate/terms.ts';
import { statesOutcome } from './message/message.ts';
import { messageStateOf, stateKey } from './message/message-state.ts';

/**
 * Read from the message who decided: before stating an outcome without names, and before continuing with an own gate
 * whose outcome the store may have lost.
 */
export interface Recall {
  readonly kind: 'recall';
}

type Recalled =
  | {
      readonly kind: 'recalled';
      readonly named: Named | null;
      /** The text names them too: keep that version of the message. */
      readonly isShown: boolean;
    }
  | Failed;

/** Who decided, according to the message. */
type Named = Credit & Pick<Outcome, 'status'>;

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
      const found = await outbox.readMessage({ channel: approval.channel, ts });
      const isOwn = found?.metadata?.record === id;
      const named = (isOwn && namedIn.safeParse(found.metadata).data) || null;
      return { kind: 'recalled', named, isShown: named !== null && saysOutcome(found, named) };
    };
    return callResult(read());
  },

  /** A message that already states it is left alone: it also has the reasons. */
  apply(approval, _step, result, terms, now) {
    const { outcome, update } = approval;
    const isGate = outcome === undefined && isOwnGate(approval);
    if (!isGate && outcome?.credit !== 'none') return { data: approval };
    if (result.kind === 'failed' && !isRefused(result.failure)) {
      const waitMs = result.failure.retryAfterMs ?? terms.timing.defaultRetryAfterMs;
      return { data: { ...approval, update: { ...update, notBefore: now + waitMs } } };
    }
    if (outcome === undefined) return applyToGate(approval, result, terms, now);
    if (result.kind === 'failed') return { data: { ...approval, recalled: true } };
    const { named, isShown } = result;
    if (named?.status !== outcome.status) return { data: { ...approval, recalled: true } };
    const { status: _, ...credited } = named;
    const { credit, by } = credited;
    const known: Approval = { ...approval, recalled: true, outcome: { ...outcome, ...credited } };
    const facts = { status: named.status, credit, recalled: true };
    const entry = { action: 'approvals.outcome', record: null, actor: by.join(','), facts };
    return { data: isShown ? asShown(known, terms, now) : known, audit: [entry] };
  },
};

/** A message that names nobody, or cannot be read, states no outcome. */
function applyToGate(
  approval: Approval,
  result: Recalled,
  terms: Terms,
  now: number,
): Applied<Approval> {
  const named = result.kind === 'recalled' ? result.named : null;
  const { unrecalled, ...rest } = approval;
  const read: Approval = { ...rest, watch: { ...rest.watch, checkedAt: now } };
  if (named === null) return { data: read };
  const { status, ...said } = named;
  const credited = { ...said, credit: 'certain' } as const;
  const { data, audit = [] } = learnOutcome(
    read,
    { status, resolvedAt: null, how: 'refused', credited },
    now,
  );
  const learned = { data, audit: audit.map(asRead) };
  if (result.kind === 'recalled' && !result.isShown) return learned;
  return { ...learned, data: asShown(learned.data, terms, now) };
}

/** The store may have lost the approvals behind it. */
function asRead(entry: NewAuditEntry): NewAuditEntry {
  return { ...entry, facts: { ...entry.facts, readFrom: 'message' } };
}

function asShown({ update = {}, ...approval }: Approval, terms: Terms, now: number): Approval {
  const { gaveUpOn, gaveUpAt, resumed, ...trouble } = update;
  const kept = Object.keys(trouble).length === 0 ? {} : { update: trouble };
  const known: Approval = { ...approval, ...kept, recalled: true };
  return { ...known, shown: stateKey(messageStateOf(known, terms, now)) };
}

function saysOutcome(found: Standing | undefined, { status }: Named): boolean {
  return found !== undefined && statesOutcome(found.text, status);
}

function pairsIn([user, giver, ...rest]: readonly string[]): Readonly<Record<string, string>> {
  if (user === undefined || giver === undefined) return {};
  return { [user]: giver, ...pairsIn(rest) };
}

function selfIn([by = '', reviewer, at]: readonly string[]): SelfApproval {
  return reviewer === undefined ? { by } : { by, reviewed: { by: reviewer, at: Number(at) } };
}

const namedIn = z
  .object({
    status: z.enum(['APPROVED', 'REJECTED']),
    credit: z.enum(['certain', 'sent']),
    by: z
      .string()
      .min(1)
      .transform((users) => users.split(',')),
    for: z
      .string()
      .min(1)
      .transform((ids) => pairsIn(ids.split(',')))
      .optional(),
    self: z
      .string()
      .min(1)
      .transform((said) => selfIn(said.split(',')))
      .optional(),
    late: z.string().optional(),
  })
  .transform(({ for: places, self, late, ...said }) => ({
    ...said,
    ...(places && { for: places }),
    ...(self && { self: { ...self, ...(late !== undefined && { isLate: true as const }) } }),
  }));
