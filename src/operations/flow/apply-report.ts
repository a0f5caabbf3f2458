import { attemptAt } from '../../core/engine/attempt.ts';
import type { Applied, MarkedAttempt } from '../../core/engine/flow.ts';
import { tryAgain } from '../../core/engine/patience.ts';
import { type FailureFacts, isRefused } from '../../core/lib/failure.ts';
import { omit } from '../../core/lib/omit.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { Post } from '../../core/posts/post.ts';
import type { PostingResult } from '../../core/posts/post-calls.ts';
import {
  applyPosting,
  NEEDS_NEW_MESSAGE,
  postBegun,
  repost,
  TELL_FOR_MS,
} from '../../core/posts/post-transitions.ts';
import { SHOW_AFTER_MS } from '../../core/slack/show-form.ts';
import {
  type MessageState,
  postNamed,
  type Report,
  type ReportResult,
  type ReportStep,
  type Shown,
  stateText,
} from './report.ts';

/** How the steps of a report change its record: pure; handles late and repeated results. */

/**
 * Notes an attempt at the step. Showing a state has no effect elsewhere, but an old state must not overwrite a newer
 * one.
 */
export function beginReport<Record extends Report>(
  record: Record,
  step: ReportStep<MessageState>,
  timing: Timing,
  now: number,
): MarkedAttempt<Record> | undefined {
  switch (step.kind) {
    case 'post': {
      const begun = postBegun(postNamed(record, step.post), step, timing, now);
      return { data: withPost(record, begun), durable: true };
    }
    case 'show':
    case 'update':
      return { data: changeBegun(record, step, timing, now) };
    default:
      return undefined;
  }
}

/** An open change belonged to a process that died: it may arrive after this one. */
function changeBegun<Record extends Report>(
  record: Record,
  step: ShowStep,
  timing: Timing,
  now: number,
): Record {
  const { mustEndBy } = attemptAt({ plannedAt: now }, timing, now);
  const { again } = record;
  const rest = omit<Report, Record>({ ...record, changeEndsBy: mustEndBy }, 'again');
  const at =
    record.changeEndsBy === undefined ? again?.at : record.changeEndsBy + timing.renderAgainMs;
  // Until the end has been shown again, that remains due.
  const ahead = at !== undefined &&
    (at > now || isRepeat(record, step)) && { again: { ...again, at } };
  return { ...rest, ...ahead };
}

/** Whether the same state is already shown, as far as is known. */
function isRepeat({ shown, told }: Report, { kind, state }: ShowStep): boolean {
  return (kind === 'show' ? shown : told) === stateText(state);
}

/** Applies a step's result. `action`: the audit log's name for a post. */
export function applyReport<Record extends Report>(
  record: Record,
  action: string,
  step: ReportStep<MessageState>,
  result: ReportResult,
  timing: Timing,
  now: number,
): Applied<Record> {
  // as: the results of these steps, see `executeReport`
  if (step.kind === 'show' || step.kind === 'update') {
    return { data: applyShown(record, step, result as Shown, timing, now) };
  }
  const before = postNamed(record, step.post);
  // The person was promised the result; the announcement is optional.
  const until = step.post === 'result' ? 'week' : 'refused';
  const post = applyPosting(before, step, result as PostingResult, until, timing, now);
  if (post === before) return { data: record };
  const data = withPost(record, post);
  const { channel = '', ts } = post;
  if (ts === undefined) return { data };
  // It is not known which state was posted before a crash: the next update corrects it.
  const isKnown = step.post === 'result' && step.kind === 'post';
  const facts = { post: step.post, channel, ts };
  return {
    data: isKnown ? { ...data, told: stateText(step.state) } : data,
    audit: [{ action, record: null, actor: 'gatepost', facts }],
  };
}

/** The acknowledgement of another press may have replaced the modal: it is shown again afterwards. */
export function showAgain<Record extends Report>(record: Record, now: number): Record {
  const showing = { tries: 0, notBefore: now + SHOW_AFTER_MS };
  return omit<Report, Record>({ ...record, showing }, 'shown');
}

/** How many times the modal, and any state but the end, is tried. */
const SHOWS_MAX = 4;

type ShowStep = Extract<ReportStep<MessageState>, { kind: 'show' | 'update' }>;

/** The result of updating the modal or the direct message. */
function applyShown<Record extends Report>(
  record: Record,
  step: ShowStep,
  result: Shown,
  timing: Timing,
  now: number,
): Record {
  // A late result: this message has been replaced by another one.
  if (step.kind === 'update' && step.ts !== postNamed(record, 'result').ts) return record;
  const rest = omit<Report, Record>(record, 'changeEndsBy');
  if (result.kind === 'done') {
    const isPaid = rest.again !== undefined && rest.again.at <= now && isRepeat(rest, step);
    return withHash(shownIn(isPaid ? omit<Report, Record>(rest, 'again') : rest, step), result);
  }
  const { failure } = result;
  const at = now + timing.renderAgainMs;
  const again = failure.class === 'ambiguous' && { again: { ...rest.again, at } };
  return notShown({ ...rest, ...again }, step, failure, timing, now);
}

/**
 * The end is always told: if the modal cannot show it, a direct message does, which is updated until Slack accepts it,
 * or posted again.
 */
function notShown<Record extends Report>(
  record: Record,
  step: ShowStep,
  failure: FailureFacts,
  timing: Timing,
  now: number,
): Record {
  const isEnd = step.state.state === 'done';
  const isNo = isRefused(failure);
  const of = stateText(step.state);
  const before = record.showing?.of === of ? record.showing : undefined;
  const since = before?.since ?? now;
  const showing = { of, since, ...tryAgain(before?.tries, failure, timing, now) };
  const later = { ...record, showing };
  const isEnough = isNo || showing.tries >= SHOWS_MAX;
  if (step.kind === 'show') {
    if (!isEnough) return later;
    // It was closed, or Slack cannot show the end in it: use a direct message instead.
    return isNo || isEnd ? withoutModal(record) : shownIn(record, step);
  }
  if (!isEnd) return isEnough ? shownIn(record, step) : later;
  if (NEEDS_NEW_MESSAGE.has(failure.code)) {
    return withPost(untroubled(record), repost(postNamed(record, 'result')));
  }
  if (now - since <= TELL_FOR_MS) return later;
  return omit<Report, Record>(shownIn(record, step), 'again');
}

/** The state is shown, or not worth another try. */
function shownIn<Record extends Report>(record: Record, { kind, state }: ShowStep): Record {
  const key = stateText(state);
  return { ...untroubled(record), ...(kind === 'show' ? { shown: key } : { told: key }) };
}

function untroubled<Record extends Report>(record: Record): Record {
  return omit<Report, Record>(record, 'showing');
}

/** Stores the modal's hash, if it matters whether the modal has changed since. */
function withHash<Record extends Report>(
  record: Record,
  { hash }: { readonly hash?: string },
): Record {
  const { again } = record;
  return again === undefined || hash === undefined
    ? record
    : { ...record, again: { ...again, hash } };
}

function withoutModal<Record extends Report>(record: Record): Record {
  return omit<Report, Record>(record, 'modal', 'again', 'showing');
}

/** A copy with one post replaced. */
export function withPost<Record extends Report>(record: Record, post: Post): Record {
  const others = record.posts.filter(({ name }) => name !== post.name);
  return { ...record, posts: [...others, post] };
}
