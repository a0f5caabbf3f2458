import type { FailureFacts } from '../lib/failure.ts';
import { type Attempt, attemptAt, isOf } from '../reconcile/attempt.ts';
import type { Folded } from '../reconcile/flow.ts';
import { DEFAULT_RETRY_AFTER_MS, patientWaitMs, RETRY_MS } from '../reconcile/patience.ts';
import { type Approval, messagePart, type Update, withPart } from './approval.ts';
import { faceKey, faceOf } from './face.ts';
import { excerptOf, isOverflow } from './overflow.ts';
import { unshownSentence } from './sentences.ts';
import type { Step, StepResult } from './step.ts';
import type { Terms } from './terms.ts';
import { RENDER_AGAIN_MS } from './timing.ts';
import { tell } from './transitions.ts';

type UpdateStep = Extract<Step, { kind: 'update' }>;

/** Notes that the message is about to be changed, `inMs` from now: until that has ended it may show anything. */
export function beginUpdate(
  approval: Approval,
  step: Pick<Attempt, 'plannedAt'>,
  now: number,
  inMs = 0,
): Approval {
  const { shown, ...rest } = approval;
  const { notBefore, againAt, attempt, ...update } = approval.update ?? {};
  // An attempt that is still open belonged to a process that died: it may come late.
  const again = attempt === undefined ? againAt : attempt.mustEndBy + RENDER_AGAIN_MS;
  const isAhead = again !== undefined && again > now;
  const begun = attemptAt(step, now + inMs);
  return { ...rest, update: { ...update, ...(isAhead && { againAt: again }), attempt: begun } };
}

/** Folds a change of the message. */
export function foldUpdated(
  approval: Approval,
  step: UpdateStep,
  result: StepResult,
  now: number,
): Approval {
  // A late end: what other holders have shown since may be gone, and so may their message.
  if (!isOf(step, approval.update?.attempt)) return renderedAgain(approval, now);
  const { attempt, tries, notBefore, ...kept } = approval.update ?? {};
  if (result.kind === 'done') {
    const { update, ...rest } = approval;
    const again: Update = kept.againAt === undefined ? {} : { againAt: kept.againAt };
    return {
      ...rest,
      shown: faceKey(step.face),
      ...(kept.againAt !== undefined && { update: again }),
    };
  }
  if (result.kind !== 'failed') throw new Error(`an update does not end as ${result.kind}`);
  const { failure } = result;
  if (NEEDS_NEW_MESSAGE.has(failure.code)) return postAgain({ ...approval, update: kept }, failure);
  const failed = (tries ?? 0) + 1;
  if (failure.status === 429) {
    const waitMs = failure.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS;
    return { ...approval, update: { ...kept, notBefore: now + waitMs } };
  }
  if (failure.class === 'refused' && failed >= REFUSED_UPDATES_MAX) {
    return gaveUp({ ...approval, update: { ...kept, gaveUpOn: faceKey(step.face) } }, step, now);
  }
  const again = failure.class === 'ambiguous' ? { againAt: now + RENDER_AGAIN_MS } : {};
  const waitMs = patientWaitMs(failed - 1, RETRY_MS[0], 60_000);
  // A long silence of Slack is no reason to give up at the first refusal after it.
  const counted = failure.class === 'refused' ? failed : Math.min(failed, REFUSED_UPDATES_MAX / 2);
  return { ...approval, update: { ...kept, ...again, tries: counted, notBefore: now + waitMs } };
}

/** Folds whom the message names. It is left as it is then: it also holds their reasons. */
export function foldRecalled(
  approval: Approval,
  result: StepResult,
  terms: Terms,
  now: number,
): Folded<Approval> {
  const { outcome, update } = approval;
  if (outcome === undefined || outcome.credit !== 'none') return { data: approval };
  if (result.kind === 'failed') {
    const { failure } = result;
    const mayNotLook = failure.class === 'refused' && failure.status !== 429;
    if (mayNotLook) return { data: { ...approval, recalled: true } };
    const notBefore = now + (failure.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
    return { data: { ...approval, update: { ...update, notBefore } } };
  }
  if (result.kind !== 'recalled') throw new Error(`a recall does not end as ${result.kind}`);
  const { named } = result;
  if (named?.status !== outcome.status) return { data: { ...approval, recalled: true } };
  const { credit, by } = named;
  const known: Approval = { ...approval, recalled: true, outcome: { ...outcome, credit, by } };
  const facts = { status: named.status, credit, recalled: true };
  const entry = { action: 'approvals.outcome', record: null, actor: by.join(','), facts };
  return { data: { ...known, shown: faceKey(faceOf(known, terms, now)) }, audit: [entry] };
}

/** Nobody reads the outcome in the message: those who decided are told. */
function gaveUp(approval: Approval, { face }: Pick<UpdateStep, 'face'>, now: number): Approval {
  const { outcome, channel } = approval;
  if (face.state !== 'decided' || outcome === undefined) return approval;
  const text = unshownSentence(outcome, channel, excerptOf(approval).title);
  return outcome.by.reduce(
    (owing, user) => tell(owing, { user, channel, at: now }, text, 'direct'),
    approval,
  );
}

/** Several minutes: the bot may be invited again. */
const REFUSED_UPDATES_MAX = 12;
/** The message is gone, or Slack will never change it. */
const NEEDS_NEW_MESSAGE: ReadonlySet<string> = new Set([
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
]);

/** The message is shown once more when an update that comes late cannot come any more. */
export function renderedAgain(approval: Approval, now: number): Approval {
  return { ...approval, update: { ...approval.update, againAt: now + RENDER_AGAIN_MS } };
}

/** Once while the gate is open, and once more to state the outcome. */
function postAgain(approval: Approval, failure: FailureFacts): Approval {
  const { ts, gone = [], ...part } = messagePart(approval);
  const allowed = approval.outcome === undefined ? 1 : 2;
  const next = { ...part, ...(ts !== undefined && { gone: [...gone, ts] }) };
  if (gone.length >= allowed) return withPart(approval, { ...next, failed: failure.code });
  // The replies of a message that is gone are not below the new one.
  const parts = approval.parts.filter(({ name }) => !isOverflow(name));
  return withPart({ ...approval, parts }, next);
}
