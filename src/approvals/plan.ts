import type { Due } from '../core/engine/first-due.ts';
import type { Plan } from '../core/engine/flow.ts';
import { type Approval, isOwnGate, messagePost } from './approval.ts';
import { dueClick, dueReauthorization } from './decision/authorize.ts';
import { dueBar } from './decision/bars.ts';
import { dueFeatureSteps } from './decision/feature-hooks.ts';
import { heldUpBy } from './decision/guards.ts';
import {
  dueAddedRequester,
  dueRequester,
  dueRequesterLater,
} from './decision/identify-requester.ts';
import { duePause } from './decision/pause.ts';
import { dueDecisionStatus, duePrompt, dueStatusAgain, dueWatch } from './decision/read-status.ts';
import { dueRespond } from './decision/respond.ts';
import { dueResume } from './decision/resume.ts';
import { forgottenUntil, mustReadAgain, mustRecall } from './decision/store-rewind.ts';
import { isUnconfirmed } from './decision/transitions.ts';
import { dueCount } from './electorate/count-reviewers.ts';
import { dueAbsent, dueAbsentFirst } from './electorate/find-absent.ts';
import type { Terms } from './electorate/terms.ts';
import type { Step } from './steps.ts';
import { dueAlert } from './tell/alert.ts';
import { dueCallback } from './tell/call-back.ts';
import { isPosted } from './tell/message/message-state.ts';
import {
  dueAnnouncements,
  dueFirstPost,
  dueMessage,
  dueOverflow,
  dueReminder,
  isAheadOfMessage,
  isFirstPost,
  tells,
} from './tell/post.ts';
import { dueRecall } from './tell/recall.ts';
import { dueHomes } from './tell/refresh-home.ts';
import { dueReply } from './tell/reply.ts';
import { dueFold, dueOverdue, dueUpdate } from './tell/update.ts';

type DueRule = (
  approval: Approval,
  terms: Terms,
  now: number,
) => Due<Step> | readonly Due<Step>[] | Reads;

/** Steps that only read, made at the same time; what they found is applied in this order. */
interface Reads {
  readonly reads: readonly Step[];
}

/** What every decision needs before it is sent, in order, and that it is sent. Guards come before all of it. */
const SENDING: readonly DueRule[] = [
  dueReauthorization,
  dueDecisionStatus,
  dueBar('send'),
  dueRespond,
];

/**
 * In the order of what people wait for: that there is a message, that it is true, that a decision goes ahead, that
 * everybody is answered.
 */
const FOR_PEOPLE: readonly DueRule[] = [
  dueBar('changed'),
  dueKnownMessage,
  dueRecall,
  dueKnownUpdate,
  onceRecalled(dueFirstPost),
  (approval, _, now) => dueAddedRequester(approval, now),
  ...SENDING.map((rule) => onceRecalled(unlessHeldUp(rule))),
  (approval, terms, now) =>
    isAheadOfMessage(approval, terms, now) ? null : dueReply(approval, now),
  (approval, _, now) => dueHomes(approval, now),
  onceRecalled(duePress),
  dueRequesterLater,
  onceRecalled(unlessHeldUp(duePause)),
  dueOverflow,
  dueFeatureSteps,
  dueAnnouncements,
  (approval, _, now) => dueOverdue(approval, now),
  onceRecalled(dueDeadline),
  dueAlert,
  (approval, _, now) => dueResume(approval, now),
  (approval, _, now) => dueCallback(approval, now),
];

/** Nobody is waiting for these. */
const IN_THE_BACKGROUND: readonly DueRule[] = [
  oncePosted(dueAbsent),
  dueReminder,
  dueCount,
  dueBar('later'),
  duePoll,
  dueFold,
];

/**
 * Kinds of steps that run at the same time: first the message's update and replies; then the slots for posts; then the
 * posts, whose attempts are stored durably, which is slow where a file has to be written. Any other step runs alone,
 * and later steps wait for it.
 */
const TOGETHER: { readonly [Kind in Step['kind']]?: 'tell' | 'slot' | 'post' } = {
  update: 'tell',
  reply: 'tell',
  'refresh-home': 'tell',
  'open-conversation': 'tell',
  'identify-requester': 'tell',
  'take-slot': 'slot',
  post: 'post',
};

function groupOf(step: Step) {
  return 'post' in step && !tells(step.post) ? undefined : TOGETHER[step.kind];
}

