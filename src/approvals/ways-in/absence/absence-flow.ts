import type { Route } from '../../../core/config/config.ts';
import type { Core } from '../../../core/core.ts';
import type { Failed } from '../../../core/engine/call-result.ts';
import { type Due, firstDue } from '../../../core/engine/first-due.ts';
import { type Flow, type Plan, STORE_AGAIN_MS } from '../../../core/engine/flow.ts';
import { signalRecord } from '../../../core/engine/put-record.ts';
import { signalPage } from '../../../core/engine/signal-many.ts';
import { duePost, type PostStep } from '../../../core/posts/post.ts';
import { executePosting, type PostingResult } from '../../../core/posts/post-calls.ts';
import { applyPosting, postBegun } from '../../../core/posts/post-transitions.ts';
import type { StoredRecord } from '../../../core/store/store.ts';
import { unlessAway } from '../../../core/store/unless-away.ts';
import { encodeSignal } from '../../decision/signal.ts';
import { lostUntil } from '../../decision/store-rewind.ts';
import {
  ABSENCE_KIND,
  type Absence,
  type AbsenceSignal,
  absenceKeyOfId,
  absencesCoveredBy,
  decodeAbsence,
  encodeAbsence,
  endedAbsence,
  listsOfAbsence,
  type Notice,
  receiveAbsence,
  shownId,
  type Told,
  withPosted,
} from '../../electorate/absence.ts';
import { decidersOf } from '../../electorate/deciders.ts';
import { routeList } from '../../lists.ts';
import { readableApproval } from '../../stored-approval.ts';
import { noticeMessage } from './away-words.ts';
import { isAskingAny } from './is-asking-any.ts';

/**
 * What follows from an absence: after every change the open requests that ask the person get a signal, page by page, and
 * people get direct messages. The record lasts until the person is back, or the time is over, and all of them were
 * told of that too. If a process dies, the next one continues: a request signalled twice reads absences twice, and a
 * message whose answer was lost is searched for.
 */

/** `changedAt`: the change to announce. */
interface TellRequests {
  readonly kind: 'tell-requests';
  readonly changedAt: number;
}

type AbsenceStep =
  | TellRequests
  /** The time is over. */
  | { readonly kind: 'end-absence' }
  | { readonly kind: PostStep; readonly plannedAt: number; readonly name: string };

type AbsenceResult =
  | { readonly kind: 'told'; readonly left: Told }
  | { readonly kind: 'away' }
  | { readonly kind: 'ended' }
  | PostingResult
  | Failed;

/** How many requests are signalled in one step. */
const PAGE = 50;

export function createAbsenceFlow(core: Core): Flow<Absence, AbsenceStep, AbsenceResult> {
  const { timing } = core;
  return {
    kind: ABSENCE_KIND,
    decode: decodeAbsence,
    encode: encodeAbsence,
    listsOf: listsOfAbsence,
    // as: only `signalAbsence` writes it
    receive: (absence, signal) =>
      receiveAbsence(absence, signal, JSON.parse(signal.body) as AbsenceSignal),
    plan: (absence, now) => plan(core, absence, now),
    markAttempt(absence, step, now) {
      // Requests read absences from the store: the change is saved before they are signalled.
      if (step.kind === 'tell-requests') return { data: absence };
      if (step.kind !== 'post') return undefined;
      const notice = noticeNamed(absence, step.name);
      if (notice === undefined) return undefined;
      const post = postBegun(notice.post, step, timing, now);
      return { data: withPosted(absence, notice, post), durable: true };
    },
    execute: (absence, step, id) => execute(core, id, absence, step),
    apply: (absence, step, result, now) => ({ data: applied(core, absence, step, result, now) }),
    // Another worker has signalled them, or will.
    isTooLate: (step) => step.kind === 'tell-requests',
  };
}

function plan(core: Core, absence: Absence, now: number): Plan<AbsenceStep> {
  const dues: (() => Due<AbsenceStep>)[] = [
    () => (isOver(absence, now) ? { kind: 'end-absence' } : null),
    () => dueTelling(absence, now),
    ...absence.notices.map((notice) => () => dueNotice(core, notice, now)),
    () => dueEnd(absence, now),
  ];
  return firstDue(dues, 0);
}

/** It may be set again before its end is applied. */
function isOver({ endedAt, until }: Absence, now: number): boolean {
  return endedAt === undefined && now >= until;
}

/** Its acts are kept for a while after its end, for a command that is held back meanwhile. */
const KEPT_MS = 3_600_000;

function dueEnd({ endedAt, until, acts }: Absence, now: number): number | null {
  if (endedAt === undefined) return until;
  const keptUntil = endedAt + KEPT_MS;
  return acts === undefined || now >= keptUntil ? null : keptUntil;
}

function dueTelling({ changedAt, notBefore = 0 }: Absence, now: number): Due<AbsenceStep> {
  if (changedAt === undefined) return null;
  return now < notBefore ? notBefore : { kind: 'tell-requests', changedAt };
}

