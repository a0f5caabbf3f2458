import type { ModalView, SectionBlock } from '@slack/types';
import type { Core } from '../../../core/core.ts';
import { callResult, type Failed } from '../../../core/engine/call-result.ts';
import type { Flow, Plan } from '../../../core/engine/flow.ts';
import { signalEach } from '../../../core/engine/signal-many.ts';
import { isRefused } from '../../../core/lib/failure.ts';
import { shortIdOf } from '../../../core/lib/short-id.ts';
import type { Timing } from '../../../core/lib/timing.ts';
import { duePost, type Post, type PostStep } from '../../../core/posts/post.ts';
import { executePosting, type PostingResult } from '../../../core/posts/post-calls.ts';
import { applyPosting, postBegun } from '../../../core/posts/post-transitions.ts';
import { section } from '../../../core/slack/blocks.ts';
import { noticesOf } from '../../../core/slack/modal-blocks.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { SHOW_AFTER_MS } from '../../../core/slack/show-form.ts';
import { bold, clipText, oneLine } from '../../../core/slack/text.ts';
import { unlessAway } from '../../../core/store/unless-away.ts';
import type { ActedAt } from '../../acted-at.ts';
import {
  type Action,
  APPROVAL_KIND,
  type Approval,
  type HistoryEvent,
  type Outcome,
} from '../../approval.ts';
import { encodeSignal } from '../../decision/signal.ts';
import { lostUntil } from '../../decision/store-rewind.ts';
import { isWithdrawn } from '../../decision/transitions.ts';
import { titleOf } from '../../digest.ts';
import { slackIdsOf } from '../../electorate/votes.ts';
import { decodeApproval } from '../../stored-approval.ts';
import { outcomeLine, SIGNS, STATUS_WORDS } from '../../tell/message/outcome-line.ts';
import { ANSWER } from '../../tell/message/sentences.ts';
import { whyNotCounted } from '../../tell/message/time-line.ts';

/**
 * A person's decision on several requests, as a record: each becomes a ballot of its own, as if pressed on its message,
 * and the results are shown in the modal and in one direct message. If a process dies the next one continues, and casts
 * no ballot twice: each has the record's id.
 */

export const SEVERAL_KIND = 'several';

interface Row {
  readonly id: string;
  readonly channel: string;
  readonly digest: string;
  readonly title: string;
  readonly isCast?: true;
  /** The result, once known. */
  readonly end?: string;
  /** It will not change. */
  readonly isFinal?: true;
}

export interface Several {
  readonly v: 1;
  readonly user: string;
  readonly action: Action;
  /** Sealed. */
  readonly reason?: string;
  /** When the form was sent, by Slack's clock; in Socket Mode not before then. */
  readonly acted?: ActedAt;
  /** The modal that it was sent from. */
  readonly view: string;
  readonly at: number;
  readonly rows: readonly Row[];
  /** The results the modal shows. */
  readonly shown?: string;
  /** Failed updates of the modal in a row, and when to try again. */
  readonly showTries?: number;
  readonly showAt?: number;
  /** When to retry ballots that the store did not accept. */
  readonly castAt?: number;
  /** All are cast: until when to wait for results. */
  readonly until?: number;
  /** When all were last read, and are read next. */
  readonly lookedAt?: number;
  readonly nextAt: number;
  readonly post: Post;
}

type SeveralStep =
  | { readonly kind: 'cast-several' }
  | { readonly kind: 'look-at-several' }
  | { readonly kind: 'show-several'; readonly shown: string }
  | { readonly kind: PostStep; readonly plannedAt: number };

type SeveralResult =
  | { readonly kind: 'cast' | 'looked'; readonly found: Readonly<Record<string, Partial<Row>>> }
  | { readonly kind: 'shown' }
  | PostingResult
  | Failed;

