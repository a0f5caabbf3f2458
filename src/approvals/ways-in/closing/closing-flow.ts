import { isDeepStrictEqual } from 'node:util';
import type { Core } from '../../../core/core.ts';
import type { Failed } from '../../../core/engine/call-result.ts';
import { type Due, firstDue } from '../../../core/engine/first-due.ts';
import { type Flow, type Plan, STORE_AGAIN_MS } from '../../../core/engine/flow.ts';
import { signalRecord } from '../../../core/engine/put-record.ts';
import { signalPage } from '../../../core/engine/signal-many.ts';
import { duePost, type PostStep } from '../../../core/posts/post.ts';
import { executePosting, type PostingResult } from '../../../core/posts/post-calls.ts';
import { applyPosting, postBegun } from '../../../core/posts/post-transitions.ts';
import { KNOWN_MS } from '../../../core/store/store.ts';
import { unlessAway } from '../../../core/store/unless-away.ts';
import { encodeSignal } from '../../decision/signal.ts';
import { lostUntil } from '../../decision/store-rewind.ts';
import type { Barred } from '../../electorate/bar.ts';
import { lastOf, nextWindowAt, windowsAt } from '../../electorate/closed.ts';
import {
  CLOSING_KIND,
  type Closing,
  type ClosingNotice,
  type ClosingSignal,
  closedBy,
  closingKey,
  decodeClosing,
  encodeClosing,
  isOver,
  overClosing,
  receiveClosing,
  windowRecord,
  withAnnounced,
  withWindow,
} from '../../electorate/closing.ts';
import { routeNamed } from '../../electorate/route-for.ts';
import { routeList } from '../../lists.ts';
import { noticeText } from './closing-words.ts';
import { channelsOf } from './store-closing.ts';

/**
 * What follows from a closing: after every change the open requests of the route get a signal, page by page, and its
 * channels an announcement. The record lasts until the route is open again, all were told of that too, and no command can
 * be delivered again.
 */

type ClosingStep =
  /** `changedAt`: the change to tell of. */
  | { readonly kind: 'tell-requests'; readonly changedAt: number }
  /** The time is over. */
  | { readonly kind: 'end-closing' }
  /** A time of the file begins or ends. */
  | { readonly kind: 'note-window' }
  | { readonly kind: PostStep; readonly plannedAt: number; readonly name: string };

type ClosingResult =
  | { readonly kind: 'told'; readonly next: string | null; readonly hasMissed: boolean }
  | { readonly kind: 'away' }
  | { readonly kind: 'ended' }
  | PostingResult
  | Failed;

/** How many requests are signalled in one step. */
const PAGE = 50;

export function createClosingFlow(core: Core): Flow<Closing, ClosingStep, ClosingResult> {
  const { timing } = core;
  return {
    kind: CLOSING_KIND,
    decode: decodeClosing,
    encode: encodeClosing,
    // as: only `storeClosing` writes it
    receive: (closing, signal) =>
      receiveClosing(closing, signal, JSON.parse(signal.body) as ClosingSignal),
    plan: (closing, now) => plan(core, closing, now),
    markAttempt(closing, step, now) {
      // Requests read it from the store: the change is saved before they are signalled.
      if (step.kind === 'tell-requests') return { data: closing };
      if (step.kind !== 'post') return undefined;
      const notice = noticeNamed(closing, step.name);
      if (notice === undefined) return undefined;
      const post = postBegun(notice.post, step, timing, now);
      return { data: withAnnounced(closing, notice, post), durable: true };
    },
    execute: (closing, step, id) => execute(core, id, closing, step),
    apply: (closing, step, result, now) => applied(core, closing, step, result, now),
    // Another worker has signalled them, or will.
    isTooLate: (step) => step.kind === 'tell-requests',
  };
}

/**
 * Looks whether the file closes routes, or does not any more: at the start, and when its rules were read again. Throws
 * StoreError.
 */
export async function lookAtWindows(core: Core): Promise<void> {
  const { store, config, random } = core;
  const signal = { id: `look.${random.uuid()}`, body: JSON.stringify({ kind: 'look' }) };
  for (const { name, closed } of config.routes) {
    const known = await store.find(closingKey(name));
    if (known !== undefined) await signalRecord(core, known.id, signal);
    else if (closed.some(({ until }) => until > store.now())) {
      const record = windowRecord(name, store.now());
      await store.create({ ...record, lane: 'people', dueInMs: 0, place: null }, { hold: false });
    }
  }
}

function plan(core: Core, closing: Closing, now: number): Plan<ClosingStep> {
  const { openedAt, until } = closing;
  const dues: (() => Due<ClosingStep>)[] = [
    () => (openedAt === undefined && now >= until ? { kind: 'end-closing' } : null),
    () => dueWindow(core, closing, now),
    () => dueTelling(closing, now),
    ...closing.notices.map((notice) => () => dueNotice(core, notice, now)),
    () => (openedAt === undefined ? until : null),
    () => closing.window?.until ?? null,
    () => nextWindowAt(routeNamed(core, closing.route), now) ?? null,
  ];
  // A command that is delivered again is known by its id.
  return firstDue(dues, KNOWN_MS);
}

