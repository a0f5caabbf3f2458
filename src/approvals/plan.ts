import { isOpen, duePart as nextForPart, type Part } from '../posts/part.ts';
import { type Plan, STEP_MS } from '../reconcile/flow.ts';
import type { Lane } from '../store/store.ts';
import { type Approval, LOOKUPS_MAX, messagePart, partNamed } from './approval.ts';
import { faceKey, faceOf, underWay } from './face.ts';
import { afterDoubts } from './fold-examined.ts';
import { overflowCount, overflowName } from './overflow.ts';
import { dueRecheck, othersOf } from './recheck.ts';
import { reminderAt } from './reminder.ts';
import { isNotLetIn } from './standstill.ts';
import type { Step } from './step.ts';
import { mayBeForgotten, quorumOf, type Terms } from './terms.ts';
import { FIRST_LOOK_MS, LOOK_GOOD_FOR_MS } from './timing.ts';

/** A step that is due, or the time when one may be; null: nothing to do. */
type Due = Step | number | null;
type PartTerms = Pick<Terms, 'route' | 'servingSince'>;

/**
 * The one thing to do next for an approval. The order is what people wait for: that there is a
 * message, that it tells the truth, that a decision goes on, that everybody is answered; then the rest.
 */
export function plan(approval: Approval, terms: Terms, now: number): Plan<Step> {
  const people: readonly (() => Due)[] = [
    () => dueMessage(approval, terms, now),
    () => dueUpdate(approval, terms, now),
    () => dueDecision(approval, now),
    () => dueTell(approval, now),
    () => dueClick(approval, terms, now),
    () => dueOverflow(approval, terms, now),
    () => dueAnnouncement(approval, terms, now),
    () => dueAlarm(approval),
    () => dueWake(approval),
  ];
  const waits: number[] = [];
  for (const next of people) {
    const due = next();
    if (typeof due === 'number') waits.push(due);
    else if (due !== null) return { kind: 'step', step: due };
  }
  return afterPeople(approval, terms, now, waits);
}

function afterPeople(approval: Approval, terms: Terms, now: number, waits: number[]): Plan<Step> {
  const lane: Lane = waits.length > 0 ? 'people' : 'background';
  for (const due of [dueReminder(approval, terms, now), dueWatch(approval, terms, now)]) {
    if (typeof due === 'number') waits.push(due);
    else if (due !== null) return { kind: 'step', step: due };
  }
  if (waits.length === 0) return { kind: 'finish', keepMs: terms.keepMs };
  return { kind: 'wait', until: Math.min(...waits), lane };
}

function dueMessage(approval: Approval, terms: Terms, now: number): Due {
  const part = messagePart(approval);
  if (part.ts !== undefined) return null;
  // Nobody need be asked any more; a post whose end is not known is still looked for.
  if (approval.withdrawnAt !== undefined && part.attempt === undefined) return null;
  // An outcome that was learned late is still stated.
  const askedAt = approval.outcome?.learnedAt ?? approval.createdAt;
  const tooOld = now - askedAt > terms.watchMaxAgeMs;
  if (tooOld && part.attempt === undefined) return null;
  const isFirst = part.attempt === undefined && part.tries === undefined;
  if (isFirst) {
    const before = duePrompt(approval, now) ?? dueRequester(approval, 1, now);
    if (before !== null) return before;
  }
  return duePart(approval, part, terms, now);
}

/** Without words of the automation the service is asked for its own before anything is shown. */
function duePrompt(approval: Approval, now: number): Due {
  const { watch } = approval;
  const isAsked = watch.checkedAt !== undefined || watch.state === 'unknown';
  const isKnown = approval.message !== undefined || isAsked;
  if (isKnown || watch.stale === true || approval.outcome !== undefined) return null;
  if (now < watch.nextAt) return watch.nextAt;
  return { kind: 'look', why: 'prompt', deadlineMs: STEP_MS, plannedAt: now };
}

/** Who asked is looked up by the address; `tries` more lookups may be spent on that. */
function dueRequester({ requester }: Approval, tries: number, now: number): Due {
  if (requester?.email === undefined || requester.user !== undefined) return null;
  if ((requester.lookups ?? 0) >= tries) return null;
  if (requester.notBefore !== undefined && now < requester.notBefore) return requester.notBefore;
  return { kind: 'identify', email: requester.email };
}

