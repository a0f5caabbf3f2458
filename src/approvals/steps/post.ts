import { isOf } from '../../engine/attempt.ts';
import type { Failed } from '../../engine/settled.ts';
import type { FailureFacts } from '../../lib/failure.ts';
import {
  directNotOpened,
  directOpened,
  postBegun,
  postFailed,
  postKnown,
  searchedInVain,
  slotRefused,
  slotTaken,
  soughtInVain,
} from '../../posts/apply-post.ts';
import {
  makePost,
  type Posted,
  type Slot,
  takeSlot,
  takeSpareSlot,
} from '../../posts/make-post.ts';
import { isOpen, duePart as nextForPart, type Part } from '../../posts/post.ts';
import { type ApprovalAlert, slackAlert } from '../alert.ts';
import { type Approval, messagePart, partNamed, withPart } from '../approval.ts';
import { settled } from '../failure.ts';
import { mayBeForgotten, mustReadAgain, mustRecall } from '../forgotten.ts';
import { type MessageState, messageStateOf, stateKey } from '../message/message-state.ts';
import { isOverflow } from '../message/overflow.ts';
import {
  announcementParts,
  contentOf,
  metadataFor,
  nameInMetadata,
  overflowParts,
  reminderPart,
  threadOf,
} from '../message/posts.ts';
import type { Terms } from '../policy.ts';
import { type Due, earliest, type StepRules } from './step-rules.ts';

/** What is posted once goes through these steps: each part has a name, which its metadata says. */

/** Search Slack for a post whose answer was lost, or that may have been forgotten. */
export interface FindPost {
  readonly kind: 'find-post';
  readonly part: string;
  readonly channel: string;
  readonly plannedAt: number;
}

/** Open the direct message that a part goes to. */
export interface OpenConversation {
  readonly kind: 'open-conversation';
  readonly part: string;
  readonly user: string;
}

/** Take the part's slot among all posts to its channel. */
export interface TakePostSlot {
  readonly kind: 'take-slot';
  readonly part: string;
  readonly channel: string;
}

export interface Post {
  readonly kind: 'post';
  readonly part: string;
  readonly channel: string;
  readonly state: MessageState;
  readonly plannedAt: number;
}

type PostStep = FindPost | OpenConversation | TakePostSlot | Post;

/** Nobody need be asked about what is withdrawn; a post whose end is not known is still looked for. */
export function dueMessage(approval: Approval, terms: Terms, now: number): Due<PostStep> {
  return isMessageWanted(approval, terms, now)
    ? duePart(approval, messagePart(approval), terms, now)
    : null;
}

/** Nothing was tried yet to post the message. */
export function isFirstPost(approval: Approval, terms: Terms, now: number): boolean {
  const { attempt, tries } = messagePart(approval);
  return attempt === undefined && tries === undefined && isMessageWanted(approval, terms, now);
}

function isMessageWanted(approval: Approval, terms: Terms, now: number): boolean {
  const { ts, attempt } = messagePart(approval);
  if (ts !== undefined) return false;
  // An outcome that was learned late is still stated.
  const askedAt = approval.outcome?.learnedAt ?? approval.createdAt;
  const isTooOld = now - askedAt > terms.watchMaxAgeMs;
  return attempt !== undefined || (approval.withdrawnAt === undefined && !isTooOld);
}

/** One after the other, so that they stand in their order. */
export function dueOverflow(approval: Approval, terms: Terms, now: number): Due<PostStep> {
  if (messagePart(approval).ts === undefined || approval.withdrawnAt !== undefined) return null;
  const next = overflowParts(approval).find((part) => isOpen(part));
  return next === undefined ? null : duePart(approval, next, terms, now);
}

export function dueAnnouncement(approval: Approval, terms: Terms, now: number): Due<PostStep> {
  if (approval.outcome === undefined || messagePart(approval).ts === undefined) return null;
  if (mustRecall(approval, terms)) return null;
  const waits: number[] = [];
  for (const part of announcementParts(approval, terms.route)) {
    const due = duePart(approval, part, terms, now);
    if (typeof due === 'number') waits.push(due);
    else if (due !== null) return due;
  }
  return earliest(waits);
}

/** The thread reminds those who can still decide, as long as the message asks. */
export function dueReminder(approval: Approval, terms: Terms, now: number): Due<PostStep> {
  const isAsking = messageStateOf(approval, terms, now).name === 'waiting' && !approval.decision;
  if (!isAsking || messagePart(approval).ts === undefined) return null;
  if (mustReadAgain(approval, terms)) return null;
  const { part, nextAt } = reminderPart(approval, terms.route, now);
  const due = part === undefined ? null : duePart(approval, part, terms, now);
  return due ?? nextAt ?? null;
}

function duePart(approval: Approval, part: Part, terms: Terms, now: number): Due<PostStep> {
  const next = nextForPart(part, now, mayBeForgotten(approval, terms));
  if (next === null || typeof next === 'number') return next;
  const { name, channel = '' } = part;
  switch (next) {
    case 'find':
      return { kind: 'find-post', part: name, channel, plannedAt: now };
    case 'open': {
      const user = approval.requester?.user;
      return user === undefined ? null : { kind: 'open-conversation', part: name, user };
    }
    case 'slot':
      return { kind: 'take-slot', part: name, channel };
    case 'post': {
      const state = messageStateOf(approval, terms, now);
      return { kind: 'post', part: name, channel, state, plannedAt: now };
    }
  }
}

