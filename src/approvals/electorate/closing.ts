/**
 * Closings by people, one record for each route. Its signals (this file), what follows from them (`closing-flow.ts`),
 * what people type (`closing-command.ts`, `cli/close.ts`).
 */

import { createHash } from 'node:crypto';
import type { Applied } from '../../core/engine/flow.ts';
import { withSeen } from '../../core/engine/put-record.ts';
import { iso } from '../../core/lib/iso-time.ts';
import type { Post } from '../../core/posts/post.ts';
import type { NewAuditEntry, NewRecord, Signal, Store } from '../../core/store/store.ts';
import { type ActedAt, isEarlier, newer } from '../acted-at.ts';
import type { Barred } from './bar.ts';

export const CLOSING_KIND = 'closing';

export interface Closing extends Barred {
  readonly v: 1;
  readonly route: string;
  /** Slack user id, or `os:user@host` of a command line. */
  readonly by: string;
  readonly since: number;
  /** When it ended: somebody opened the route, or the time is over. */
  readonly openedAt?: number;
  /** The time of the file that was announced; absent: none is on. */
  readonly window?: Barred;
  /** The last change that not all open requests were told of; absent: none. Unique times identify changes. */
  readonly changedAt?: number;
  readonly lastChangeAt: number;
  /** How far they have been told; absent: from the start. */
  readonly after?: string;
  /** Requests in an unavailable part of the store were missed. */
  readonly hasMissed?: true;
  /** When to continue after the store was unavailable. */
  readonly notBefore?: number;
  /** Announcements still to be posted, oldest first. */
  readonly notices: readonly ClosingNotice[];
  /** How many there have been, for their names. */
  readonly count: number;
  /** Ids of the last signals, for callers that wait for theirs. */
  readonly seen: readonly string[];
  /** When somebody closed it last: an earlier `open` that was held back does not open it. */
  readonly acted?: ActedAt;
}

/** In a channel: closed, or closed until another time; opened by somebody, or because the time is over. */
export interface ClosingNotice extends Barred {
  readonly kind: 'closed' | 'opened' | 'over';
  readonly by: string;
  readonly at: number;
  readonly post: Post;
}

/** `channels`: where it is announced. `acted`: absent for a command in Socket Mode, which counts as it arrives. */
export type ClosingSignal =
  | (Barred & {
      readonly kind: 'close';
      readonly by: string;
      readonly channels: readonly string[];
      readonly acted?: ActedAt;
    })
  | {
      readonly kind: 'open';
      readonly by: string;
      readonly channels: readonly string[];
      readonly acted?: ActedAt;
    }
  /** The file may say something else by now. */
  | { readonly kind: 'look' };

type Close = ClosingSignal & { readonly kind: 'close' };

/** The record for a route that had none. */
export function closingRecord(
  route: string,
  id: string,
  change: Close,
  at: number,
): Pick<NewRecord, 'kind' | 'data' | 'uniqueKey' | 'audit'> {
  const { data, audit = [] } = receiveClosing(openRoute(route, change.by, at), { id, at }, change);
  return recordOf(data, audit);
}

/** The record for a route that only the file closes. */
export function windowRecord(route: string, at: number): ReturnType<typeof closingRecord> {
  return recordOf(openRoute(route, 'gatepost', at), []);
}

function recordOf(closing: Closing, audit: readonly NewAuditEntry[]) {
  const { route } = closing;
  return {
    ...{ kind: CLOSING_KIND, data: encodeClosing(closing), uniqueKey: closingKey(route), audit },
  };
}

function openRoute(route: string, by: string, at: number): Closing {
  const ended = { until: at, why: '', by, since: at, openedAt: at };
  return { v: 1, route, ...ended, lastChangeAt: at, notices: [], count: 0, seen: [] };
}

/** Applies a signal. One that was applied before, or changes nothing, leaves the rest as it is. */
export function receiveClosing(
  before: Closing,
  { id, at }: Pick<Signal, 'id' | 'at'>,
  body: ClosingSignal,
): Applied<Closing> {
  if (body.kind === 'look' || before.seen.includes(id)) return { data: before };
  const closing = { ...before, seen: withSeen(before.seen, id) };
  const { by, channels, acted } = body;
  if (body.kind === 'open') {
    const isOvertaken = acted !== undefined && before.acted && isEarlier(acted, before.acted);
    if (isOvertaken || isOver(closing, at)) return { data: closing };
    const opened = changed({ ...closing, openedAt: at }, at);
    const data = withNotices(opened, { ...opened, kind: 'opened', by }, channels, at);
    return { data, audit: [openedEntry(closing, by, windowOn(closing, at))] };
  }
  const { until, why } = body;
  const { openedAt: _, ...rest } = closing;
  const since = isOver(closing, at) ? at : closing.since;
  const last = acted && { acted: newer(before.acted, acted) };
  const closed = changed({ ...rest, until, why, by, since, ...last }, at);
  const data = withNotices(closed, { kind: 'closed', by, until, why }, channels, at);
  return { data, audit: [closedEntry(closing, by, { until, why })] };
}

