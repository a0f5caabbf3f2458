import { section } from '../../../core/slack/blocks.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { bold, code, inertText, joinSentences, secondsText } from '../../../core/slack/text.ts';
import type { Closed } from '../../electorate/closed.ts';
import type { Closing, ClosingNotice } from '../../electorate/closing.ts';
import { mention, timeOf } from '../../tell/message/sentences.ts';

/** What people read of a closing, besides the messages of requests. */

/** In the route's channels. `window`: in the file, and keeps it closed. */
export function noticeText(
  { kind, by, until, why }: ClosingNotice,
  { route }: Pick<Closing, 'route'>,
  window?: Closed,
): SlackMessage {
  if (window !== undefined && kind !== 'closed') {
    const stays = `:lock: ${windowText(route, window.until, true)}`;
    return { text: stays, blocks: [section(stays)] };
  }
  const name = code(route);
  const who = by.startsWith('os:') ? 'an operator' : mention(by);
  const text = {
    closed: `:lock: ${bold(`Route ${name} is closed until ${timeOf(until)}`)}: ${inertText(why)}. Closed by ${who}. Requests wait; nobody can approve them until then.`,
    opened: `:unlock: ${bold(`Route ${name} is open again`)}, opened by ${who}. Requests that waited ask their reviewers now.`,
    over: `:unlock: ${bold(`Route ${name} is open again.`)} Requests that waited ask their reviewers now.`,
  }[kind];
  return { text, blocks: [section(text)] };
}

/** For whoever closed it. `from`: an attempt that had begun has ended by then. */
export function closedText({ route, until, why }: Closing, from: number): string {
  return joinSentences(
    `Route ${code(route)} is closed until ${timeOf(until)}: ${inertText(why)}.`,
    `Closed from ${secondsText(from)}: what was being sent before may still count until then.`,
    `To open it earlier, type \`/approvals open ${route}\`.`,
  );
}

/** For whoever opened it. */
export function openedText(route: string): string {
  return `Route ${code(route)} is open. Requests that waited ask their reviewers now.`;
}

/** It stays closed, as gatepost.yaml says. */
export function windowText(route: string, until: number, wasOpened: boolean): string {
  const opened = wasOpened ? 'What somebody closed is open, but ' : '';
  const name = `${opened === '' ? 'Route' : 'route'} ${code(route)}`;
  return `${opened}${name} stays closed until ${timeOf(until)}, because gatepost.yaml says so. It opens then, or when that time is removed from the file.`;
}

export function notClosedText(route: string): string {
  return `Route ${code(route)} is not closed, so nothing was changed.`;
}
