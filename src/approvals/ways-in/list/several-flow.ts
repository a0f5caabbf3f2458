import type { ModalView, SectionBlock } from '@slack/types';
import type { Core } from '../../../core/core.ts';
import { callResult, type Failed } from '../../../core/engine/call-result.ts';
import type { Due } from '../../../core/engine/first-due.ts';
import { signalEach } from '../../../core/engine/signal-many.ts';
import { isRefused } from '../../../core/lib/failure.ts';
import { shortIdOf } from '../../../core/lib/short-id.ts';
import type { Post } from '../../../core/posts/post.ts';
import { section } from '../../../core/slack/blocks.ts';
import { noticesOf } from '../../../core/slack/modal-blocks.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { SHOW_AFTER_MS } from '../../../core/slack/show-form.ts';
import { bold, clipText, oneLine } from '../../../core/slack/text.ts';
import { unlessAway } from '../../../core/store/unless-away.ts';
import type { ActedAt } from '../../acted-at.ts';
import { type Action, APPROVAL_KIND } from '../../approval.ts';
import { encodeSignal } from '../../decision/signal.ts';
import { titleOf } from '../../digest.ts';
import { decodeApproval } from '../../stored-approval.ts';
import { withNotices } from '../../tell/notices.ts';
import { type PressEnd, pressEnd } from './press-end.ts';

/**
 * A person's decision on several requests, as a record: each becomes a ballot of its own, as if pressed on its message,
 * and the results are shown in the modal and in one direct message. If a process dies the next one continues, and casts
 * no ballot twice: each has the record's id.
 */

export const SEVERAL_KIND = 'several';

interface Row extends Partial<PressEnd> {
  readonly id: string;
  readonly channel: string;
  readonly digest: string;
  readonly title: string;
  readonly isCast?: true;
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
  /** Failed updates of the modal in a row, and when to try again: meanwhile ballots are cast and requests read. */
  readonly showTries?: number;
  readonly showAt?: number;
  /** All are cast: until when to wait for results. */
  readonly until?: number;
  /** When all were last read. */
  readonly lookedAt?: number;
  /** When the next step is due, at the earliest. */
  readonly nextAt: number;
  readonly post: Post;
}

type SeveralStep =
  /** Cast the ballots that the store has not accepted yet, and read the other requests without a final result. */
  | { readonly kind: 'look-at-several'; readonly plannedAt: number }
  | { readonly kind: 'show-several'; readonly shown: string };

interface Found {
  readonly kind: 'found';
  /** By record. */
  readonly rows: Readonly<Record<string, Partial<Row>>>;
}

type SeveralResult = Found | { readonly kind: 'shown' } | Failed;

const LOOK_MS = 1_000;
/** The longest wait for the service; slower decisions have their own messages and replies. */
const PATIENCE_MS = 45_000;
/** Shorter than `KNOWN_MS`, for which a signal's id is remembered: a repeated ballot is recognized. */
const CAST_FOR_MS = 10 * 60_000;
const SHOW_TRIES_MAX = 5;

export function severalRecord(
  wish: Pick<Several, 'user' | 'action' | 'reason' | 'view' | 'acted'>,
  rows: readonly Pick<Row, 'id' | 'channel' | 'digest' | 'title'>[],
  at: number,
): Several {
  return { v: 1, ...wish, at, rows, nextAt: at, post: { name: SEVERAL_KIND } };
}

export function createSeveralFlow(core: Core) {
  return withNotices(core, {
    kind: SEVERAL_KIND,
    // as: only written here
    decode: (text) => JSON.parse(text) as Several,
    encode: (several) => JSON.stringify(several),
    receive: (several) => ({ data: several }),
    dues: (several, now) => [due(several, now)],
    keepMs: 3_600_000,
    markAttempt: () => undefined,
    execute: (several, step: SeveralStep, id) =>
      step.kind === 'show-several' ? show(core, several) : look(core, id, several, step.plannedAt),
    apply: (several, step, result: SeveralResult, now) => ({
      data: applied(several, step, result, now),
    }),
    // The next holder reads and shows all of them.
    isTooLate: () => true,
    openNotices: (several) => (isReported(several) ? [several] : []),
    withPost: (several, _, post) => ({ ...several, post }),
    wantedOf: (several) => ({ user: several.user, content: () => severalMessage(several) }),
    lastWord: (several) => ({ facts: {}, show: () => sayLost(core, several) }),
  });
}

/** All results are known, or not waited for any longer. */
function isOver({ rows, at, until = at + CAST_FOR_MS, lookedAt = 0 }: Several): boolean {
  // A ballot is cast even for a request that has ended: only a press gets the reply that it was too late.
  return lookedAt >= until || rows.every(({ isCast, isFinal }) => isCast && isFinal);
}

/** They are shown too, as far as possible. */
function isReported(several: Several): boolean {
  return isOver(several) && isShown(several);
}

function isShown({ rows, shown = '', showTries = 0 }: Several): boolean {
  return endsOf(rows) === shown || showTries >= SHOW_TRIES_MAX;
}

function endsOf(rows: readonly Row[]): string {
  return rows.map(({ end = '' }) => end).join('');
}

function due(several: Several, now: number): Due<SeveralStep> {
  if (isReported(several)) return null;
  const { nextAt, showAt = 0, rows } = several;
  if (now < nextAt) return nextAt;
  if (!isShown(several) && now >= showAt) return { kind: 'show-several', shown: endsOf(rows) };
  return isOver(several) ? showAt : { kind: 'look-at-several', plannedAt: now };
}

