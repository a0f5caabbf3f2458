import type { KnownBlock, RichTextBlock, RichTextElement, RichTextSection } from '@slack/types';
import { isSeen } from '../../../core/lib/clean-line.ts';
import { instantOf } from '../../../core/lib/iso-time.ts';
import { context } from '../../../core/slack/blocks.ts';
import { charactersIn } from '../../../core/slack/limits.ts';
import { cutRuns, lengthOf, quotedWords, runsOf } from '../../../core/slack/rich-text.ts';
import { dateText, inertText } from '../../../core/slack/text.ts';
import type { Credit, Outcome } from '../../approval.ts';
import type { MessageState } from './message-state.ts';
import { mention, type NameOf, people } from './sentences.ts';

type Decided = Credit & Pick<Extract<MessageState, { name: 'decided' }>, 'status' | 'resolvedAt'>;

/** The final status, in one line. */
export function outcomeLine(outcome: Decided, nameOf: NameOf = mention): string {
  return `${signOf(outcome)} *${outcomeWords(outcome, nameOf)}*`;
}

/** The service's own time, for small print; undefined: it gave none. */
export function resolvedText({
  status,
  resolvedAt,
}: Pick<Decided, 'status' | 'resolvedAt'>): string | undefined {
  // Verbatim, unless far longer than any time.
  if (resolvedAt === null || resolvedAt.length > TIME_MAX) return undefined;
  const at = instantOf(resolvedAt);
  const time = at === null ? inertText(resolvedAt) : dateText(at, resolvedAt);
  return `${status === 'TIMED_OUT' ? 'Timed out' : 'Decided'} ${time}`;
}

const TIME_MAX = 50;

/** For the reply in the thread: also how long it took, and how many decided. */
export function outcomeReply(
  outcome: Decided,
  facts: { readonly needed: number; readonly tookMs: number | undefined },
  nameOf: NameOf,
): string {
  const { status, credit, by, self } = outcome;
  const deciders = people(by, placedBy(outcome, nameOf));
  const elsewhere = credit === 'none' && status !== 'TIMED_OUT' ? ' elsewhere' : '';
  const word = self === undefined ? elsewhere : OWN;
  const took = facts.tookMs === undefined ? '' : ` after ${durationText(facts.tookMs)}`;
  // If the service did not say whose decision it accepted, it may have been somebody else's.
  const isShared = status === 'APPROVED' && credit === 'certain' && facts.needed > 1;
  const share = isShared ? ` · decided by ${by.length} of ${facts.needed}: ${deciders}` : '';
  return `${signOf(outcome)} *${STATUS_WORDS[status]}${word}*${took}${share}`;
}

const OWN = ' by its own requester';

function signOf({ status, self }: Pick<Decided, 'status' | 'self'>): string {
  return self === undefined ? SIGNS[status] : ':rotating_light:';
}

export const STATUS_WORDS = {
  APPROVED: 'Approved',
  REJECTED: 'Rejected',
  TIMED_OUT: 'Timed out',
} as const;

/** In the largest unit of which there are at least two. */
export function durationText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  const [size, unit] = DURATIONS.find(([each]) => seconds >= 2 * each) ?? [1, 's'];
  return `${Math.round(seconds / size)} ${unit}`;
}

const DURATIONS = [
  [86_400, 'days'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

export const SIGNS = {
  APPROVED: ':white_check_mark:',
  REJECTED: ':x:',
  TIMED_OUT: ':alarm_clock:',
} as const;

/** How it ended, and who decided, if known. */
export function outcomeWords(
  outcome: Credit & Pick<Decided, 'status'>,
  nameOf: NameOf = mention,
): string {
  const { status, credit, by, self } = outcome;
  const word = STATUS_WORDS[status];
  if (self !== undefined) {
    const others = by.filter((user) => user !== self.by);
    const more =
      others.length > 0 ? `, together with ${people(others, placedBy(outcome, nameOf))}` : '';
    return `${word}${OWN} ${nameOf(self.by)}${more}`;
  }
  if (status === 'TIMED_OUT' || credit === 'sent') return word;
  return credit === 'certain'
    ? `${word} by ${people(by, placedBy(outcome, nameOf))}`
    : `${word} elsewhere`;
}

/** With the person they decided for. */
export function placedBy(
  { for: places = {} }: Omit<Credit, 'credit' | 'by'>,
  nameOf: NameOf = mention,
): NameOf {
  return (user) => {
    const giver = places[user];
    return giver === undefined ? nameOf(user) : `${nameOf(user)} for ${nameOf(giver)}`;
  };
}

/** More would be longer than the request itself. */
export const REASONS_MAX = 2_500;
const REASONS_SHOWN = 10;

/**
 * The reasons of those who decided: other people's text, so it is quoted, under headings that tell it from the
 * request's text. At most `room` characters in all.
 */
export function reasonBlocks(
  { reasons = [], by, credit }: Pick<Outcome, 'reasons' | 'by' | 'credit'>,
  room: number,
  elementOf: (user: string) => RichTextElement = mentionElement,
): KnownBlock[] {
  // An invisible reason says nothing, and Slack refuses an empty quotation.
  const seen = reasons.filter(({ text }) => isSeen(text));
  const told = seen.map(({ user, text }) => ({ user, runs: runsOf(text) }));
  const shown = told.slice(0, REASONS_SHOWN);
  const left = told.length - shown.length;
  const rest = left === 0 ? [] : [context(`and ${left} more ${left === 1 ? 'reason' : 'reasons'}`)];
  // The line above already names the one person who decided.
  const isNamed = (user: string) => credit === 'certain' && by.length === 1 && by[0] === user;
  const headings = shown.map(({ user }): RichTextSection => {
    const elements = isNamed(user)
      ? [strong('Reason:')]
      : [strong('Reason from '), elementOf(user), strong(':')];
    return { type: 'rich_text_section', elements };
  });
  const lengths = shown.map(({ runs }) => lengthOf(runs));
  const most = fairShare(lengths, Math.max(0, room - charactersIn([...headings, ...rest])));
  if (shown.length > 0 && most < 1) return [context(unfitText(told.length))];
  const quotes = headings.map((heading, at): RichTextBlock => {
    const { elements } = quotedWords(cutRuns(shown[at]?.runs ?? [], most)[0]);
    return { type: 'rich_text', elements: [heading, ...elements] };
  });
  return [...quotes, ...rest];
}

function unfitText(count: number): string {
  return `${count} ${count === 1 ? 'reason' : 'reasons'} left out for length`;
}

function strong(text: string): RichTextElement {
  return { type: 'text', text, style: { bold: true } };
}

/** The limit for each that shares the room fairly: long texts get what short ones leave. */
function fairShare(lengths: readonly number[], room: number): number {
  let left = room;
  for (const [at, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (lengths.length - at));
    if (length > share) return share;
    left -= length;
  }
  return room;
}

function mentionElement(user: string): RichTextElement {
  return { type: 'user', user_id: user };
}
