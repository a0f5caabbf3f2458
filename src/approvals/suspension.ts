import { type Approval, messagePost, type Watch } from './approval.ts';
import { troubleOf } from './failure.ts';
import { isWithdrawn } from './transitions.ts';

/**
 * Approvals that are suspended for the same reason are on one of the store's lists. The first one
 * for which it works again resumes the next ones, and so on: nobody has to ask for each of them, and
 * the other side is not asked by all of them at once.
 *
 * Whoever was resumed has left the list and owes that to those behind it. The debt is part of the
 * record until it is on the list again, or has resumed the next ones: also when it has nothing to try
 * any more.
 */

/** The service does not authorize Gatepost (401, 403). */
export const UNAUTHORIZED = 'unauthorized';

/** Slack does not take posts to the channel. */
export function blockedIn(channel: string): string {
  return `blocked:${channel}`;
}

/** Slack does not take changes of messages in the channel: they show what held before. */
export function unshownIn(channel: string): string {
  return `unshown:${channel}`;
}

/** What a channel that Slack takes messages in again resumes. */
export function suspendedIn(channel: string): readonly string[] {
  return [blockedIn(channel), unshownIn(channel)];
}

/** suspended: it is on the list. trying: it is off the list and tries again. free: it has no part in it. */
type Suspension = 'suspended' | 'trying' | 'free';

/** On which lists it can be, and how it stands with each. Few, and each step asks: plain functions. */
const SUSPENSIONS = [
  { listOf: ({ channel }: Approval) => blockedIn(channel), stateOf: postSuspension },
  { listOf: ({ channel }: Approval) => unshownIn(channel), stateOf: updateSuspension },
  { listOf: () => UNAUTHORIZED, stateOf: watchSuspension },
] as const;

function postSuspension(approval: Approval): Suspension {
  const { refused, failed, attempt, slot, notBefore } = messagePost(approval);
  const isOver = failed !== undefined || (approval.withdrawnAt !== undefined && !attempt);
  if (refused === undefined || isOver) return 'free';
  return attempt !== undefined || slot !== undefined || notBefore === undefined
    ? 'trying'
    : 'suspended';
}

/** Nobody need press anything for a message to tell the truth again. */
function updateSuspension({ update }: Approval): Suspension {
  if (update?.gaveUpOn === undefined) return 'free';
  return update.resumed === true ? 'trying' : 'suspended';
}

function watchSuspension(approval: Approval): Suspension {
  const { outcome, watch } = approval;
  if (outcome !== undefined || isWithdrawn(approval)) return 'free';
  if (watch.resumed === true) return 'trying';
  return isUnauthorized(watch) ? 'suspended' : 'free';
}

/** The lists that an approval is on while nothing but time, or one that resumes it, makes it try again. */
export function suspensionsOf(approval: Approval): string[] {
  return SUSPENSIONS.filter(({ stateOf }) => stateOf(approval) === 'suspended').map(({ listOf }) =>
    listOf(approval),
  );
}

/** Whether resuming is of no use to it, and is due to those behind it. */
export function isFreeOf(approval: Approval, list: string): boolean {
  const own = SUSPENSIONS.find(({ listOf }) => listOf(approval) === list);
  return own === undefined || own.stateOf(approval) === 'free';
}

/** It is not watched any more because the service answered 401 or 403. */
export function isUnauthorized({ ended, resumed, failure }: Watch): boolean {
  return ended === true && resumed === undefined && troubleOf(failure).why === 'denied';
}

/** A copy that is watched again because the service answered; itself if it was watched anyway. */
export function watchedAgain(approval: Approval): Approval {
  if (watchSuspension(approval) === 'free') return approval;
  const { ended, resumed, failure, stale, tries, ...watch } = approval.watch;
  return { ...approval, watch };
}

/** `after`, with the lists that are to be resumed because `before` became that. */
export function withResumesDue(before: Approval, after: Approval, isAuthorized = false): Approval {
  const due = SUSPENSIONS.filter(({ listOf, stateOf }) => {
    const was = stateOf(before);
    if (was === 'free' || stateOf(after) !== 'free') return false;
    const works =
      listOf(after) === UNAUTHORIZED ? isAuthorized : messagePost(after).ts !== undefined;
    return was === 'trying' || works;
  });
  const lists = due.map(({ listOf }) => listOf(after));
  // Where it could be posted, others can be changed.
  const opened = lists.includes(blockedIn(after.channel)) ? [unshownIn(after.channel)] : [];
  return [...lists, ...opened].reduce(withResume, after);
}

export function withResume(approval: Approval, list: string): Approval {
  const { resumes = [], ...rest } = withoutResume(approval, list);
  return { ...rest, resumes: [...resumes, list] };
}

/** The same at that time, unless it has some to resume before. */
export function withResumeAt(approval: Approval, list: string, resumeAt: number): Approval {
  return approval.resumes === undefined ? { ...approval, resumes: [list], resumeAt } : approval;
}

export function withoutResume(
  { resumes = [], resumeAt, ...rest }: Approval,
  list: string,
): Approval {
  const others = resumes.filter((each) => each !== list);
  return others.length === 0 ? rest : { ...rest, resumes: others };
}