function dueNotice({ store, timing }: Core, { post, at }: Notice, now: number): Due<AbsenceStep> {
  const lives = { servingSince: store.servingSince(), wentBackAt: store.wentBackAt(), timing };
  const due = duePost(post, now, lostUntil({ createdAt: at }, lives));
  if (due === null || typeof due === 'number') return due;
  return { kind: due, plannedAt: now, name: post.name };
}

function noticeNamed({ notices }: Absence, name: string): Notice | undefined {
  return notices.find(({ post }) => post.name === name);
}

async function execute(
  core: Core,
  id: string,
  absence: Absence,
  step: AbsenceStep,
): Promise<AbsenceResult> {
  switch (step.kind) {
    case 'end-absence':
      return { kind: 'ended' };
    case 'tell-requests': {
      const telling = tellRequests(core, id, absence, step);
      return unlessAway<AbsenceResult>(telling, { kind: 'away' });
    }
    default: {
      const notice = noticeNamed(absence, step.name);
      if (notice === undefined) throw new Error('a notice is posted that the absence has not');
      return executePosting(core, step.kind, {
        post: notice.post,
        user: notice.to,
        names: [notice.of],
        sinceAt: notice.at,
        metadata: { record: id, post: notice.post.name },
        content: () => noticeMessage(notice, absence, core.links),
      });
    }
  }
}

/**
 * Signals those of one page of requests that the absence can change and, with the first page, other people concerned.
 * Throws StoreError.
 */
async function tellRequests(
  core: Core,
  id: string,
  absence: Absence,
  { changedAt }: TellRequests,
): Promise<AbsenceResult> {
  const told = absence.told ?? (await tellPeople(core, id, absence, changedAt));
  const [route, ...others] = told.routes;
  if (route === undefined) return { kind: 'told', left: told };
  const signal = { id: `absences.${id}.${changedAt}`, body: encodeSignal({ kind: 'absences' }) };
  const piece = { limit: PAGE, after: told.after };
  const isConcerned = async (record: StoredRecord) => {
    const approval = readableApproval(record);
    return told.ids === undefined || !approval || isAskingAny(core, approval, told.ids);
  };
  const { next, hasMissed } = await signalPage(core, [routeList(route)], piece, async (record) =>
    (await isConcerned(record)) ? signal : undefined,
  );
  const { after: _, ...rest } = told;
  return {
    kind: 'told',
    left: {
      ...rest,
      ...(next === null ? { routes: others } : { after: next }),
      ...(hasMissed && { hasMissed: true }),
    },
  };
}

/**
 * Tells people who named the absent person as substitute. Returns whose places the absent person may be mentioned in,
 * and the routes of such requests. Throws StoreError.
 */
async function tellPeople(
  core: Core,
  id: string,
  { ids, until, endedAt }: Absence,
  changedAt: number,
): Promise<Told> {
  const given = await absencesCoveredBy(core.store, { id: shownId(ids), globalId: ids[0] });
  if (endedAt === undefined) {
    const body = JSON.stringify({ kind: 'substitute-away', ids, until } satisfies AbsenceSignal);
    for (const absence of given) {
      const record = await core.store.find(absenceKeyOfId(absence.ids[0]));
      if (record === undefined) continue;
      await signalRecord(core, record.id, { id: `away.${id}.${changedAt}`, body });
    }
  }
  const all = [...ids, ...given.flatMap((each) => each.ids)];
  return { ids: all, routes: routesOf(core.config.routes, all) };
}

/** Routes on which people decide by name, or possibly by a group or the channel. */
export function routesOf(routes: readonly Route[], ids: readonly string[]): readonly string[] {
  return routes
    .filter((route) => {
      const { users, groups, channel } = decidersOf(route);
      return channel || groups.length > 0 || ids.some((id) => users.includes(id));
    })
    .map(({ name }) => name);
}

function applied(
  { timing }: Core,
  absence: Absence,
  step: AbsenceStep,
  result: AbsenceResult,
  now: number,
): Absence {
  if (step.kind === 'end-absence')
    return isOver(absence, now) ? endedAbsence(absence, now) : absence;
  if (step.kind === 'tell-requests') {
    // After a further change they are signalled again from the start.
    if (absence.changedAt !== step.changedAt) return absence;
    if (result.kind === 'away') return { ...absence, notBefore: now + STORE_AGAIN_MS };
    return result.kind === 'told' ? withTold(absence, result.left, now) : absence;
  }
  const notice = noticeNamed(absence, step.name);
  if (notice === undefined) return absence;
  // as: the step belongs to a post
  const posted = result as PostingResult;
  return withPosted(absence, notice, applyPosting(notice.post, step, posted, 'week', timing, now));
}

function withTold(absence: Absence, left: Told, now: number): Absence {
  const { told: _, notBefore: __, ...rest } = absence;
  if (left.routes.length > 0) return { ...rest, told: left };
  if (left.hasMissed) return { ...rest, notBefore: now + STORE_AGAIN_MS };
  const { changedAt: ___, ...all } = rest;
  return all;
}
