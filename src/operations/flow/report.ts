import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { callResult, type Failed } from '../../core/engine/call-result.ts';
import type { Due } from '../../core/engine/first-due.ts';
import { duePost, nameInMetadata, type Post, type PostStep } from '../../core/posts/post.ts';
import { executePosting, type PostingResult } from '../../core/posts/post-calls.ts';
import type { SlackMessage } from '../../core/slack/outbox.ts';
import { SHOW_AFTER_MS } from '../../core/slack/show-form.ts';

/**
 * How a record reports on something a person asked for in a modal: in that modal, or by direct message once it is
 * closed, and in a channel. All times are on the store's clock.
 */
export interface Report {
  /** Slack user id of the person who asked. */
  readonly by: string;
  /** Where they asked. */
  readonly channel: string;
  /** Where it is announced; absent: in `channel`. */
  readonly announceIn?: Place;
  readonly createdAt: number;
  /** Nobody is told: the caller reads the record. */
  readonly silent?: true;
  /** The modal that shows the result; absent: it was closed, or there was none. */
  readonly modal?: string;
  /** The state the modal shows. */
  readonly shown?: string;
  /** The state the direct message shows. */
  readonly told?: string;
  /** Trouble with showing a state. */
  readonly showing?: Showing;
  /**
   * When a started update of the modal or direct message has certainly ended; present only during the update, or after
   * its process died.
   */
  readonly changeEndsBy?: number;
  /** An unclear update may overwrite the end, which is therefore shown again at `at`. */
  readonly again?: Again;
  /** `announcement` in the channel, `result` to the person. */
  readonly posts: readonly Post[];
}

interface Showing {
  /** The state it is about; absent: none was tried. */
  readonly of?: string;
  readonly tries: number;
  /** Since when every try has failed. */
  readonly since?: number;
  readonly notBefore: number;
}

interface Again {
  readonly at: number;
  /** The modal's hash when it was shown: a changed modal shows something else, or is used for something else. */
  readonly hash?: string;
}

/** Where a message is posted: in a channel, or as a reply in a thread. */
interface Place {
  readonly channel: string;
  readonly threadTs?: string;
}

/**
 * Whether and where to announce something. `setting`: false: nowhere; true: where it was asked for, in the thread of
 * the message it was made from; or another channel's id.
 */
export function announcementAt(
  setting: boolean | string,
  asked: Place,
): { readonly announce: boolean; readonly announceIn: Place } {
  if (typeof setting === 'boolean') return { announce: setting, announceIn: asked };
  return { announce: true, announceIn: setting === asked.channel ? asked : { channel: setting } };
}

/** The state shown to the person: equal states render the same. */
export interface MessageState {
  /** `done`: it no longer changes by itself. */
  readonly state: string;
}

type ReportPost = 'announcement' | 'result';

/** One thing to do next to report it. */
export type ReportStep<State extends MessageState> =
  /** Show the state in the person's modal; `hash`: only if nothing else is shown in it. */
  | { readonly kind: 'show'; readonly state: State; readonly hash?: string }
  /** Update the direct message `ts` to the state. */
  | { readonly kind: 'update'; readonly state: State; readonly ts: string }
  | ReportPostStep<State>;

/** A step of the announcement in the channel, or of the direct message with the result. */
export interface ReportPostStep<State extends MessageState> {
  readonly kind: PostStep;
  readonly post: ReportPost;
  readonly state: State;
  readonly plannedAt: number;
}

export type ReportResult = Shown | PostingResult;

/** The result of updating a modal or message; `hash`: the modal's. */
export type Shown = { readonly kind: 'done'; readonly hash?: string } | Failed;

export function stateText(state: MessageState): string {
  return JSON.stringify(state);
}

/** The modal, if it has to show another state. */
export function dueModal<State extends MessageState>(
  report: Report,
  state: State,
  now: number,
): Due<ReportStep<State>> {
  const { modal, shown, createdAt, again } = report;
  const dueAt = modal === undefined ? null : showAt(report, shown, state);
  if (dueAt === null) return null;
  const from = Math.max(dueAt, createdAt + SHOW_AFTER_MS);
  if (now < from) return from;
  const hash = shown === stateText(state) ? again?.hash : undefined;
  return { kind: 'show', state, ...(hash !== undefined && { hash }) };
}

/** When to show a new state, or to repeat one that a late update may overwrite; null: not needed. */
function showAt(
  { showing, again }: Report,
  shown: string | undefined,
  state: MessageState,
): number | null {
  const notBefore = showing?.notBefore ?? 0;
  if (shown !== stateText(state)) return notBefore;
  return state.state === 'done' && again !== undefined ? Math.max(notBefore, again.at) : null;
}

/** Without a modal the person gets the end as a direct message with the current state. */
export function dueResult<State extends MessageState>(
  report: Report,
  state: State,
  now: number,
): Due<ReportStep<State>> {
  if (report.modal !== undefined || report.silent) return null;
  const { ts } = postNamed(report, 'result');
  if (ts === undefined) {
    return state.state === 'done' ? dueReportPost(report, 'result', state, now) : null;
  }
  return dueUpdate(report, ts, state, now);
}