function dueWindow(core: Core, closing: Closing, now: number): Due<ClosingStep> {
  const window = windowOf(core, closing, now);
  return isDeepStrictEqual(window, closing.window) ? null : { kind: 'note-window' };
}

function dueTelling({ changedAt, notBefore = 0 }: Closing, now: number): Due<ClosingStep> {
  if (changedAt === undefined) return null;
  return now < notBefore ? notBefore : { kind: 'tell-requests', changedAt };
}

function dueNotice({ store, timing }: Core, { post, at }: ClosingNotice, now: number) {
  const lives = { servingSince: store.servingSince(), wentBackAt: store.wentBackAt(), timing };
  const due = duePost(post, now, lostUntil({ createdAt: at }, lives));
  if (due === null || typeof due === 'number') return due;
  return { kind: due, plannedAt: now, name: post.name };
}

function noticeNamed({ notices }: Closing, name: string): ClosingNotice | undefined {
  return notices.find(({ post }) => post.name === name);
}

async function execute(
  core: Core,
  id: string,
  closing: Closing,
  step: ClosingStep,
): Promise<ClosingResult> {
  switch (step.kind) {
    case 'end-closing':
    case 'note-window':
      return { kind: 'ended' };
    case 'tell-requests':
      return unlessAway<ClosingResult>(tellRequests(core, id, closing, step.changedAt), {
        kind: 'away',
      });
    default: {
      const notice = noticeNamed(closing, step.name);
      if (notice === undefined) throw new Error('a notice is posted that the closing has not');
      return executePosting(core, step.kind, {
        post: notice.post,
        sinceAt: notice.at,
        metadata: { record: id, post: notice.post.name },
        content: () =>
          noticeText(notice, routeNamed(core, closing.route), stillClosed(core, closing)),
      });
    }
  }
}

/** The time of the file that is on now. */
function windowOf(core: Core, { route }: Closing, now: number): Barred | undefined {
  return lastOf(windowsAt(routeNamed(core, route), now));
}

/** What keeps the route closed now: people, or the file. */
function stillClosed(core: Core, closing: Closing): Barred | undefined {
  const now = core.store.now();
  return lastOf([closedBy(closing, now), windowOf(core, closing, now)].flatMap((it) => it ?? []));
}

/** Signals one page of requests: each reads the closing again. Throws StoreError. */
async function tellRequests(
  core: Core,
  id: string,
  { route, after }: Closing,
  changedAt: number,
): Promise<ClosingResult> {
  const body = encodeSignal({ kind: 'closing', changedAt });
  const signal = { id: `closing.${id}.${changedAt}`, body };
  const piece = { limit: PAGE, after };
  const { next, hasMissed } = await signalPage(core, [routeList(route)], piece, () => signal);
  return { kind: 'told', next, hasMissed };
}

function applied(
  core: Core,
  closing: Closing,
  step: ClosingStep,
  result: ClosingResult,
  now: number,
) {
  if (step.kind === 'end-closing') {
    const route = routeNamed(core, closing.route);
    if (closing.openedAt !== undefined || !isOver(closing, now)) return { data: closing };
    return overClosing(closing, channelsOf(route), now);
  }
  if (step.kind === 'note-window') {
    const window = windowOf(core, closing, now);
    if (isDeepStrictEqual(window, closing.window)) return { data: closing };
    return withWindow(closing, window, channelsOf(routeNamed(core, closing.route)), now);
  }
  if (step.kind === 'tell-requests') {
    // After a further change they are signalled again from the start.
    if (closing.changedAt !== step.changedAt) return { data: closing };
    if (result.kind === 'away') return { data: { ...closing, notBefore: now + STORE_AGAIN_MS } };
    return { data: result.kind === 'told' ? withTold(closing, result, now) : closing };
  }
  const notice = noticeNamed(closing, step.name);
  if (notice === undefined) return { data: closing };
  // as: the step belongs to a post
  const posted = result as PostingResult;
  const post = applyPosting(notice.post, step, posted, 'week', core.timing, now);
  return { data: withAnnounced(closing, notice, post) };
}

function withTold(
  closing: Closing,
  { next, hasMissed }: Extract<ClosingResult, { kind: 'told' }>,
  now: number,
): Closing {
  const { after, notBefore, hasMissed: before, ...rest } = closing;
  const isMissed = hasMissed || before === true;
  if (next !== null) return { ...rest, after: next, ...(isMissed && { hasMissed: true as const }) };
  if (isMissed) return { ...rest, notBefore: now + STORE_AGAIN_MS };
  const { changedAt, ...all } = rest;
  return all;
}