export const findPost: StepRules<FindPost, Posted | { readonly kind: 'not-found' } | Failed> = {
  execute({ outbox }, id, approval, { part: name, channel }) {
    const found = outbox.findByMetadata({
      channel,
      ...threadOf(approval, name),
      sinceAt: approval.createdAt,
      matches: { record: id, part: nameInMetadata(approval, name) },
    });
    return settled(
      found.then((ts) =>
        ts === undefined
          ? ({ kind: 'not-found' } as const)
          : ({ kind: 'posted', channel, ts } as const),
      ),
    );
  },

  apply(approval, step, result, { timing }, now) {
    const part = partNamed(approval, step.part, step.channel);
    if (part.ts !== undefined) return { data: approval };
    // Which state was posted is not known: the next update states the present one.
    if (result.kind === 'posted') return { data: withTs(approval, part, result.ts, undefined) };
    if (part.attempt === undefined) {
      return { data: withPart(approval, soughtInVain(part, result, timing, now)) };
    }
    // A copy is no harm: buttons on it lead to the message that counts.
    return { data: withPart(approval, searchedInVain(part, step, result, timing, now)) };
  },
};

type Opened = { readonly kind: 'opened'; readonly channel: string } | Failed;

export const openConversation: StepRules<OpenConversation, Opened> = {
  execute({ outbox }, _id, _approval, { user }) {
    const opened = outbox.openDirectMessage(user);
    return settled(opened.then((channel) => ({ kind: 'opened', channel }) as const));
  },

  apply(approval, { part: name }, result, { timing }, now) {
    const part = partNamed(approval, name, undefined);
    const next =
      result.kind === 'opened'
        ? directOpened(part, result.channel)
        : directNotOpened(part, result.failure, timing, now);
    return { data: withPart(approval, next) };
  },
};

export const takePostSlot: StepRules<TakePostSlot, Slot> = {
  /** What continues a message goes after what asks. */
  async execute(dependencies, _id, _approval, { part, channel }) {
    if (isOverflow(part)) return takeSpareSlot(dependencies, channel);
    const slot = await takeSlot(dependencies, channel);
    dependencies.queue.taken(channel, slot.waitMs);
    return slot;
  },

  apply(approval, step, result, _terms, now) {
    const part = partNamed(approval, step.part, step.channel);
    const next = result.isLater ? slotRefused : slotTaken;
    return { data: withPart(approval, next(part, result.waitMs, now)) };
  },
};

export const post: StepRules<Post, Posted | Failed> = {
  markAttempt(approval, step, timing, now) {
    const part = partNamed(approval, step.part, step.channel);
    // Without the note nobody would look whether it was posted.
    return { data: withPart(approval, postBegun(part, step, timing, now)), durable: true };
  },

  execute(dependencies, id, approval, { part, channel, state }) {
    const route = dependencies.routeNamed(approval.route);
    return makePost(dependencies, {
      channel,
      ...threadOf(approval, part),
      ...contentOf(id, approval, part, state, route),
      metadata: metadataFor(id, approval, part, state),
    });
  },

  apply(approval, step, result, { timing }, now) {
    const part = partNamed(approval, step.part, undefined);
    // A late result: its message was found, or deleted, or is not there.
    if (part.ts !== undefined || !isOf(step, part.attempt)) return { data: approval };
    if (result.kind === 'failed') {
      // Nobody is asked without the message itself.
      const isNeeded = part.name === 'message';
      const failed = postFailed(part, result.failure, { isNeeded }, timing, now);
      return { data: withPart(approval, failed) };
    }
    const facts = { part: part.name, channel: result.channel, ts: result.ts };
    const entry = { action: 'approvals.post', record: null, actor: 'gatepost', facts };
    return { data: withTs(approval, part, result.ts, step.state), audit: [entry] };
  },

  alerts(before, step, result) {
    const alert = result.kind === 'failed' && postRefused(before, step, result.failure);
    return alert ? [alert] : [];
  },
};

function withTs(
  approval: Approval,
  part: Part,
  ts: string,
  state: MessageState | undefined,
): Approval {
  const data = withPart(approval, postKnown(part, ts));
  if (part.name !== 'message' || state === undefined) return data;
  return { ...data, shown: stateKey(state) };
}

/** The message is tried for days: of the same refusal it is said ever more rarely. */
function postRefused(
  before: Approval,
  { part, channel }: Post,
  failure: FailureFacts,
): ApprovalAlert | undefined {
  // Nobody can mend the conversation with one person.
  const alarm = slackAlert(failure, channel.startsWith('D') ? undefined : channel);
  if (part !== 'message') return alarm;
  const { tries = 0, refused } = messagePart(before);
  if (refused === failure.code && !isPowerOfTwo(tries + 1)) return undefined;
  if (failure.class !== 'refused' || failure.status === 429) return undefined;
  return alarm ?? { cause: 'post-refused', subject: channel, said: failure.code };
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count));
}
