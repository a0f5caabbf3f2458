import { isOf } from '../../core/engine/attempt.ts';
import type { Failed } from '../../core/engine/call-result.ts';
import type { Due } from '../../core/engine/first-due.ts';
import type { FailureFacts } from '../../core/lib/failure.ts';
import {
  isOpen,
  nameInMetadata,
  duePost as nextForPost,
  type Post,
} from '../../core/posts/post.ts';
import {
  findPosted,
  makePost,
  type NotFound,
  type Opened,
  openDirect,
  type Posted,
  type Slot,
  type Turn,
  takeSlot,
  takeSpareSlot,
  takeTurn,
  turnOf,
} from '../../core/posts/post-calls.ts';
import {
  directNotOpened,
  directOpened,
  learnedLate,
  postBegun,
  postFailed,
  postKnown,
  searchedInVain,
  slotRefused,
  slotTaken,
  soughtInVain,
  turnGiven,
} from '../../core/posts/post-transitions.ts';
import { type ApprovalAlert, slackAlert } from '../alert.ts';
import { type Approval, isOwnGate, messagePost, postNamed, withPost } from '../approval.ts';
import { isStated, type MessageState, messageStateOf, stateKey } from '../message/message-state.ts';
import { digestOf, isOverflow } from '../message/overflow.ts';
import {
  announcementPosts,
  contentOf,
  metadataFor,
  namedIn,
  overflowPosts,
  reminderPost,
  threadOf,
} from '../message/post-content.ts';
import type { Terms } from '../policy.ts';
import { lostUntil, mustReadAgain, mustRecall } from '../store-rewind.ts';
import { blockedEntry } from '../transitions.ts';
import { earliest, messageTerms, type StepRules } from './step-rules.ts';

/** What is posted once goes through these steps: each post has a name, which its metadata says. */

/** Search Slack for a post whose response was lost, or that may have been forgotten. */
export interface FindPost {
  readonly kind: 'find-post';
  readonly post: string;
  readonly channel: string;
  readonly plannedAt: number;
}

/** Open the direct message that a post goes to. */
export interface OpenConversation {
  readonly kind: 'open-conversation';
  readonly post: string;
  readonly user: string;
}

/** Take the post's slot among all posts to its channel. */
export interface TakePostSlot {
  readonly kind: 'take-slot';
  readonly post: string;
  readonly channel: string;
  /** Only of what tells: whatever asks goes first. */
  readonly turn?: Turn;
}

export interface PostMessage {
  readonly kind: 'post';
  readonly post: string;
  readonly channel: string;
  readonly state: MessageState;
  readonly plannedAt: number;
}

type PostingStep = FindPost | OpenConversation | TakePostSlot | PostMessage;

/** Nobody need be asked about what is withdrawn; a post whose end is not known is still looked for. */
export function dueMessage(approval: Approval, terms: Terms, now: number): Due<PostingStep> {
  return isMessageWanted(approval, terms, now)
    ? duePost(approval, messagePost(approval), terms, now)
    : null;
}

/** Nothing was tried yet to post the message. */
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
  // Nothing is watched of an open own gate: it waits until its deadline.
  const isWaiting = isOwnGate(approval) && approval.outcome === undefined;
  const isTooOld = !isWaiting && now - askedAt > terms.watchMaxAgeMs;
  // One that a store may have forgotten asks people, who need not decide any more.
  const isToSeek = approval.withdrawnAt === undefined || soughtAt < forgottenUntil(approval, terms);
  return attempt !== undefined || (isToSeek && !isTooOld);
}

/** One after the other, so that they stand in their order. */
export function dueOverflow(approval: Approval, terms: Terms, now: number): Due<PostingStep> {
  if (messagePost(approval).ts === undefined || approval.withdrawnAt !== undefined) return null;
  const next = overflowPosts(approval).find((post) => isOpen(post));
  return next === undefined ? null : duePost(approval, next, terms, now);
}

export function dueAnnouncement(approval: Approval, terms: Terms, now: number): Due<PostingStep> {
  if (approval.outcome === undefined || messagePost(approval).ts === undefined) return null;
  if (mustRecall(approval, terms) || isAheadOfMessage(approval, terms, now)) return null;
  const waits: number[] = [];
  for (const post of announcementPosts(approval, terms.route)) {
    const due = duePost(approval, post, terms, now);
    if (typeof due === 'number') waits.push(due);
    else if (due !== null) return due;
  }
  return earliest(waits);
}