function duePart(approval: Approval, part: Part, terms: PartTerms, now: number): Due {
  const next = nextForPart(part, now, mayBeForgotten(approval, terms));
  if (next === null || typeof next === 'number') return next;
  const { name, channel = '' } = part;
  switch (next) {
    case 'find':
      return { kind: 'find', part: name, channel, plannedAt: now };
    case 'open': {
      const user = approval.requester?.user;
      return user === undefined ? null : { kind: 'open', part: name, user };
    }
    case 'turn':
      return { kind: 'turn', part: name, channel };
    case 'post': {
      const face = faceOf(approval, terms, now);
      return { kind: 'post', part: name, channel, face, plannedAt: now };
    }
  }
}

function dueUpdate(approval: Approval, terms: Terms, now: number): Due {
  const { update } = approval;
  if (messagePart(approval).ts === undefined) return null;
  if (mustRecall(approval, terms)) {
    const from = update?.notBefore ?? 0;
    return now < from ? from : { kind: 'recall' };
  }
  const going = underWay(approval);
  if (going !== undefined && now < going.shownFrom) return going.shownFrom;
  const face = faceOf(approval, terms, now);
  const again = update?.againAt !== undefined && now >= update.againAt;
  const key = faceKey(face);
  if (approval.shown === key && !again) return update?.againAt ?? null;
  if (update?.gaveUpOn === key) return null;
  if (update?.notBefore !== undefined && now < update.notBefore) return update.notBefore;
  // The message may say more than a record from before its decision would make of it.
  if (mustLook(approval, terms)) return dueLook(approval, now);
  return { kind: 'update', face, plannedAt: now };
}

/** How the gate stands was last read before the store may have lost what came of it. */
function mustLook(approval: Approval, terms: Terms): boolean {
  const { outcome, decision, withdrawnAt, watch } = approval;
  if (!mayBeForgotten(approval, terms) || withdrawnAt !== undefined) return false;
  if (outcome !== undefined || decision !== undefined) return false;
  const isWatched = watch.ended !== true && watch.stale !== true;
  return isWatched && (watch.checkedAt ?? 0) < terms.servingSince;
}

/** At once, and not at the pace of the approval's age, unless it was tried already. */
function dueLook({ watch }: Approval, now: number): Due {
  const isTried = watch.tries !== undefined || watch.turn === true;
  if (isTried && now < watch.nextAt) return watch.nextAt;
  return { kind: 'look', why: 'watch', deadlineMs: STEP_MS, plannedAt: now };
}

/** The message may name who decided, from before the store forgot it. */
function mustRecall(approval: Approval, terms: Terms): boolean {
  const { outcome, recalled } = approval;
  const isNameless = outcome?.credit === 'none' && outcome.status !== 'TIMED_OUT';
  return isNameless && recalled === undefined && mayBeForgotten(approval, terms);
}

function dueDecision(approval: Approval, now: number): Due {
  const { decision } = approval;
  if (decision === undefined) return null;
  const { phase } = decision;
  if (phase.name === 'look' && now < phase.notBefore) return phase.notBefore;
  const again = dueRecheck(decision, now);
  if (again !== undefined) {
    const isFirst = phase.name === 'look' && phase.tries === 0;
    const look = { deadlineMs: isFirst ? FIRST_LOOK_MS : STEP_MS, plannedAt: now };
    return { kind: 'examine', click: again, others: othersOf(approval, again), look };
  }
  switch (phase.name) {
    case 'look':
      return {
        kind: 'look',
        why: 'decide',
        deadlineMs: phase.tries === 0 ? FIRST_LOOK_MS : STEP_MS,
        plannedAt: now,
      };
    case 'send':
      // What was held up by a crash or by Slack asks again: somebody may have decided elsewhere.
      if (now > phase.askedAt + LOOK_GOOD_FOR_MS) {
        return { kind: 'look', why: 'decide', deadlineMs: STEP_MS, plannedAt: now };
      }
      return { kind: 'respond', plannedAt: now };
    case 'sending':
      // Only a process that died leaves this behind: what became of the call is looked up.
      return { kind: 'look', why: 'settle', deadlineMs: STEP_MS, plannedAt: now };
    case 'settle':
      if (now < phase.notBefore) return phase.notBefore;
      return { kind: 'look', why: 'settle', deadlineMs: STEP_MS, plannedAt: now };
  }
}

function dueTell({ tells }: Approval, now: number): Due {
  const ready = tells.find((each) => each.notBefore === undefined || now >= each.notBefore);
  if (ready !== undefined) return { kind: 'tell', tell: ready.id };
  return earliest(tells.map((each) => each.notBefore));
}