const LOOK_MS = 1_000;
/** The longest wait for the service; slower decisions have their own messages and replies. */
const PATIENCE_MS = 45_000;
/** Shorter than `KNOWN_MS`, for which a signal's id is remembered: a repeated ballot is recognized. */
const CAST_FOR_MS = 10 * 60_000;
const CAST_AGAIN_MS = 5_000;
const SHOW_TRIES_MAX = 5;
const KEEP_MS = 3_600_000;
/** The largest difference between two processes' clocks. */
const SKEW_MS = 5_000;
const POSTED = 'several';

export function severalRecord(
  wish: Pick<Several, 'user' | 'action' | 'reason' | 'view' | 'acted'>,
  rows: readonly Pick<Row, 'id' | 'channel' | 'digest' | 'title'>[],
  at: number,
): Several {
  return { v: 1, ...wish, at, rows, nextAt: at, post: { name: POSTED } };
}

export function createSeveralFlow(core: Core): Flow<Several, SeveralStep, SeveralResult> {
  const { timing } = core;
  return {
    kind: SEVERAL_KIND,
    // as: only written here
    decode: (text) => JSON.parse(text) as Several,
    encode: (several) => JSON.stringify(several),
    receive: (several) => ({ data: several }),
    plan: (several, now) => plan(core, several, now),
    markAttempt: (several, step, now) =>
      step.kind === 'post'
        ? { data: { ...several, post: postBegun(several.post, step, timing, now) }, durable: true }
        : undefined,
    execute: (several, step, id) => execute(core, id, several, step),
    apply: (several, step, result, now) => ({ data: applied(several, step, result, timing, now) }),
  };
}

function plan({ store, timing }: Core, several: Several, now: number): Plan<SeveralStep> {
  const { rows, at, shown, showTries = 0, showAt = 0, castAt = 0, lookedAt = 0, post } = several;
  const { until = at + CAST_FOR_MS, nextAt } = several;
  const isToCast = rows.some(isUncast) && now < at + CAST_FOR_MS;
  if (isToCast && now >= castAt) return { kind: 'step', step: { kind: 'cast-several' } };
  const isKnown = rows.every(({ isFinal }) => isFinal === true) || lookedAt >= until;
  const isOver = isKnown && !isToCast;
  const showsNow = showTries < SHOW_TRIES_MAX && now >= showAt;
  const ends = endsOf(rows);
  if (showsNow && ends !== (shown ?? endsOf([]))) {
    return { kind: 'step', step: { kind: 'show-several', shown: ends } };
  }
  if (!isOver) {
    if (now >= nextAt) return { kind: 'step', step: { kind: 'look-at-several' } };
    const next = isToCast ? Math.min(castAt, nextAt) : nextAt;
    return { kind: 'wait', until: next, lane: 'people' };
  }
  const lives = { servingSince: store.servingSince(), wentBackAt: store.wentBackAt(), timing };
  const next = duePost(post, now, lostUntil({ createdAt: at }, lives));
  if (next === null) return { kind: 'finish', keepMs: KEEP_MS };
  if (typeof next === 'number') return { kind: 'wait', until: next, lane: 'people' };
  return { kind: 'step', step: { kind: next, plannedAt: now } };
}

/** Includes requests that have ended: only a press gets the reply that it was too late. */
function isUncast({ isCast }: Row): boolean {
  return isCast !== true;
}

function endsOf(rows: readonly Row[]): string {
  return rows.map(({ end = '' }) => end).join('');
}

async function execute(
  core: Core,
  id: string,
  several: Several,
  step: SeveralStep,
): Promise<SeveralResult> {
  const { user, view } = several;
  switch (step.kind) {
    case 'cast-several':
      return cast(core, id, several);
    case 'look-at-several':
      return look(core, several);
    case 'show-several': {
      const shown = core.modals.update({ id: view }, severalModal(several));
      return callResult(shown.then(() => ({ kind: 'shown' }) as const));
    }
    default:
      return executePosting(core, step.kind, {
        post: several.post,
        user,
        sinceAt: several.at,
        metadata: { record: id, post: POSTED },
        content: () => severalMessage(several),
      });
  }
}