/** The next step for an approval. */
export function plan(approval: Approval, terms: Terms, now: number): Plan<Step> {
  const waits: number[] = [];
  const stepsOf = (rules: readonly DueRule[]): readonly Step[] => {
    const steps: Step[] = [];
    for (const rule of rules) {
      const found = rule(approval, terms, now);
      if (found === null) continue;
      if (typeof found === 'object' && 'reads' in found)
        return steps.length === 0 ? found.reads : steps;
      for (const due of isList(found) ? found : [found]) {
        if (due === null) continue;
        if (typeof due === 'number') {
          waits.push(due);
          continue;
        }
        const group = groupOf(due);
        const [first] = steps;
        if (first === undefined || group === groupOf(first)) steps.push(due);
        if (group === undefined) return steps;
      }
    }
    return steps;
  };
  const forPeople = stepsOf(FOR_PEOPLE);
  const lane = waits.length > 0 ? 'people' : 'background';
  const [step, ...beside] = forPeople.length > 0 ? forPeople : stepsOf(IN_THE_BACKGROUND);
  if (step !== undefined) return { kind: 'step', step, ...(beside.length > 0 && { beside }) };
  if (waits.length === 0) return history(approval, terms, now);
  return { kind: 'wait', until: Math.min(...waits), lane };
}

function isList(found: Due<Step> | readonly Due<Step>[]): found is readonly Due<Step>[] {
  return Array.isArray(found);
}

/** Nothing is left to do. A decided approval stays listed as decided for a while. */
function history({ outcome }: Approval, { keepMs, decidedMs }: Terms, now: number): Plan<Step> {
  if (outcome === undefined) return { kind: 'finish', keepMs };
  const { learnedAt } = outcome;
  // The size of the background lane is the number of polled approvals, so this waits in the other lane.
  if (now < learnedAt + decidedMs) {
    return { kind: 'wait', until: learnedAt + decidedMs, lane: 'people' };
  }
  return { kind: 'finish', keepMs: Math.max(0, learnedAt + keepMs - now) };
}

const dueBarFirst = dueBar('post');
const dueBarOfPress = dueBar('press');

/** The message's text, the requester, the closing and absences are read before the first post. */
function dueKnownMessage(approval: Approval, terms: Terms, now: number): Due<Step> | Reads {
  const isFirst = isFirstPost(approval, terms, now);
  const before = isFirst ? (duePrompt(approval, terms, now) ?? dueRequester(approval, now)) : null;
  if (before !== null) return before;
  const due = dueMessage(approval, terms, now);
  if (!isStep(due)) return due;
  const bar = dueBarFirst(approval, terms, now);
  const absent = dueAbsentFirst(approval, terms, now);
  return isStep(bar) && isStep(absent) ? { reads: [bar, absent] } : (bar ?? absent ?? due);
}

/** What is read before an approval counts is read while the person is authorized. */
function duePress(approval: Approval, terms: Terms, now: number): Due<Step> | Reads {
  const bar = dueBarOfPress(approval, terms, now);
  const click = dueClick(approval, terms, now);
  const isApproval = isStep(click) && click.click.action === 'approve';
  return isStep(bar) && isApproval ? { reads: [bar, click] } : (bar ?? click);
}

function isStep<Kind extends Step>(due: Due<Kind>): due is Kind {
  return due !== null && typeof due !== 'number';
}

/**
 * The record may be restored and older than the message. A decision that can be sent now goes first: the message says
 * so if sending takes long.
 */
function dueKnownUpdate(approval: Approval, terms: Terms, now: number): Due<Step> {
  const isSentNext =
    heldUpBy(approval) === undefined &&
    dueRespond(approval, terms, now) !== null &&
    dueReauthorization(approval, terms, now) === null;
  if (isSentNext) return null;
  const due = dueUpdate(approval, terms, now);
  if (!isStep(due) || !mustReadAgain(approval, terms)) return due;
  const { decision } = approval;
  if (decision === undefined) return dueStatusAgain(approval, terms, now);
  const read = isUnconfirmed(decision) ? dueDecisionStatus(approval, terms, now) : null;
  // If the service does not answer, people have to see that the decision is waiting for it.
  return isStep(read) ? read : due;
}

/** An own gate is not decided again while its message may state an outcome that the store lost. */
function onceRecalled(rule: DueRule): DueRule {
  return (approval, terms, now) => {
    const { ts, attempt, failed, refused, soughtAt = 0 } = messagePost(approval);
    // A post whose response was lost may also be in the channel, and so may one that the store lost.
    const isRefused = failed !== undefined || refused !== undefined;
    const isUnsought = !isRefused && soughtAt < forgottenUntil(approval, terms);
    const mayStand = ts !== undefined || attempt !== undefined || isUnsought;
    return mayStand && mustRecall(approval, terms) ? null : rule(approval, terms, now);
  };
}

/** Nobody was mentioned before. */
function oncePosted(rule: DueRule): DueRule {
  return (approval, terms, now) => (isPosted(approval) ? rule(approval, terms, now) : null);
}

function unlessHeldUp(rule: DueRule): DueRule {
  return (approval, terms, now) =>
    heldUpBy(approval) === undefined ? rule(approval, terms, now) : null;
}

/** Somebody waits for an own gate's deadline, and it costs no polling budget. */
function dueDeadline(approval: Approval, terms: Terms, now: number): Due<Step> {
  return isOwnGate(approval) ? dueWatch(approval, terms, now) : null;
}

function duePoll(approval: Approval, terms: Terms, now: number): Due<Step> {
  return isOwnGate(approval) ? null : dueWatch(approval, terms, now);
}
