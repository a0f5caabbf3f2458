import type { Post } from '../core/posts/post.ts';
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

/** Slack refuses what else is posted in the channel, such as outcomes. */
export function untoldIn(channel: string): string {
  return `untold:${channel}`;
}

/** What to resume in a channel that accepts messages again. */
export function suspendedIn(channel: string): readonly string[] {
  return [blockedIn(channel), unshownIn(channel), untoldIn(channel)];
}

/** suspended: on the list. trying: off the list, being retried. free: not affected. */
type Suspension = 'suspended' | 'trying' | 'free';

/** A list that an approval can be on, and its state on it. */
interface Suspending {
  readonly list: string;
  /** What works as well where this works again. */
  readonly opens?: string;
  readonly stateOf: (approval: Approval) => Suspension;
}

/** Every step reads this, so these are plain functions. */
function suspendingsOf(approval: Approval): Suspending[] {
  const { channel } = approval;
  const told = refusedPosts(approval).map((post) => post.channel ?? '');
  return [
    { list: blockedIn(channel), opens: unshownIn(channel), stateOf: postSuspension },
    { list: unshownIn(channel), stateOf: updateSuspension },
    ...[...new Set(told)].map((each) => ({
      list: untoldIn(each),
      opens: unshownIn(each),
      stateOf: (later: Approval) => tellingSuspension(later, each),
    })),
  ];
}

/** Besides the message. Nobody can fix a direct message. */
export function refusedPosts({ posts }: Approval): readonly Post[] {
  return posts.filter(({ name, channel, refused, failed }) => {
    const isToRetry = refused !== undefined && failed === undefined;
    return isToRetry && name !== 'message' && channel?.startsWith('D') === false;
  });
}

function postSuspension(approval: Approval): Suspension {
  const post = messagePost(approval);
  const isOver = post.failed !== undefined || (approval.withdrawnAt !== undefined && !post.attempt);
  return post.refused === undefined || isOver ? 'free' : suspensionOf(post);
}

function suspensionOf({ attempt, slot, notBefore }: Post): Suspension {
  const isTried = attempt !== undefined || slot !== undefined || notBefore === undefined;
  return isTried ? 'trying' : 'suspended';
}

function tellingSuspension(approval: Approval, channel: string): Suspension {
  const refused = refusedPosts(approval).filter((post) => post.channel === channel);
  if (refused.length === 0 || approval.withdrawnAt !== undefined) return 'free';
  return refused.some((post) => suspensionOf(post) === 'suspended') ? 'suspended' : 'trying';
}

/** Messages become current again without anybody pressing anything. */
function updateSuspension({ update }: Approval): Suspension {
  if (update?.gaveUpOn === undefined) return 'free';
  return update.resumed === true ? 'trying' : 'suspended';
}

/** The lists an approval is on while it waits for its time, or for another one to resume it. */
export function suspensionsOf(approval: Approval): string[] {
  const suspended = suspendingsOf(approval).filter(
    ({ stateOf }) => stateOf(approval) === 'suspended',
  );
  return suspended.map(({ list }) => list);
}

/** Whether resuming it is no use, so that the next ones on the list should be resumed. */
export function isFreeOf(approval: Approval, list: string): boolean {
  const own = suspendingsOf(approval).find((each) => each.list === list);
  return own === undefined || own.stateOf(approval) === 'free';
}

/** `after`, with the lists to resume because of the change from `before`. */
export function withResumesDue(before: Approval, after: Approval): Approval {
  const due = suspendingsOf(before).filter(({ stateOf }) => {
    const was = stateOf(before);
    if (was === 'free' || stateOf(after) !== 'free') return false;
    return was === 'trying' || messagePost(after).ts !== undefined;
  });
  // Where posting works, so do updates.
  const lists = due.flatMap(({ list, opens }) => (opens === undefined ? [list] : [list, opens]));
  return lists.reduce(withResume, after);
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
