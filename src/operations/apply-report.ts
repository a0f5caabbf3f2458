import { isOf } from '../engine/attempt.ts';
import type { Applied, MarkedAttempt } from '../engine/flow.ts';
import { patientWaitMs } from '../engine/patience.ts';
import type { Timing } from '../lib/timing.ts';
import {
  directNotOpened,
  directOpened,
  postBegun,
  postFailed,
  postKnown,
  searchedInVain,
  slotTaken,
} from '../posts/apply-post.ts';
import type { Post } from '../posts/post.ts';
import { SHOW_AFTER_MS } from '../slack/show-form.ts';
import {
  type MessageState,
  postNamed,
  type Report,
  type ReportPostStep,
  type ReportResult,
  type ReportStep,
  stateKey,
} from './report.ts';

/** How a record goes on after each step of its report: pure, and the same for a result that comes late or twice. */

/** What is noted before it is tried. A state is no effect, but an old one must not come behind a newer. */
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
      return { data: record };
    default:
      return undefined;
  }
}

/** Applies the result of a step. `action`: what the audit log calls a post. */
export function applyReport<Record extends Report>(
  record: Record,
  action: string,
  step: ReportStep<MessageState>,
  result: { readonly kind: string } | ReportResult,
  timing: Timing,
  now: number,
): Applied<Record> {
  if (!isReportResult(result)) throw new Error(`a report does not end as ${result.kind}`);
  if (step.kind === 'show' || step.kind === 'update') {
    return { data: applyShown(record, step, result, timing, now) };
  }
  return applyPost(record, action, step, result, timing, now);
}

const RESULTS: ReadonlySet<string> = new Set<ReportResult['kind']>([
  'slot',
  'opened',
  'not-found',
  'done',
  'posted',
  'failed',
]);

function isReportResult(result: { readonly kind: string }): result is ReportResult {
  return RESULTS.has(result.kind);
}

/** What acknowledged another press may have covered what the modal shows: it is shown anew behind that. */
export function showAnew<Record extends Report>(record: Record, now: number): Record {
  const showing = { tries: 0, notBefore: now + SHOW_AFTER_MS };
  const { shown, ...rest } = { ...record, showing };
  return rest as Record; // as: without an optional member it is still one of its kind
}

const SHOWS_MAX = 4;

/** A change of the modal, or of the direct message that took its place. */
function applyShown<Record extends Report>(
  record: Record,
  { kind, state }: Extract<ReportStep<MessageState>, { kind: 'show' | 'update' }>,
  result: ReportResult,
  { retryMs, defaultRetryAfterMs }: Timing,
  now: number,
): Record {
  const { showing, ...kept } = record;
  // as: without an optional member it is still one of its kind
  const rest = kept as Record;
  const key = stateKey(state);
  if (result.kind === 'done')
    return kind === 'show' ? { ...rest, shown: key } : { ...rest, told: key };
  if (result.kind !== 'failed') throw new Error(`showing does not end as ${result.kind}`);
  const { failure } = result;
  const tries = (showing?.tries ?? 0) + 1;
  const isRefused = failure.class === 'refused' && failure.status !== 429;
  if (!isRefused && tries < SHOWS_MAX) {
    const waitMs =
      failure.retryAfterMs ?? patientWaitMs(tries - 1, retryMs[0], defaultRetryAfterMs);
    return { ...rest, showing: { tries, notBefore: now + waitMs } };
  }
  if (kind === 'update') return { ...rest, told: key };
  const isPassing = state.state !== 'done' && !isRefused;
  if (isPassing) return { ...rest, shown: key };
  // It was closed, or Slack does not show the end in it: a direct message takes its place.
  const { modal, ...closed } = rest;
  return closed as Record; // as: see above
}

/** A step of the announcement, or of the direct message with the result. */
function applyPost<Record extends Report>(
  record: Record,
  action: string,
  step: ReportPostStep<MessageState>,
  result: ReportResult,
  timing: Timing,
  now: number,
): Applied<Record> {
  const post = postNamed(record, step.post);
  // A late result: its message was found meanwhile.
  if (post.ts !== undefined) return { data: record };
  switch (result.kind) {
    case 'slot':
      return { data: withPost(record, slotTaken(post, result.waitMs, now)) };
    case 'opened':
      return { data: withPost(record, directOpened(post, result.channel)) };
    case 'posted':
      return posted(record, action, post, step, result);
    case 'not-found':
      return { data: withPost(record, searchedInVain(post, step, result, timing, now)) };
    case 'failed':
      return { data: withPost(record, afterFailure(step, post, result, timing, now)) };
    case 'done':
      throw new Error('a post does not go on with done');
  }
}

function posted<Record extends Report>(
  record: Record,
  action: string,
  post: Post,
  step: ReportPostStep<MessageState>,
  { channel, ts }: Extract<ReportResult, { kind: 'posted' }>,
): Applied<Record> {
  if (step.kind === 'post' && !isOf(step, post.attempt)) return { data: record };
  const known = withPost(record, { ...postKnown(post, ts), channel });
  // Which state was posted before a crash is not known: the next update states the present one.
  const isKnown = step.post === 'result' && step.kind === 'post';
  const data = isKnown ? { ...known, told: stateKey(step.state) } : known;
  const facts = { post: step.post, channel, ts };
  return { data, audit: [{ action, record: null, actor: 'gatepost', facts }] };
}

function afterFailure(
  step: ReportPostStep<MessageState>,
  post: Post,
  result: Extract<ReportResult, { kind: 'failed' }>,
  timing: Timing,
  now: number,
): Post {
  switch (step.kind) {
    case 'open':
      return directNotOpened(post, result.failure, timing, now);
    case 'find':
      return searchedInVain(post, step, result, timing, now);
    case 'post':
      if (!isOf(step, post.attempt)) return post;
      return postFailed(post, result.failure, { isNeeded: false }, timing, now);
    case 'slot':
      throw new Error('taking a turn does not fail');
  }
}

/** A copy in which one post has changed. */
export function withPost<Record extends Report>(record: Record, post: Post): Record {
  const others = record.posts.filter(({ name }) => name !== post.name);
  return { ...record, posts: [...others, post] };
}