function show({ modals }: Core, several: Several): Promise<SeveralResult> {
  const shown = modals.update({ id: several.view }, severalModal(several));
  return callResult(shown.then(() => ({ kind: 'shown' }) as const));
}

/** The record is gone: the modal promises no message any more. */
async function sayLost({ modals }: Core, { view, rows }: Several): Promise<void> {
  const lost = 'Gatepost lost its record of this. See each message for its result.';
  const known = rows.map((row) => (row.isCast || row.isFinal ? row : { ...row, end: UNSURE }));
  await callResult(modals.update({ id: view }, notice(lost, linesOf(known))));
}

/** A ballot that an earlier process cast is recognized by its id. What an unavailable store has is missing. */
async function look(core: Core, id: string, several: Several, now: number): Promise<Found> {
  const { rows, at } = several;
  const uncast = rows.filter(({ isCast }) => !isCast && now < at + CAST_FOR_MS);
  const ballots = uncast.map((row) => {
    return [row.id, { id: `several-${id}`, body: ballotOf(several, row) }] as const;
  });
  const ends = await signalEach(core, ballots, { once: true });
  const cast = new Set(uncast.filter((_, place) => ends[place] !== 'missed'));
  const read = async (row: Row): Promise<Partial<Row>> => {
    const record = await core.store.read(row.id);
    if (record?.kind !== APPROVAL_KIND) return NOT_STORED;
    const approval = decodeApproval(record);
    return { title: titleOf(approval), ...pressEnd(approval, several) };
  };
  const found = rows.map(async (row) => {
    // The record may not have received the ballot yet: what it says now can be the end of an earlier press.
    if (cast.has(row)) return [row.id, { isCast: true as const }] as const;
    return [row.id, row.isFinal ? {} : await unlessAway(read(row), {})] as const;
  });
  return { kind: 'found', rows: Object.fromEntries(await Promise.all(found)) };
}

function ballotOf({ user, action, reason, acted }: Several, { channel, digest }: Row): string {
  const said = { ...(reason !== undefined && { reason }), ...(acted !== undefined && { acted }) };
  const asker = { user, channel, direct: true } as const;
  return encodeSignal({ kind: 'ballot', action, asker, digest, ...said });
}

const NOT_STORED = {
  end: ':grey_question: No longer stored. Not counted.',
  isFinal: true,
} as const;
const UNSURE =
  ':grey_question: It is not known whether your decision was recorded. See its message.';

function applied(several: Several, step: SeveralStep, result: SeveralResult, now: number): Several {
  if (result.kind === 'found') return withFound(several, result.rows, now);
  // The types do not say which result belongs to which step.
  if (step.kind !== 'show-several') return several;
  if (result.kind === 'shown') {
    return { ...several, shown: step.shown, showTries: 0, nextAt: now + LOOK_MS };
  }
  const { failure } = result;
  const showTries = isRefused(failure) ? SHOW_TRIES_MAX : (several.showTries ?? 0) + 1;
  return { ...several, showTries, showAt: now + (failure.retryAfterMs ?? LOOK_MS) };
}

function withFound(several: Several, found: Found['rows'], now: number): Several {
  const isLate = now >= several.at + CAST_FOR_MS;
  const rows = several.rows.map((row) => {
    const known = { ...row, ...found[row.id] };
    const isUnsure = isLate && !known.isCast && !known.isFinal;
    return isUnsure ? { ...known, end: UNSURE, isFinal: true as const } : known;
  });
  const { lookedAt, until = rows.every(({ isCast }) => isCast) ? now + PATIENCE_MS : undefined } =
    several;
  const isNews = endsOf(rows) !== endsOf(several.rows);
  // They are cast after Slack's acknowledgement, unless another process was faster: see SHOW_AFTER_MS.
  const nextAt = now + (lookedAt === undefined ? SHOW_AFTER_MS : isNews ? 0 : LOOK_MS);
  return { ...several, rows, lookedAt: now, nextAt, ...(until !== undefined && { until }) };
}

const notice = noticesOf('approvals.several.sent', 'Several requests');

/** Replaces the form: the state of each request, as far as known. */
export function severalModal(several: Several): ModalView {
  const { rows } = several;
  const known = rows.filter(({ end }) => end !== undefined && end !== UNSURE).length;
  // It may stay: results are not waited for forever.
  const what = known === rows.length ? 'All done.' : `${known} of ${rows.length} results so far.`;
  return notice(`${what} You'll also get the results as a direct message.`, linesOf(rows));
}

export function severalMessage({ rows }: Several): SlackMessage {
  const text =
    rows.length === 1 ? 'Result of your decision' : `Results of your ${rows.length} decisions`;
  return { text, blocks: [section(text), ...linesOf(rows)] };
}

/** Twenty of them have to fit into a message. */
const TITLE_MAX = 100;
const ESCAPED_MAX = 150;

function linesOf(rows: Several['rows']): SectionBlock[] {
  return rows.map(({ id, title, end = ':hourglass: No result yet. See its message.' }) => {
    const [head] = clipText(oneLine(title, TITLE_MAX), ESCAPED_MAX);
    return section(`${bold(head)} · \`${shortIdOf(id)}\`\n${end}`);
  });
}
