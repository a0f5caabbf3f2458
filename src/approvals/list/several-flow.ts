import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { callResult, type Failed } from '../../core/engine/call-result.ts';
import type { Flow, Plan } from '../../core/engine/flow.ts';
import { storeSignal } from '../../core/engine/put-record.ts';
import type { Timing } from '../../core/lib/timing.ts';
import { duePost, type Post, type PostStep } from '../../core/posts/post.ts';
import { executePosting, type PostingResult } from '../../core/posts/post-calls.ts';
import { applyPosting, postBegun } from '../../core/posts/post-transitions.ts';
import { section } from '../../core/slack/blocks.ts';
import { noticesOf } from '../../core/slack/modal-blocks.ts';
import type { SlackMessage } from '../../core/slack/outbox.ts';
import { SHOW_AFTER_MS } from '../../core/slack/show-form.ts';
import { bold, escapeMrkdwn } from '../../core/slack/text.ts';
import { type Action, APPROVAL_KIND, type Approval } from '../approval.ts';
import { outcomeLine, SIGNS } from '../message/outcome-line.ts';
import { whyNotCounted } from '../message/time-line.ts';
import { slackIdsOf } from '../policy.ts';
import { encodeSignal } from '../receive.ts';
import { decodeApproval } from '../stored-approval.ts';

/**
 * What somebody decided of several requests at once, as a record: each becomes a ballot of its own, cast as by a press
 * on its message, and what became of each is shown in their modal and in one direct message. A process that dies in
 * between leaves the rest to the next one, and casts none twice: each ballot has the record's name.
 */

export const SEVERAL_KIND = 'several';

interface Row {
  readonly id: string;
  readonly channel: string;
  readonly digest: string;
  readonly title: string;
  readonly isCast?: true;
  /** How it ended; absent: it is not known yet. */
  readonly end?: string;
}

export interface Several {
  readonly v: 1;
  readonly user: string;
  readonly action: Action;
  /** Sealed. */
  readonly reason?: string;
  /** The modal that it was sent from. */
  readonly view: string;
  readonly at: number;
  readonly rows: readonly Row[];
  /** What the modal shows, as many ends; absent: what it showed when it was sent. */
  readonly shown?: number;
  /** Slack takes no more changes of the modal: it was closed, mostly. */
  readonly isClosed?: true;
  readonly nextAt: number;
  readonly post: Post;
}

type SeveralStep =
  | { readonly kind: 'cast-several' }
  | { readonly kind: 'look-at-several' }
  | { readonly kind: 'show-several'; readonly ended: number }
  | { readonly kind: PostStep; readonly plannedAt: number };

type SeveralResult =
  | { readonly kind: 'cast'; readonly ends: Readonly<Record<string, string | null>> }
  | { readonly kind: 'looked'; readonly ends: Readonly<Record<string, string>> }
  | { readonly kind: 'shown' }
  | PostingResult
  | Failed;

const LOOK_MS = 1_000;
/** So long the service may need for a decision; what takes longer has its own message, and sentence. */
const PATIENCE_MS = 45_000;
const KEEP_MS = 3_600_000;
const POSTED = 'several';

export function severalRecord(
  wish: Pick<Several, 'user' | 'action' | 'reason' | 'view'>,
  rows: readonly Pick<Row, 'id' | 'channel' | 'digest' | 'title'>[],
  at: number,
): Several {
  return { v: 1, ...wish, at, rows, nextAt: at + SHOW_AFTER_MS, post: { name: POSTED } };
}

export function createSeveralFlow(core: Core): Flow<Several, SeveralStep, SeveralResult> {
  const { timing } = core;
  return {
    kind: SEVERAL_KIND,
    // as: written here alone
    decode: (text) => JSON.parse(text) as Several,
    encode: (several) => JSON.stringify(several),
    receive: (several) => ({ data: several }),
    plan: (several, now) => plan(several, now),
    markAttempt: (several, step, now) =>
      step.kind === 'post'
        ? { data: { ...several, post: postBegun(several.post, step, timing, now) }, durable: true }
        : undefined,
    execute: (several, step, id) => execute(core, id, several, step),
    apply: (several, step, result, now) => ({ data: applied(several, step, result, timing, now) }),
  };
}

