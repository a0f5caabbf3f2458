/**
 * What is owed to whom: posts (this file), the message's update, replies, callbacks, alerts. `message/` has the words.
 */

import type { Planned } from '../../core/engine/attempt.ts';
import type { Due } from '../../core/engine/first-due.ts';
import type { Applied } from '../../core/engine/flow.ts';
import { type FailureFacts, isRefused } from '../../core/lib/failure.ts';
import type { Timing } from '../../core/lib/timing.ts';
import {
  isOpen,
  nameInMetadata,
  duePost as nextForPost,
  type Post,
  type PostStep,
  type Turn,
  turnOf,
} from '../../core/posts/post.ts';
import { executePosting, type PostingResult } from '../../core/posts/post-calls.ts';
import { applyPosting, postBegun, type TryUntil } from '../../core/posts/post-transitions.ts';
import { type ApprovalAlert, blockedEntry, slackAlert } from '../alert.ts';
import {
  type Approval,
  type Decision,
  isOwnGate,
  messagePost,
  postNamed,
  withPost,
} from '../approval.ts';
import { goingAhead } from '../decision/guards.ts';
import { forgottenUntil, mustReadAgain, mustRecall } from '../decision/store-rewind.ts';
import { closeDecision } from '../decision/transitions.ts';
import { digestOf } from '../digest.ts';
import { electorateOf } from '../electorate/electorate.ts';
import type { StepRules } from '../electorate/step-rules.ts';
import type { Terms } from '../electorate/terms.ts';
import { featurePost, firstPost, isFirst } from './message/feature-words.ts';
import { type MessageState, messageStateOf, stateKey, withShown } from './message/message-state.ts';
import { isOverflow } from './message/overflow.ts';
import {
  announcementPosts,
  contentOf,
  isLasting,
  metadataFor,
  namedIn,
  overflowPosts,
  recipientOf,
  reminderPost,
  threadOf,
} from './message/post-content.ts';
import { messageTerms } from './message-terms.ts';

/** A step of a post that is posted once; its metadata has the post's name. */
export interface PostingStep extends Planned {
  readonly kind: keyof typeof STEPS;
  readonly post: string;
  /** Absent: the requester's direct message has to be opened first. */
  readonly channel?: string;
  /** The slot's priority, for posts that only inform: those that ask go first. */
  readonly turn?: Turn;
  /** The state that the post shows. */
  readonly state?: MessageState;
}

/** The step's name in records and metrics. */
const STEPS = {
  'open-conversation': 'open',
  'take-slot': 'slot',
  'find-post': 'find',
  post: 'post',
} as const satisfies Record<string, PostStep>;

const KINDS = {
  open: 'open-conversation',
  slot: 'take-slot',
  find: 'find-post',
  post: 'post',
} as const satisfies Record<PostStep, PostingStep['kind']>;

/** A withdrawn request is not posted; a post with an unclear result is still looked for. */
export function dueMessage(approval: Approval, terms: Terms, now: number): Due<PostingStep> {
  return isMessageWanted(approval, terms, now)
    ? duePost(approval, messagePost(approval), terms, now)
    : null;
}

/** Posting has not been tried yet. */
export function isFirstPost(approval: Approval, terms: Terms, now: number): boolean {
  const { attempt, tries } = messagePost(approval);
  const isUntried = attempt === undefined && tries === undefined;
  return isUntried && approval.withdrawnAt === undefined && isMessageWanted(approval, terms, now);
}

function isMessageWanted(approval: Approval, terms: Terms, now: number): boolean {
  const { ts, attempt, soughtAt = 0 } = messagePost(approval);
  if (ts !== undefined) return false;
  // An outcome that was learned late is still stated.
  const askedAt = approval.outcome?.learnedAt ?? approval.createdAt;
  // An open own gate is not polled: it waits until its deadline.
  const isWaiting = isOwnGate(approval) && approval.outcome === undefined;
  const isTooOld = !isWaiting && now - askedAt > terms.watchMaxAgeMs;
  // After a withdrawal, a message the store may have lost is looked for: it may still be asking people.
  const isToSeek = approval.withdrawnAt === undefined || soughtAt < forgottenUntil(approval, terms);
  return attempt !== undefined || (isToSeek && !isTooOld);
}

/** One at a time, to keep their order. */
export function dueOverflow(approval: Approval, terms: Terms, now: number): Due<PostingStep> {
  if (messagePost(approval).ts === undefined || approval.withdrawnAt !== undefined) return null;
  const next = overflowPosts(approval).find((post) => isOpen(post));
  return next === undefined ? null : duePost(approval, next, terms, now);
}

