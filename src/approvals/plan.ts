import type { Due } from '../core/engine/first-due.ts';
import type { Plan } from '../core/engine/flow.ts';
import { type Approval, isOwnGate, messagePost } from './approval.ts';
import type { Terms } from './policy.ts';
import { isUntold } from './self-approval.ts';
import { dueAlert } from './steps/alert.ts';
import { dueClick, dueReauthorization } from './steps/authorize.ts';
import { dueCallback } from './steps/call-back.ts';
import { dueCount } from './steps/count-reviewers.ts';
import { dueAbsent, dueAbsentFirst } from './steps/find-absent.ts';
import { dueHold } from './steps/hold.ts';
import { dueRequester, dueRequesterToTell } from './steps/identify-requester.ts';
import {
  dueAnnouncements,
  dueMessage,
  dueOverflow,
  dueReminder,
  dueSelfApproval,
  isAheadOfMessage,
  isFirstPost,
  tells,
} from './steps/post.ts';
import { dueDecisionStatus, duePrompt, dueStatusAgain, dueWatch } from './steps/read-status.ts';
import { dueRecall } from './steps/recall.ts';
import { dueReply } from './steps/reply.ts';
import { dueRespond } from './steps/respond.ts';
import { dueResume } from './steps/resume.ts';
import type { Step } from './steps/steps.ts';
import { dueSupersede } from './steps/supersede.ts';
import { dueFold, dueOverdue, dueUpdate } from './steps/update.ts';
import { mustReadAgain, mustRecall } from './store-rewind.ts';
import { isUnconfirmed } from './transitions.ts';

type DueRule = (approval: Approval, terms: Terms, now: number) => Due<Step> | readonly Due<Step>[];

/**
 * The order is what people wait for: that there is a message, that it tells the truth, that a decision
 * goes on, that everybody is answered.
 */
const FOR_PEOPLE: readonly DueRule[] = [
  dueKnownMessage,
  dueRecall,
  dueKnownUpdate,
  onceRecalled(dueSelfApproval),
  onceRecalled(onceTold(dueReauthorization)),
  onceRecalled(onceTold(dueDecisionStatus)),
  onceRecalled(onceTold(dueRespond)),
  (approval, terms, now) =>
    isAheadOfMessage(approval, terms, now) ? null : dueReply(approval, now),
  onceRecalled(dueClick),
  onceRecalled(dueHold),
  dueOverflow,
  (approval, _, now) => dueSupersede(approval, now),
  dueAnnouncements,
  (approval, _, now) => dueOverdue(approval, now),
  dueRequesterToTell,
  onceRecalled(dueDeadline),
  dueAlert,
  (approval, _, now) => dueResume(approval, now),
  (approval, _, now) => dueCallback(approval, now),
];

/** Nobody waits for these. */
const IN_THE_BACKGROUND: readonly DueRule[] = [dueAbsent, dueReminder, dueCount, duePoll, dueFold];

/**
 * What tells people goes out together: the message, and the sentences that are owed; then the slots of what is
 * posted; then the posts, whose note has to last, which takes long where a file has to be written. A step of another
 * kind goes alone, and what comes after it waits for it.
 */
const TOGETHER: { readonly [Kind in Step['kind']]?: 'tell' | 'slot' | 'post' } = {
  update: 'tell',
  reply: 'tell',
  'open-conversation': 'tell',
  'identify-requester': 'tell',
  'take-slot': 'slot',
  post: 'post',
};

function groupOf(approval: Approval, step: Step) {
  if ('post' in step && !tells(step.post)) return undefined;
  // What is told of the outcome of an own gate waits until its message states it: see `isAheadOfMessage`.
  const isStating = step.kind === 'update' && isOwnGate(approval) && approval.outcome !== undefined;
  return isStating ? undefined : TOGETHER[step.kind];
}