/** Clicks are examined one after the other, and none while another is carried out. */
function dueClick(approval: Approval, { route }: Terms, now: number): Due {
  const { queue, decision } = approval;
  if (decision !== undefined) return null;
  const click = queue.find(({ notBefore }) => notBefore === undefined || now >= notBefore);
  if (click === undefined) return earliest(queue.map(({ notBefore }) => notBefore));
  const others = othersOf(approval, click);
  const decides = click.action === 'reject' || others.length + 1 >= quorumOf(approval, route);
  if (!decides) return { kind: 'examine', click };
  const look = { deadlineMs: FIRST_LOOK_MS, plannedAt: now };
  return {
    kind: 'examine',
    click,
    others,
    // A decision that has to wait looks when it may go on.
    ...(afterDoubts(approval, now) <= now && { look }),
  };
}

function dueOverflow(approval: Approval, terms: Terms, now: number): Due {
  if (messagePart(approval).ts === undefined || approval.withdrawnAt !== undefined) return null;
  const next = overflowParts(approval).find((part) => isOpen(part));
  const { servingSince } = terms;
  // Replies show no face.
  return next === undefined
    ? null
    : duePart(approval, next, { servingSince, route: undefined }, now);
}

/** One after the other, so that they stand in their order. */
function overflowParts(approval: Approval): Part[] {
  const names = Array.from({ length: overflowCount(approval) }, (_, at) => overflowName(at + 1));
  return names.map((name) => partNamed(approval, name, approval.channel));
}

function dueAnnouncement(approval: Approval, terms: Terms, now: number): Due {
  if (approval.outcome === undefined || messagePart(approval).ts === undefined) return null;
  if (mustRecall(approval, terms)) return null;
  const parts = announcementParts(approval, terms);
  const due = dueOf(parts, (part) => duePart(approval, part, terms, now));
  if (due !== null && typeof due !== 'number') return due;
  const wantsRequester = terms.route?.outcomes.requester ?? true;
  const identify = wantsRequester ? dueRequester(approval, LOOKUPS_MAX, now) : null;
  if (identify !== null && typeof identify !== 'number') return identify;
  return earliest([due ?? undefined, identify ?? undefined]);
}

function announcementParts(approval: Approval, { route }: Terms): Part[] {
  const { channel } = approval;
  const where = route?.outcomes ?? { thread: true, channel: null, requester: true };
  const parts: Part[] = [];
  if (where.thread) parts.push(partNamed(approval, 'outcome-thread', channel));
  if (where.channel !== null && where.channel !== channel) {
    parts.push(partNamed(approval, 'outcome-channel', where.channel));
  }
  const isAsked = where.requester && approval.requester?.user !== undefined;
  if (isAsked) parts.push(partNamed(approval, 'outcome-requester', undefined));
  return parts;
}

function dueAlarm({ alarms: [alarm] = [] }: Approval): Due {
  return alarm === undefined ? null : { kind: 'alarm', alarm };
}

function dueWake({ wakes: [list] = [] }: Approval): Due {
  return list === undefined ? null : { kind: 'wake', list };
}

/** The thread reminds those who can still decide, as long as the message asks. */
function dueReminder(approval: Approval, terms: Terms, now: number): Due {
  const isAsking = faceOf(approval, terms, now).state === 'waiting' && !approval.decision;
  if (mustLook(approval, terms)) return null;
  if (!isAsking || messagePart(approval).ts === undefined) return null;
  const { name, nextAt } = reminderAt(approval, terms.route?.remind, now);
  const part = name === undefined ? undefined : partNamed(approval, name, approval.channel);
  const due = part === undefined ? null : duePart(approval, part, terms, now);
  return due ?? nextAt ?? null;
}

function dueWatch(approval: Approval, { watchMaxAgeMs }: Terms, now: number): Due {
  const { outcome, decision, withdrawnAt, watch, createdAt } = approval;
  if (outcome !== undefined || decision !== undefined || withdrawnAt !== undefined) return null;
  const isAsked = (watch.askers ?? []).length > 0 || watch.woken === true;
  if (watch.ended === true && !isAsked) {
    // Whoever is let in first wakes it; it stands by for that as long as it would be watched.
    const overAt = createdAt + watchMaxAgeMs;
    return isNotLetIn(watch) && now < overAt ? overAt : null;
  }
  if (now < watch.nextAt) return watch.nextAt;
  return { kind: 'look', why: 'watch', deadlineMs: STEP_MS, plannedAt: now };
}

function dueOf(parts: readonly Part[], dueFor: (part: Part) => Due): Due {
  const waits: number[] = [];
  for (const part of parts) {
    const due = dueFor(part);
    if (typeof due === 'number') waits.push(due);
    else if (due !== null) return due;
  }
  return earliest(waits);
}

function earliest(times: readonly (number | undefined)[]): number | null {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}