/** Independent of each other. */
export function dueAnnouncements(
  approval: Approval,
  terms: Terms,
  now: number,
): readonly Due<PostingStep>[] {
  if (approval.outcome === undefined || messagePost(approval).ts === undefined) return [];
  if (mustRecall(approval, terms) || isAheadOfMessage(approval, terms, now)) return [];
  const posts = announcementPosts(approval, terms.route);
  const until = announcedUntil(approval, terms);
  return posts.map((post) => duePost(approval, post, terms, now, until));
}

/**
 * `forgottenUntil` for announcements: they are posted only after PENDING, so if the service said PENDING later than
 * anything the store may have lost, none of them can exist. The read may have begun a step earlier.
 */
function announcedUntil(approval: Approval, terms: Terms): number {
  const until = forgottenUntil(approval, terms);
  const openAt = isOwnGate(approval) ? 0 : (approval.outcome?.openAt ?? 0);
  return openAt - terms.timing.stepMs > until ? 0 : until;
}

/**
 * Everything else that people read about the outcome of an own gate waits until its message states it: if the store loses the outcome it
 * can be read from there, and could otherwise turn out differently.
 */
export function isAheadOfMessage(approval: Approval, terms: Terms, now: number): boolean {
  if (!isOwnGate(approval) || approval.outcome === undefined) return false;
  if (messagePost(approval).ts === undefined) return false;
  const state = messageStateOf(approval, terms, now);
  const key = stateKey(state);
  const isStated = approval.stated !== undefined || approval.shown === key;
  return !isStated && approval.update?.gaveUpOn !== key;
}

/** Reminds those who can still decide, in the thread, while the message asks. */
export function dueReminder(approval: Approval, terms: Terms, now: number): Due<PostingStep> {
  const state = messageStateOf(approval, terms, now);
  const { bar } = electorateOf(approval, terms);
  // Nobody is asked while nobody's approval counts.
  const isAsking = state.name === 'waiting' && bar === undefined && !approval.decision;
  if (!isAsking || messagePost(approval).ts === undefined) return null;
  if (mustReadAgain(approval, terms) || mustRecall(approval, terms)) return null;
  const { post, nextAt } = reminderPost(approval, terms, now);
  const due = post === undefined ? null : duePost(approval, post, terms, now);
  return due ?? nextAt ?? null;
}

/** The post that a guard requires. Also while another one holds the decision up, so that people can object. */
export function dueFirstPost(approval: Approval, terms: Terms, now: number): Due<PostingStep> {
  const { decision, channel, expiresAt } = approval;
  const post = firstPost(approval);
  if (decision === undefined || post === undefined || post.ts !== undefined) return null;
  const due = messagePost(approval).ts === undefined ? null : duePost(approval, post, terms, now);
  const triedTo = toldBy(decision, expiresAt, terms.timing);
  // It is searched for one last time: `firstPosted`.
  if (now >= triedTo) return { kind: 'find-post', post: post.name, channel, plannedAt: now };
  return due === null || typeof due === 'number' ? Math.min(due ?? triedTo, triedTo) : due;
}

/** As long as a press retries the service, and not past the deadline; after a delay, from the decision on. */
function toldBy(
  { at }: Decision,
  expiresAt = Number.POSITIVE_INFINITY,
  { tryForMs }: Timing,
): number {
  return Math.min(at + tryForMs, expiresAt);
}

/** A decision fails without the post that has to come first. */
function firstPosted(
  approval: Approval,
  step: PostingStep,
  post: Post,
  timing: Timing,
  now: number,
): Applied<Approval> {
  if (post.ts !== undefined) return posted(goingAhead(approval, now), step, post);
  const { decision, expiresAt } = approval;
  if (decision === undefined || firstPost(approval)?.name !== post.name) {
    return { data: approval };
  }
  const isTooLate = step.plannedAt >= toldBy(decision, expiresAt, timing);
  if (post.failed === undefined && !(isTooLate && step.kind === 'find-post')) {
    return { data: approval };
  }
  const untold = featurePost(post.name)?.untold?.(post.failed);
  if (untold === undefined) return { data: approval };
  // Posts of earlier presses that failed are dropped.
  const posts = approval.posts.filter(
    ({ name, ts }) => !isFirst(name) || ts !== undefined || name === post.name,
  );
  return { data: closeDecision({ ...approval, posts }, untold, untold) };
}

function duePost(
  approval: Approval,
  post: Post,
  terms: Terms,
  now: number,
  until = forgottenUntil(approval, terms),
): Due<PostingStep> {
  const next = nextForPost(post, now, until);
  if (next === null || typeof next === 'number') return next;
  const { name, channel } = post;
  if (next === 'open' && recipientOf(approval, name) === undefined) return null;
  return {
    kind: KINDS[next],
    post: name,
    plannedAt: now,
    ...(channel !== undefined && { channel }),
    ...(next === 'slot' && tells(name) && { turn: turnOf(post, now) }),
    ...(next === 'post' && { state: messageStateOf(approval, terms, now) }),
  };
}

