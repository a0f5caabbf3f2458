import { type Approval, messagePart, type Watch } from './approval.ts';
import type { Step, StepResult } from './step.ts';
import { troubleOf } from './trouble.ts';

/**
 * Approvals that stand still for the same reason stand on one of the store's lists. The first one
 * for which it works again wakes the next ones, and so on: nobody has to ask for each of them, and
 * the other side is not asked by all of them at once.
 */

/** The service lets Gatepost in no longer. */
export const NOT_LET_IN = 'not-let-in';

/** Slack does not take posts to the channel. */
export function blockedIn(channel: string): string {
  return `blocked:${channel}`;
}

/** The lists that an approval is on while nothing but time, or one that wakes it, makes it try again. */
export function standstillsOf(approval: Approval): string[] {
  const { refused, attempt, turn, notBefore } = messagePart(approval);
  const isTrying = attempt !== undefined || turn !== undefined || notBefore === undefined;
  return [
    ...(refused !== undefined && !isTrying ? [blockedIn(approval.channel)] : []),
    ...(isNotLetIn(approval.watch) ? [NOT_LET_IN] : []),
  ];
}

/** It is not watched any more because the service answered 401 or 403. */
export function isNotLetIn({ ended, woken, failure }: Watch): boolean {
  return ended === true && woken === undefined && troubleOf(failure).why === 'denied';
}

/** The lists of those that may go on as well, because a step that ended so made `after` of `before`. */
export function worksAgain(
  before: Approval,
  step: Step,
  result: StepResult,
  after: Approval,
): string[] {
  const wasBlocked = messagePart(before).refused !== undefined;
  const isPosted = messagePart(after).ts !== undefined;
  const wasDenied = troubleOf(before.watch.failure).why === 'denied';
  const isLetIn =
    step.kind === 'look' && result.kind === 'status' && (wasDenied || result.letInAgain === true);
  return [
    ...(wasBlocked && isPosted ? [blockedIn(before.channel)] : []),
    ...(isLetIn ? [NOT_LET_IN] : []),
  ];
}