/** What to do next for an approval. */
export function plan(approval: Approval, terms: Terms, now: number): Plan<Step> {
  const waits: number[] = [];
  const stepsOf = (rules: readonly DueRule[]): readonly Step[] => {
    const steps: Step[] = [];
    for (const rule of rules) {
      const found = rule(approval, terms, now);
      if (found === null) continue;
      for (const due of isList(found) ? found : [found]) {
        if (due === null) continue;
        if (typeof due === 'number') {
          waits.push(due);
          continue;
        }
        const group = groupOf(approval, due);
        const [first] = steps;
        if (first === undefined || (group !== undefined && group === groupOf(approval, first)))
          steps.push(due);
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

function isList(found: ReturnType<DueRule>): found is readonly Due<Step>[] {
  return Array.isArray(found);
}

/** Nothing is left to do. One that was decided stays on the lists of what was decided for a while. */
function history({ outcome }: Approval, { keepMs, decidedMs }: Terms, now: number): Plan<Step> {
  if (outcome === undefined) return { kind: 'finish', keepMs };
  const { learnedAt } = outcome;
  // How many wait in the background is how many are polled.
  if (now < learnedAt + decidedMs) {
    return { kind: 'wait', until: learnedAt + decidedMs, lane: 'people' };
  }
  return { kind: 'finish', keepMs: Math.max(0, learnedAt + keepMs - now) };
}

/** What the message says, who asked and who is away is found out before it is posted for the first time. */
function dueKnownMessage(approval: Approval, terms: Terms, now: number): Due<Step> {
  const isFirst = isFirstPost(approval, terms, now);
  const before = isFirst ? (duePrompt(approval, terms, now) ?? dueRequester(approval, now)) : null;
  if (before !== null) return before;
  const due = dueMessage(approval, terms, now);
  const isDue = due !== null && typeof due !== 'number';
  return isDue ? (dueAbsentFirst(approval, terms, now) ?? due) : due;
}

/**
 * The message may be newer than a restored record. A decision that can be
 * sent now goes first: its message says so while it is being sent, if that takes long.
 */
function dueKnownUpdate(approval: Approval, terms: Terms, now: number): Due<Step> {
  const isSentNext =
    !isUntold(approval) &&
    dueRespond(approval, terms, now) !== null &&
    dueReauthorization(approval, terms, now) === null;
  if (isSentNext) return null;
  const due = dueUpdate(approval, terms, now);
  const isDue = due !== null && typeof due !== 'number';
  if (!isDue || !mustReadAgain(approval, terms)) return due;
  const { decision } = approval;
  if (decision === undefined) return dueStatusAgain(approval, terms, now);
  const read = isUnconfirmed(decision) ? dueDecisionStatus(approval, terms, now) : null;
  // Where the service does not tell, people have to see that it is waited for.
  return read === null || typeof read === 'number' ? due : read;
}

/** Nobody decides an own gate again whose outcome may only be known to its message. */
function onceRecalled(rule: DueRule): DueRule {
  return (approval, terms, now) => {
    const { ts, attempt } = messagePost(approval);
    // A post whose response was lost may stand in the channel too.
    const mayStand = ts !== undefined || attempt !== undefined;
    const mayBeDecided = isOwnGate(approval) && mayStand && mustRecall(approval, terms);
    return mayBeDecided ? null : rule(approval, terms, now);
  };
}

/** What whoever asked approves themself goes on once the other reviewers are told. */
function onceTold(rule: DueRule): DueRule {
  return (approval, terms, now) => (isUntold(approval) ? null : rule(approval, terms, now));
}

/** Whoever asked waits for the end of an own gate, and it costs none of the budget for polling. */
function dueDeadline(approval: Approval, terms: Terms, now: number): Due<Step> {
  return isOwnGate(approval) ? dueWatch(approval, terms, now) : null;
}

function duePoll(approval: Approval, terms: Terms, now: number): Due<Step> {
  return isOwnGate(approval) ? null : dueWatch(approval, terms, now);
}