function plan(several: Several, now: number): Plan<SeveralStep> {
  const { rows, shown = 0, isClosed, nextAt, at, post } = several;
  if (rows.some(({ isCast }) => isCast !== true))
    return { kind: 'step', step: { kind: 'cast-several' } };
  const ended = rows.filter(({ end }) => end !== undefined).length;
  const isOver = ended === rows.length || now >= at + PATIENCE_MS;
  if (isClosed !== true && ended > shown && now >= at + SHOW_AFTER_MS) {
    return { kind: 'step', step: { kind: 'show-several', ended } };
  }
  if (!isOver) {
    if (now < nextAt) return { kind: 'wait', until: nextAt, lane: 'people' };
    return { kind: 'step', step: { kind: 'look-at-several' } };
  }
  const next = duePost(post, now);
  if (next === null) return { kind: 'finish', keepMs: KEEP_MS };
  if (typeof next === 'number') return { kind: 'wait', until: next, lane: 'people' };
  return { kind: 'step', step: { kind: next, plannedAt: now } };
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

/** Casts all of them: those that were cast by a process that died are known by their ids. Throws StoreError. */
async function cast(core: Core, id: string, several: Several): Promise<SeveralResult> {
  const { user, action, reason, rows } = several;
  const stored = await Promise.all(
    rows.map(async ({ id: record, channel, digest }) => {
      const body = encodeSignal({
        kind: 'ballot',
        action,
        asker: { user, channel, direct: true },
        digest,
        ...(reason !== undefined && { reason }),
      });
      const result = await storeSignal(core, record, { id: `several-${id}`, body }, { once: true });
      if (result.kind !== 'stored') return [record, NOT_STORED] as const;
      result.carryOn();
      return [record, null] as const;
    }),
  );
  return { kind: 'cast', ends: Object.fromEntries(stored) };
}

const NOT_STORED = ':grey_question: no longer stored';

/** Reads what became of those that are not known to have ended. Throws StoreError. */
async function look({ store }: Core, several: Several): Promise<SeveralResult> {
  const open = several.rows.filter(({ end }) => end === undefined);
  const ends = await Promise.all(
    open.map(async ({ id }) => {
      const record = await store.read(id);
      if (record?.kind !== APPROVAL_KIND) return [id, NOT_STORED] as const;
      const end = endOf(decodeApproval(record), several);
      return end === undefined ? [] : ([id, end] as const);
    }),
  );
  const known = ends.filter((end): end is readonly [string, string] => end.length > 0);
  return { kind: 'looked', ends: Object.fromEntries(known) };
}

/** What became of a person's decision on a request; undefined: that is not known yet. */
export function endOf(
  approval: Approval,
  { user, action, at }: Pick<Several, 'user' | 'action' | 'at'>,
): string | undefined {
  const { outcome, history, createdAt, queue, decision, ballots } = approval;
  if (outcome !== undefined) {
    const decided = { ...outcome, resolvedAt: outcome.resolvedAt ?? null };
    return outcomeLine(decided);
  }
  if (approval.withdrawnAt !== undefined) return ':no_entry_sign: *Withdrawn*';
  const isWaiting = queue.some((click) => click.user === user);
  if (isWaiting || decision !== undefined) return undefined;
  const cast = ballots.find((each) => each.action === action && slackIdsOf(each).includes(user));
  if (cast !== undefined) {
    return action === 'approve' ? COUNTED : `${SIGNS.REJECTED} Your rejection counts`;
  }
  // The clocks of two processes may differ.
  const since = at - createdAt - 5_000;
  const last = history?.events.findLast(
    (event) => event.kind === 'not-counted' && event.by === user && event.after >= since,
  );
  return last?.kind === 'not-counted'
    ? `:no_entry_sign: Not counted: ${whyNotCounted(last)}`
    : undefined;
}

const COUNTED = ':white_check_mark: Your approval counts; more approvals are needed';

function applied(
  several: Several,
  step: SeveralStep,
  result: SeveralResult,
  timing: Timing,
  now: number,
): Several {
  switch (step.kind) {
    case 'cast-several':
    case 'look-at-several': {
      if (result.kind !== 'cast' && result.kind !== 'looked') return several;
      const rows = several.rows.map((row): Row => {
        const end = result.ends[row.id];
        return { ...row, isCast: true, ...(end !== undefined && end !== null && { end }) };
      });
      return { ...several, rows, nextAt: now + LOOK_MS };
    }
    case 'show-several':
      return result.kind === 'shown'
        ? { ...several, shown: step.ended }
        : { ...several, isClosed: true };
    default: {
      // as: of the steps of a post
      const posted = result as PostingResult;
      return { ...several, post: applyPosting(several.post, step, posted, 'week', timing, now) };
    }
  }
}

const notice = noticesOf('approvals.several.sent', 'Several requests');

/** In the place of the form: what became of each, as far as it is known. */
export function severalModal(several: Several): ModalView {
  const left = several.rows.filter(({ end }) => end === undefined).length;
  const what = left === 0 ? 'All are answered.' : `${left} of ${several.rows.length} still open.`;
  return notice(`${what} You'll get the results as a direct message, too.`, linesOf(several));
}

function severalMessage(several: Several): SlackMessage {
  const { rows } = several;
  const text = `What became of ${rows.length} requests you decided at once`;
  return { text, blocks: [section(text), ...linesOf(several)] };
}

function linesOf({ rows }: Several) {
  return rows.map(
    ({ title, end = ':hourglass_flowing_sand: still open: its message shows the result' }) =>
      section(`${bold(escapeMrkdwn(title))}\n${end}`),
  );
}