/** Not needed in order to decide. */
export function tells(name: string): boolean {
  return name !== 'message' && !isOverflow(name) && !isFirst(name);
}

/** Nobody can be asked without the whole message; what became of it is read for a while. */
function triedUntil(name: string): TryUntil {
  if (!tells(name) && !isFirst(name)) return 'taken';
  return isLasting(name) ? 'week' : 'refused';
}

export const post: StepRules<PostingStep, PostingResult> = {
  markAttempt(approval, step, timing, now) {
    if (step.kind !== 'post') return undefined;
    // Without the saved attempt nobody would check whether it was posted.
    return {
      data: withPost(approval, postBegun(postOf(approval, step), step, timing, now)),
      durable: true,
    };
  },

  execute(core, id, approval, step) {
    const { post: name, turn, state } = step;
    const user = recipientOf(approval, name);
    const post = postOf(approval, step);
    const waits = isOverflow(name) ? 'spare' : turn;
    return executePosting(core, STEPS[step.kind], {
      post,
      sinceAt: searchedSince(approval, post),
      names: namedIn(approval, name),
      metadata:
        state === undefined
          ? { record: id, post: nameInMetadata(post) }
          : metadataFor(id, approval, name, state),
      ...threadOf(approval, name),
      ...(user !== undefined && { user }),
      ...(waits !== undefined && { turn: waits }),
      content() {
        if (state === undefined) throw new Error('what is posted shows a state');
        return contentOf(id, approval, name, state, messageTerms(core, approval));
      },
    });
  },

  apply(approval, step, result, { timing }, now) {
    const before = postOf(approval, step);
    const until = triedUntil(step.post);
    const kind = STEPS[step.kind];
    const post = applyPosting(before, { ...step, kind }, result, until, timing, now);
    if (post === before) return { data: approval };
    const data = withPost(approval, post);
    if (isFirst(post.name)) return firstPosted(data, step, post, timing, now);
    // A post found by search may show any state: the next update corrects it.
    if (kind !== 'post') return { data };
    if (result.kind === 'failed') {
      const code = blockedNow(before, post);
      const audit = code === undefined ? {} : { audit: [blockedEntry(approval, code)] };
      return { data: seenAgain(data, result.failure), ...audit };
    }
    return post.ts === undefined ? { data } : posted(data, step, post);
  },

  alerts(before, step, result) {
    if (result.kind !== 'failed') return [];
    const { failure } = result;
    const alert = step.kind === 'post' ? postRefused(before, step, failure) : slackAlert(failure);
    return alert ? [alert] : [];
  },
};

function postOf(approval: Approval, { post, channel }: PostingStep): Post {
  return postNamed(approval, post, channel);
}

/** Search from the first try on; a post that the store may have lost, from the request on. */
function searchedSince({ createdAt }: Approval, { attempt }: Post): number {
  return Math.max(createdAt, (attempt?.plannedAt ?? 0) - EARLIER_TRIES_MS);
}

/** Covers earlier tries. */
const EARLIER_TRIES_MS = 10 * 60_000;

/** Slack refuses replies to a deleted message: updating the message will discover that. */
function seenAgain(approval: Approval, { code }: FailureFacts): Approval {
  const { shown, stated, ...unseen } = approval;
  return code === 'cannot_reply_to_message' ? unseen : approval;
}

/** Slack's code, the first time it refuses the message. Waiting callers are told: see `waiting.ts`. */
function blockedNow(before: Post, { name, refused }: Post): string | undefined {
  return name === 'message' && refused !== before.refused ? refused : undefined;
}

function posted(
  approval: Approval,
  { state }: PostingStep,
  { name, channel = approval.channel, ts = '' }: Post,
): Applied<Approval> {
  const isMessage = name === 'message' && state !== undefined;
  const shown = isMessage ? { digest: digestOf(approval) } : {};
  const facts = { post: name, channel, ts, ...shown };
  return {
    data: isMessage ? withShown(approval, state) : approval,
    audit: [{ action: 'approvals.post', record: null, actor: 'gatepost', facts }],
  };
}

/** Posting is retried for days: the same refusal is reported less and less often. */
function postRefused(
  before: Approval,
  step: PostingStep,
  failure: FailureFacts,
): ApprovalAlert | undefined {
  const { post, channel = '' } = step;
  const { tries = 0, refused } = postOf(before, step);
  if (refused === failure.code && !isPowerOfTwo(tries + 1)) return undefined;
  // Nobody can fix a direct message.
  const alert = slackAlert(failure, channel.startsWith('D') ? undefined : channel);
  if (post !== 'message' || !isRefused(failure)) return alert;
  return alert ?? { cause: 'post-refused', subject: channel, said: failure.code };
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count));
}