/** The direct message, if it has to show another state. */
export function dueUpdate<State extends MessageState>(
  report: Report,
  ts: string,
  state: State,
  now: number,
): Due<Extract<ReportStep<State>, { kind: 'update' }>> {
  const from = showAt(report, report.told, state);
  if (from === null) return null;
  return now < from ? from : { kind: 'update', state, ts };
}

export function dueReportPost<State extends MessageState>(
  report: Report,
  post: ReportPost,
  state: State,
  now: number,
): Due<ReportPostStep<State>> {
  const next = duePost(postNamed(report, post), now);
  if (next === null || typeof next === 'number') return next;
  return { kind: next, post, state, plannedAt: now };
}

/**
 * The announcement. A person who asked in their direct messages with the bot reads the result there or in the modal,
 * and nobody else is there, so nothing is announced. Slack distinguishes that conversation from one between two people
 * only when it is opened.
 */
export function dueAnnouncement<State extends MessageState>(
  report: Report,
  state: State,
  now: number,
): Due<ReportPostStep<State>> {
  const { channel } = announcedIn(report);
  const direct = postNamed(report, 'result');
  if (isDirect(channel) && !report.silent) {
    if (direct.channel === channel) return null;
    const isUnknown = direct.channel === undefined && direct.failed === undefined;
    if (isUnknown) return dueReportPost(report, 'result', state, now);
  }
  return dueReportPost(report, 'announcement', state, now);
}

/** A direct message channel, with the bot or between two people. */
function isDirect(channel: string): boolean {
  return channel.startsWith('D');
}

function announcedIn({ announceIn, channel }: Report): Place {
  return announceIn ?? { channel };
}

/** The known post, or a new one. */
export function postNamed(report: Report, name: ReportPost): Post {
  const known = report.posts.find((post) => post.name === name);
  if (known !== undefined || name === 'result') return known ?? { name };
  return { name, channel: announcedIn(report).channel };
}

/** It could not be announced in the channel. */
export function isUntold(report: Report): boolean {
  return postNamed(report, 'announcement').failed !== undefined;
}

/** The announcement is posted where the person asked, so a direct message would repeat it. */
export function isToldWhereAsked(report: Report): boolean {
  const { channel } = announcedIn(report);
  const { ts, attempt } = postNamed(report, 'result');
  const isBegun = ts !== undefined || attempt !== undefined;
  return channel === report.channel && !isDirect(channel) && !isUntold(report) && !isBegun;
}

/** What came instead of an answer, as the start of a sentence. `status`: the HTTP status. */
export function answeredWith(status: number | undefined): string {
  if (status === undefined) return SILENT;
  return status < 400
    ? `The service answered with a redirect (${status})`
    : `The service answered with an error (${status})`;
}

export const SILENT = 'The service did not answer';

/** Tells the person that the channel could not be told. */
export function untoldSentence(report: Report): string {
  const { channel } = announcedIn(report);
  // Direct message channels have no name.
  const place = isDirect(channel) ? 'that conversation' : `<#${channel}>`;
  return `Gatepost cannot post in ${place}, so only you were told.`;
}

/** How a kind of record is shown; `id` is the record's. */
export interface ReportViews<Record extends Report, State extends MessageState> {
  readonly core: Core;
  /** The modal. */
  view(id: string, record: Record, state: State): ModalView;
  /** The direct message to a person without a modal. */
  message(id: string, record: Record, state: State): SlackMessage;
  /** The announcement in the channel; absent: none. */
  announcement?(record: Record): SlackMessage;
}

/** Makes the step's call. Failures of other systems are results. */
export async function executeReport<Record extends Report, State extends MessageState>(
  views: ReportViews<Record, State>,
  id: string,
  report: Record,
  step: ReportStep<State>,
): Promise<ReportResult> {
  const { core, announcement = notAnnounced } = views;
  const { modals, outbox } = core;
  const message = () => views.message(id, report, step.state);
  switch (step.kind) {
    case 'show': {
      const { modal } = report;
      if (modal === undefined) throw new Error('there is no modal to show it in');
      const { hash } = step;
      const view = views.view(id, report, step.state);
      const shown = modals.update({ id: modal, ...(hash && { hash }) }, view);
      return callResult(shown.then((now) => ({ ...now, kind: 'done' }) as const));
    }
    case 'update': {
      const { channel } = postNamed(report, 'result');
      if (channel === undefined) throw new Error('a message that is changed was posted');
      const updated = outbox.update({ channel, ts: step.ts, ...message() });
      return callResult(updated.then(() => ({ kind: 'done' }) as const));
    }
    default: {
      const post = postNamed(report, step.post);
      const { channel, ...thread } = announcedIn(report);
      return executePosting(core, step.kind, {
        post,
        sinceAt: report.createdAt,
        metadata: { record: id, post: nameInMetadata(post) },
        ...(step.post === 'result'
          ? { user: report.by, content: message }
          : { ...thread, names: [report.by], content: () => announcement(report) }),
      });
    }
  }
}

function notAnnounced(): never {
  throw new Error('it is not announced');
}