/**
 * The outcome of an own gate is told and announced once its message states it: a store that loses it finds it
 * there again, and could otherwise tell another one.
 */
export function isAheadOfMessage(approval: Approval, terms: Terms, now: number): boolean {
  if (!isOwnGate(approval) || approval.outcome === undefined) return false;
  if (messagePost(approval).ts === undefined) return false;
  const state = messageStateOf(approval, terms, now);
  return !isStated(approval, state) && approval.update?.gaveUpOn !== stateKey(state);
}

/** The thread reminds those who can still decide, as long as the message asks. */
export function dueReminder(approval: Approval, terms: Terms, now: number): Due<PostingStep> {
  const isAsking = messageStateOf(approval, terms, now).name === 'waiting' && !approval.decision;
  if (!isAsking || messagePost(approval).ts === undefined) return null;
  if (mustReadAgain(approval, terms)) return null;
  const { post, nextAt } = reminderPost(approval, terms.route, now);
  const due = post === undefined ? null : duePost(approval, post, terms, now);
  return due ?? nextAt ?? null;
}

/** Until when posts may be there that are not known; 0: none is. What another process has to know of lasts until it was looked for. */
function forgottenUntil(approval: Approval, terms: Terms): number {
  return Math.max(lostUntil(approval, terms), approval.unrecalled === true ? 1 : 0);
}

function duePost(approval: Approval, post: Post, terms: Terms, now: number): Due<PostingStep> {
  const next = nextForPost(post, now, forgottenUntil(approval, terms));
  if (next === null || typeof next === 'number') return next;
  const { name, channel = '' } = post;
  switch (next) {
    case 'find':
      return { kind: 'find-post', post: name, channel, plannedAt: now };
    case 'open': {
      const user = approval.requester?.user;
      return user === undefined ? null : { kind: 'open-conversation', post: name, user };
    }
    case 'slot':
      return { kind: 'take-slot', post: name, channel, ...(tells(name) && turnOf(post, now)) };
    case 'post': {
      const state = messageStateOf(approval, terms, now);
      return { kind: 'post', post: name, channel, state, plannedAt: now };
    }
  }
}

/** Nobody needs it to decide. */
function tells(name: string): boolean {
  return name !== 'message' && !isOverflow(name);
}

export const findPost: StepRules<FindPost, Posted | NotFound | Failed> = {
  execute({ outbox }, id, approval, { post: name, channel }) {
    return findPosted(outbox, {
      channel,
      ...threadOf(approval, name),
      sinceAt: searchedSince(approval, name, channel),
      matches: { record: id, post: nameInMetadata(postNamed(approval, name, channel)) },
    });
  },

  apply(approval, step, result, { timing }, now) {
    const post = postNamed(approval, step.post, step.channel);
    if (post.ts !== undefined) return { data: approval };
    // Which state was posted is not known: the next update states the present one.
    if (result.kind === 'posted') return { data: withTs(approval, post, result.ts, undefined) };
    if (post.attempt === undefined) {
      return { data: withPost(approval, soughtInVain(post, step, result, timing, now)) };
    }
    // A copy is no harm: buttons on it lead to the message that counts.
    return { data: withPost(approval, searchedInVain(post, step, result, timing, now)) };
  },
};

/** One that was tried stands there since then; one that may have been forgotten, since the request. */
function searchedSince(approval: Approval, name: string, channel: string): number {
  const { attempt } = postNamed(approval, name, channel);
  const triedAt = (attempt?.plannedAt ?? 0) - EARLIER_TRIES_MS;
  return Math.max(approval.createdAt, triedAt);
}

/** Before the last one it may have been tried as well. */
const EARLIER_TRIES_MS = 10 * 60_000;

export const openConversation: StepRules<OpenConversation, Opened | Failed> = {
  execute({ outbox }, _id, _approval, { user }) {
    return openDirect(outbox, user);
  },

  apply(approval, { post: name }, result, { timing }, now) {
    const post = postNamed(approval, name, undefined);
    const next =
      result.kind === 'opened'
        ? directOpened(post, result.channel)
        : directNotOpened(post, result.failure, { isNeeded: false }, timing, now);
    return { data: withPost(approval, next) };
  },
};

