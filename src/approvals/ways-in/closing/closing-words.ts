import type { Route } from '../../../core/config/config.ts';
import { section } from '../../../core/slack/blocks.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { bold, code, inertText, joinSentences, secondsText } from '../../../core/slack/text.ts';
import type { Barred } from '../../electorate/bar.ts';
import { isLoudOn } from '../../electorate/closed.ts';
import type { ClosingNotice } from '../../electorate/closing.ts';
import { mention, timeOf } from '../../tell/message/sentences.ts';

/** What people read of a closing, besides the messages of requests. */

/** In the route's channels. `still`: what keeps it closed now. */
export function noticeText(
  { kind, by, until, why }: ClosingNotice,
  route: Route | undefined,
  still?: Barred,
): SlackMessage {
  const name = `Route ${code(route?.name ?? '')}`;
  const text =
    still !== undefined && kind !== 'closed'
      ? `:lock: ${bold(`${name} stays closed until ${timeOf(still.until)}`)}: ${inertText(still.why)}.`
      : {
          closed: `:lock: ${bold(`${name} is closed until ${timeOf(until)}`)}: ${inertText(why)}. ${closerText(by)} ${waitText(route)}`,
          opened: `:unlock: ${bold(`${name} is open again`)}, opened by ${personText(by)}. ${ASKED_NOW}`,
          over: `:unlock: ${bold(`${name} is open again.`)} ${ASKED_NOW}`,
        }[kind];
  return { text, blocks: [section(text)] };
}

function closerText(by: string): string {
  return by === 'gatepost' ? 'gatepost.yaml says so.' : `Closed by ${personText(by)}.`;
}

function personText(by: string): string {
  return by.startsWith('os:') ? 'an operator' : mention(by);
}

function waitText(route: Route | undefined): string {
  return route !== undefined && isLoudOn(route)
    ? 'Requests wait until then; only requesters can approve their own, with a reason.'
    : 'Requests wait; nobody can approve them until then.';
}

const ASKED_NOW = 'Requests that waited ask their reviewers now.';

/** For whoever closed it: until it really opens. `from`: an attempt that had begun has ended by then. */
export function closedText(route: string, { until, why }: Barred, from: number): string {
  return joinSentences(
    `Route ${code(route)} is closed until ${timeOf(until)}: ${inertText(why)}.`,
    `Closed from ${secondsText(from)}: what was being sent before may still count until then.`,
    `To open it earlier, type \`/approvals open ${route}\`.`,
  );
}

/** For whoever opened it. */
export function openedText(route: string): string {
  return `Route ${code(route)} is open. ${ASKED_NOW}`;
}

/** It stays closed, as gatepost.yaml says. */
export function windowText(route: string, until: number, wasOpened: boolean): string {
  const opened = wasOpened ? 'What somebody closed is open, but ' : '';
  const name = `${opened === '' ? 'Route' : 'route'} ${code(route)}`;
  return `${opened}${name} stays closed until ${timeOf(until)}, because gatepost.yaml says so. It opens then, or when that time is removed from the file.`;
}

/** For a command that is delivered again after a later one. */
export function sinceText(route: string, what: 'opened' | 'closed again'): string {
  return `Route ${code(route)} has been ${what} since, so nothing was changed.`;
}

export function notClosedText(route: string): string {
  return `Route ${code(route)} is not closed, so nothing was changed.`;
}