function closedEntry({ route }: Closing, by: string, { until, why }: Barred): NewAuditEntry {
  return entryOf('approvals.closed', by, { route, until: iso(until), why });
}

/** `still`: what keeps the route closed. */
function openedEntry({ route }: Closing, by: string, still: Barred | undefined): NewAuditEntry {
  return entryOf('approvals.opened', by, { route, ...(still && { still: iso(still.until) }) });
}

/** It has ended, even if open requests were not told yet. */
export function isOver({ openedAt, until }: Closing, at: number): boolean {
  return openedAt !== undefined || at >= until;
}

/** After its time. */
export function overClosing(
  closing: Closing,
  channels: readonly string[],
  now: number,
): Applied<Closing> {
  const over = changed({ ...closing, openedAt: closing.until }, now);
  return {
    data: withNotices(over, { ...over, kind: 'over', by: 'gatepost' }, channels, now),
    audit: [openedEntry(closing, 'gatepost', windowOn(closing, now))],
  };
}

/** A time of the file begins, changes or ends: undefined: none is on any more. */
export function withWindow(
  closing: Closing,
  window: Barred | undefined,
  channels: readonly string[],
  now: number,
): Applied<Closing> {
  const { window: before, ...rest } = closing;
  const by = 'gatepost';
  if (window === undefined) {
    const said = { kind: 'over', by, until: now, why: '', ...before } as const;
    return {
      data: withNotices(changed(rest, now), said, channels, now),
      audit: [openedEntry(closing, by, closedBy(closing, now))],
    };
  }
  const closed = changed({ ...rest, window }, now);
  return {
    data: withNotices(closed, { kind: 'closed', by, ...window }, channels, now),
    audit: [closedEntry(closing, by, window)],
  };
}

/** The time of the file that is on, as far as it was announced. */
function windowOn({ window }: Closing, now: number): Barred | undefined {
  return window !== undefined && now < window.until ? window : undefined;
}

/** What people closed, if that has not ended. */
export function closedBy(closing: Closing, now: number): Barred | undefined {
  const { until, why } = closing;
  return isOver(closing, now) ? undefined : { until, why };
}

/** Announcements that are no longer true, and were not begun, are dropped. */
function withNotices(
  closing: Closing,
  { kind, by, until, why }: Pick<ClosingNotice, 'kind' | 'by' | 'until' | 'why'>,
  channels: readonly string[],
  at: number,
): Closing {
  const left = closing.notices.filter(({ post }) => post.attempt !== undefined);
  // The count may go back with the store. What nobody did has the same name wherever it is noticed.
  const moment = by === 'gatepost' ? until : at;
  const more = channels.map((channel, index) => ({
    ...{ kind, by, until, why, at },
    post: { name: `${kind}-${moment}-${closing.count + index + 1}`, channel },
  }));
  return { ...closing, count: closing.count + more.length, notices: [...left, ...more] };
}

/** Open requests will be told, starting over. */
function changed(closing: Closing, at: number): Closing {
  const { after, hasMissed, notBefore, lastChangeAt, ...rest } = closing;
  const changedAt = Math.max(at, lastChangeAt + 1);
  return { ...rest, changedAt, lastChangeAt: changedAt };
}

function entryOf(action: string, actor: string, facts: NewAuditEntry['facts']): NewAuditEntry {
  return { action, record: null, actor, facts };
}

/** The unique key of a route's closing. */
export function closingKey(route: string): string {
  return createHash('sha256').update(`${CLOSING_KIND}\0${route}`).digest('base64url');
}

export function encodeClosing(closing: Closing): string {
  return JSON.stringify(closing);
}

export function decodeClosing(data: string): Closing {
  // as: only `encodeClosing` writes it
  return JSON.parse(data) as Closing;
}

/** Whether and how people have closed the route now. Throws StoreError. */
export async function readClosing(
  store: Pick<Store, 'find' | 'now'>,
  route: string,
): Promise<Closing | undefined> {
  const record = await store.find(closingKey(route));
  if (record?.kind !== CLOSING_KIND) return undefined;
  const closing = decodeClosing(record.data);
  return isOver(closing, store.now()) ? undefined : closing;
}
