import { type Approval, messagePost } from './approval.ts';

/**
 * Approvals whose channel takes no posts, or no changes of messages, are suspended, and on one of the
 * store's lists. The first one for which it works again resumes the next ones, and so on: nobody has to
 * ask for each of them, and Slack is not asked by all of them at once.
 *
 * Whoever was resumed has left the list and owes that to those behind it. The debt is part of the
 * record until it is on the list again, or has resumed the next ones: also when it has nothing to try
 * any more.
 */

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

/** `after`, with the lists that are to be resumed because `before` became that. */
export function withResumesDue(before: Approval, after: Approval): Approval {
  const due = SUSPENSIONS.filter(({ stateOf }) => {
    const was = stateOf(before);
    if (was === 'free' || stateOf(after) !== 'free') return false;
    return was === 'trying' || messagePost(after).ts !== undefined;
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

export function withoutResume(
  { resumes = [], resumeAt, ...rest }: Approval,
  list: string,
): Approval {
  const others = resumes.filter((each) => each !== list);
  return others.length === 0 ? rest : { ...rest, resumes: others };
}