/**
 * Casts the remaining ballots. One that an earlier process cast is recognized by its id; one that an unavailable store
 * refused is retried.
 */
async function cast(core: Core, id: string, several: Several): Promise<SeveralResult> {
  const { user, action, reason, rows, acted } = several;
  const ballotOf = ({ channel, digest }: Row) =>
    encodeSignal({
      kind: 'ballot',
      action,
      asker: { user, channel, direct: true },
      digest,
      ...(reason !== undefined && { reason }),
      ...(acted !== undefined && { acted }),
    });
  const uncast = rows.filter(isUncast);
  const ballots = uncast.map((row) => {
    return [row.id, { id: `several-${id}`, body: ballotOf(row) }] as const;
  });
  const ends = await signalEach(core, ballots, { once: true });
  const found = uncast.flatMap((row, at): Found[] => {
    if (ends[at] === 'missed') return [];
    return [[row.id, ends[at] === 'missing' ? NOT_STORED : { isCast: true }]];
  });
  return { kind: 'cast', found: Object.fromEntries(found) };
}

type Found = readonly [record: string, row: Partial<Row>];

const NOT_STORED = {
  end: ':grey_question: No longer stored. Not counted.',
  isCast: true,
  isFinal: true,
} as const satisfies Partial<Row>;

/** Reads the requests without a final result, but for those in unavailable parts of the store. */
async function look({ store }: Core, several: Several): Promise<SeveralResult> {
  const lookAt = async ({ id }: Row): Promise<Found[]> => {
    const record = await store.read(id);
    if (record?.kind !== APPROVAL_KIND) return [[id, NOT_STORED]];
    const approval = decodeApproval(record);
    return [[id, { title: titleOf(approval), ...endOf(approval, several) }]];
  };
  const open = several.rows.filter(({ isFinal }) => isFinal !== true);
  const found = await Promise.all(open.map((row) => unlessAway(lookAt(row), [])));
  return { kind: 'looked', found: Object.fromEntries(found.flat()) };
}

/** The state of a person's decision on a request; undefined: not known yet. */
export function endOf(
  approval: Approval,
  { user, action, at }: Pick<Several, 'user' | 'action' | 'at'>,
): Pick<Row, 'end' | 'isFinal'> | undefined {
  const { outcome, history, createdAt, queue, decision, ballots } = approval;
  const final = (end: string) => ({ end, isFinal: true as const });
  if (outcome !== undefined) return final(outcomeText(outcome));
  if (isWithdrawn(approval)) return final(':no_entry_sign: *Withdrawn*');
  if (approval.withdrawnAt !== undefined || decision !== undefined) return undefined;
  if (queue.some((click) => click.user === user)) return undefined;
  const since = at - SKEW_MS;
  const isCast = ballots.some(
    (each) => each.action === action && each.at >= since && slackIdsOf(each).includes(user),
  );
  if (isCast) return { end: COUNTED };
  const events = (history?.events ?? []).filter(({ after }) => createdAt + after >= since);
  const last = events.findLast((each, place) => isEnd(each, user, action, events.slice(0, place)));
  switch (last?.kind) {
    case 'not-counted':
      return final(`:no_entry_sign: Not counted: ${whyNotCounted(last)}`);
    case 'dropped':
      return final(`:no_entry_sign: Your ${ANSWER[action]} no longer counts.`);
    case 'taken-back':
      return final(':leftwards_arrow_with_hook: You took your approval back.');
    case 'closed':
      return final(':warning: Not accepted. Press again on its message.');
    default:
      return undefined;
  }
}

/** Whether the event ended this person's press: before it was counted, a decision that ended was somebody else's. */
function isEnd(
  event: HistoryEvent,
  user: string,
  action: Action,
  before: readonly HistoryEvent[],
): boolean {
  if (event.kind === 'not-counted' || event.kind === 'taken-back') return event.by === user;
  const isOwn = (each: HistoryEvent) =>
    'action' in each && each.by === user && each.action === action;
  if (event.kind === 'dropped') return isOwn(event);
  const isClosed = event.kind === 'closed' && event.action === action && event.unsure !== true;
  return (
    isClosed && (isOwn(event) || before.some((each) => each.kind === 'counted' && isOwn(each)))
  );
}

