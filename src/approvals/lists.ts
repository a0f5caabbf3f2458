import { type Approval, messagePost } from './approval.ts';

/**
 * The store's lists that an approval is on. While open: its route's, its state's unless it is just waiting, its
 * requester's, those that features add, and the one of denied reads. Decided, for
 * `retention.decided`: its route's and its requester's. Also those of suspended approvals.
 */

export function routeList(route: string): string {
  return `route:${route}`;
}

/** The states of open approvals that `GET` counts separately; all others are just waiting. */
export const COUNTED_STATES = ['unknown', 'blocked'] as const;

/** Few approvals are in these states, so the lists cost little. */
export function stateList(state: (typeof COUNTED_STATES)[number], route: string): string {
  return `state:${state}:${route}`;
}

/** Approvals whose reads the service denies (401, 403). Only counted. */
export const DENIED = 'denied';

/** The same list in version 0.1, which stopped polling them. */
export const UNPOLLED = 'unauthorized';

/** `user`: the requester's Slack id. */
export function requesterList(user: string): string {
  // Stored records use this name.
  return `asker:${user}`;
}

export function decidedList(route: string): string {
  return `decided:${route}`;
}

export function decidedForList(user: string): string {
  return `decided-for:${user}`;
}

/**
 * Approvals whose channel takes no posts, or no updates of messages, are suspended, and on one of the store's lists.
 * The first one that succeeds again resumes the next ones, and so on: nobody has to ask for each of them, and they do
 * not all call Slack at once.
 *
 * A resumed approval has left the list, and has to resume the next ones. Its record keeps that duty until it is
 * suspended again or has resumed them, even if it has nothing left to try itself.
 */

/** Slack refuses posts to the channel. */
export function blockedIn(channel: string): string {
  return `blocked:${channel}`;
}

/** Slack refuses updates of messages in the channel: they show an old state. */
export function unshownIn(channel: string): string {
  return `unshown:${channel}`;
}

/** What to resume in a channel that accepts messages again. */
export function suspendedIn(channel: string): readonly string[] {
  return [blockedIn(channel), unshownIn(channel)];
}

/** suspended: on the list. trying: off the list, being retried. free: not affected. */
type Suspension = 'suspended' | 'trying' | 'free';

/** The lists an approval can be on, and its state on each. Every step reads this, so these are plain functions. */
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

/** Messages become current again without anybody pressing anything. */
function updateSuspension({ update }: Approval): Suspension {
  if (update?.gaveUpOn === undefined) return 'free';
  return update.resumed === true ? 'trying' : 'suspended';
}

/** The lists an approval is on while it waits for its time, or for another one to resume it. */
export function suspensionsOf(approval: Approval): string[] {
  return SUSPENSIONS.filter(({ stateOf }) => stateOf(approval) === 'suspended').map(({ listOf }) =>
    listOf(approval),
  );
}

/** Whether resuming it is no use, so that the next ones on the list should be resumed. */
export function isFreeOf(approval: Approval, list: string): boolean {
  const own = SUSPENSIONS.find(({ listOf }) => listOf(approval) === list);
  return own === undefined || own.stateOf(approval) === 'free';
}

/** `after`, with the lists to resume because of the change from `before`. */
export function withResumesDue(before: Approval, after: Approval): Approval {
  const due = SUSPENSIONS.filter(({ stateOf }) => {
    const was = stateOf(before);
    if (was === 'free' || stateOf(after) !== 'free') return false;
    return was === 'trying' || messagePost(after).ts !== undefined;
  });
  const lists = due.map(({ listOf }) => listOf(after));
  // Where posting works, so do updates.
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