export const takePostSlot: StepRules<TakePostSlot, Slot> = {
  /**
   * What continues a message goes after what asks, and so does what only tells. Names are looked up here: when the post itself is tried, it is
   * sent at once.
   */
  async execute(core, _id, approval, { post, channel, turn }) {
    await core.links.learnNames(namedIn(approval, post));
    if (isOverflow(post)) return takeSpareSlot(core, channel);
    if (turn !== undefined) return takeTurn(core, channel, turn);
    const slot = await takeSlot(core, channel);
    core.queue.taken(channel, slot.waitMs);
    return slot;
  },

  apply(approval, step, result, _terms, now) {
    const post = postNamed(approval, step.post, step.channel);
    const later = step.turn === undefined ? slotRefused : turnGiven;
    const next = result.isLater ? later : slotTaken;
    return { data: withPost(approval, next(post, result.waitMs, now)) };
  },
};

export const post: StepRules<PostMessage, Posted | Failed> = {
  markAttempt(approval, step, timing, now) {
    const post = postNamed(approval, step.post, step.channel);
    // Without the note nobody would look whether it was posted.
    return { data: withPost(approval, postBegun(post, step, timing, now)), durable: true };
  },

  execute(core, id, approval, { post, channel, state }) {
    return makePost(core, {
      channel,
      ...threadOf(approval, post),
      ...contentOf(id, approval, post, state, messageTerms(core, approval)),
      metadata: metadataFor(id, approval, post, state),
    });
  },

  apply(approval, step, result, { timing }, now) {
    const post = postNamed(approval, step.post, step.channel);
    // A late result: its message was found, or deleted, or is not there.
    if (post.ts !== undefined) return { data: approval };
    if (!isOf(step, post.attempt)) {
      const late = learnedLate(post, step, result, timing, now);
      return { data: late === post ? approval : withPost(approval, late) };
    }
    if (result.kind === 'failed') {
      // Nobody is asked without the message itself, and nobody can decide on a part of it.
      const isNeeded = post.name === 'message' || isOverflow(post.name);
      const failed = postFailed(post, result.failure, { isNeeded }, timing, now);
      const data = withPost(seenAgain(approval, result.failure), failed);
      const code = blockedNow(post, failed);
      return code === undefined ? { data } : { data, audit: [blockedEntry(approval, code)] };
    }
    const shown = post.name === 'message' ? { digest: digestOf(approval) } : {};
    const facts = { post: post.name, channel: result.channel, ts: result.ts, ...shown };
    const entry = { action: 'approvals.post', record: null, actor: 'gatepost', facts };
    return { data: withTs(approval, post, result.ts, step.state), audit: [entry] };
  },

  alerts(before, step, result) {
    const alert = result.kind === 'failed' && postRefused(before, step, result.failure);
    return alert ? [alert] : [];
  },
};

/** Nobody can reply to a message that was deleted: what it shows is stated anew, which finds that out. */
function seenAgain(approval: Approval, { code }: FailureFacts): Approval {
  const { shown, ...unseen } = approval;
  return code === 'cannot_reply_to_message' ? unseen : approval;
}

/** Slack's code where it refuses the message for the first time. Whoever waits is told: see `waiting.ts`. */
function blockedNow(before: Post, { name, refused }: Post): string | undefined {
  return name === 'message' && refused !== before.refused ? refused : undefined;
}

function withTs(
  approval: Approval,
  post: Post,
  ts: string,
  state: MessageState | undefined,
): Approval {
  const data = withPost(approval, postKnown(post, ts));
  if (post.name !== 'message' || state === undefined) return data;
  return { ...data, shown: stateKey(state) };
}

/** Posting is retried for days: the same refusal is reported less and less often. */
function postRefused(
  before: Approval,
  { post, channel }: PostMessage,
  failure: FailureFacts,
): ApprovalAlert | undefined {
  // Nobody can mend the conversation with one person.
  const alert = slackAlert(failure, channel.startsWith('D') ? undefined : channel);
  if (post !== 'message') return alert;
  const { tries = 0, refused } = messagePost(before);
  if (refused === failure.code && !isPowerOfTwo(tries + 1)) return undefined;
  if (failure.class !== 'refused' || failure.status === 429) return undefined;
  return alert ?? { cause: 'post-refused', subject: channel, said: failure.code };
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count));
}