const COUNTED = ':white_check_mark: Your approval counts. More approvals are needed.';
const UNSURE =
  ':grey_question: It is not known whether your decision was recorded. See its message.';
const NAMED_MAX = 3;

/** With many deciders only their number: each of twenty lines has little room. */
function outcomeText(outcome: Outcome): string {
  const { status, by, resolvedAt = null } = outcome;
  if (by.length <= NAMED_MAX) return outcomeLine({ ...outcome, resolvedAt });
  return `${SIGNS[status]} *${STATUS_WORDS[status]} by ${by.length} people*`;
}

function applied(
  several: Several,
  step: SeveralStep,
  result: SeveralResult,
  timing: Timing,
  now: number,
): Several {
  switch (step.kind) {
    case 'cast-several': {
      const cast = withFound(several, result);
      const isAll = !cast.rows.some(isUncast);
      // They are cast after Slack's acknowledgement, unless another process was faster: see SHOW_AFTER_MS.
      const showAt = Math.max(several.showAt ?? 0, now + SHOW_AFTER_MS);
      const due = { castAt: now + CAST_AGAIN_MS, showAt, nextAt: showAt };
      return { ...cast, ...due, ...(isAll && { until: now + PATIENCE_MS }) };
    }
    case 'look-at-several': {
      const looked = withFound(several, result);
      const isLate = now >= several.at + CAST_FOR_MS;
      const rows = looked.rows.map((row) =>
        isLate && isUncast(row) && row.isFinal !== true
          ? { ...row, end: UNSURE, isFinal: true as const }
          : row,
      );
      return { ...looked, rows, lookedAt: now, nextAt: now + LOOK_MS };
    }
    case 'show-several': {
      if (result.kind === 'shown') return { ...several, shown: step.shown, showTries: 0 };
      if (result.kind !== 'failed') return several;
      const { failure } = result;
      const tries = isRefused(failure) ? SHOW_TRIES_MAX : (several.showTries ?? 0) + 1;
      return { ...several, showTries: tries, showAt: now + (failure.retryAfterMs ?? LOOK_MS) };
    }
    default: {
      // as: the step belongs to a post
      const posted = result as PostingResult;
      return { ...several, post: applyPosting(several.post, step, posted, 'week', timing, now) };
    }
  }
}

function withFound(several: Several, result: SeveralResult): Several {
  if (result.kind !== 'cast' && result.kind !== 'looked') return several;
  return { ...several, rows: several.rows.map((row) => ({ ...row, ...result.found[row.id] })) };
}

const notice = noticesOf('approvals.several.sent', 'Several requests');

/** Replaces the form: the state of each request, as far as known. */
export function severalModal(several: Several): ModalView {
  const left = several.rows.filter(({ end }) => end === undefined).length;
  const what = left === 0 ? 'All done.' : `Waiting for ${left} of ${several.rows.length}.`;
  return notice(`${what} You'll also get the results as a direct message.`, linesOf(several));
}

export function severalMessage(several: Several): SlackMessage {
  const { length } = several.rows;
  const text = length === 1 ? 'Result of your decision' : `Results of your ${length} decisions`;
  return { text, blocks: [section(text), ...linesOf(several)] };
}

/** Twenty of them have to fit into a message. */
const TITLE_MAX = 100;
const ESCAPED_MAX = 150;

function linesOf({ rows }: Several): SectionBlock[] {
  return rows.map(({ id, title, end = ':hourglass: No result yet. See its message.' }) => {
    const [head] = clipText(oneLine(title, TITLE_MAX), ESCAPED_MAX);
    return section(`${bold(head)} · \`${shortIdOf(id)}\`\n${end}`);
  });
}
