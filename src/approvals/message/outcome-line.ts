import type { RichTextBlock, RichTextElement } from '@slack/types';
import { cutRuns, quotedWords, runsOf } from '../../slack/rich-text.ts';
import { dateText, escapeMrkdwn } from '../../slack/text.ts';
import type { Outcome } from '../approval.ts';
import type { MessageState } from './message-state.ts';
import { mention, type NameOf, people } from './sentences.ts';

type Decided = Pick<
  Extract<MessageState, { name: 'decided' }>,
  'status' | 'credit' | 'by' | 'resolvedAt'
>;

/** What the service said in the end, in one line, with its own time if it gave one. */
export function outcomeLine(outcome: Decided, nameOf: NameOf = mention): string {
  return `${SIGNS[outcome.status]} ${wordsOf(outcome, nameOf)}${timeOf(outcome.resolvedAt)}`;
}

/** What the reply in the thread says besides: how long it took, and how many decided. */
export function outcomeReply(
  outcome: Decided,
  facts: { readonly needed: number; readonly tookMs: number | undefined },
  nameOf: NameOf,
): string {
  const { status, credit, by } = outcome;
  const word = credit === 'none' && status !== 'TIMED_OUT' ? ' elsewhere' : '';
  const took = facts.tookMs === undefined ? '' : ` after ${durationText(facts.tookMs)}`;
  // Where the service did not say whose decision it accepted, somebody else's may have come first.
  const isShared = status === 'APPROVED' && credit === 'certain' && facts.needed > 1;
  const share = isShared
    ? ` · decided by ${by.length} of ${facts.needed}: ${people(by, nameOf)}`
    : '';
  return `${SIGNS[status]} *${STATUS_WORDS[status]}${word}*${took}${share}`;
}

const STATUS_WORDS = {
  APPROVED: 'Approved',
  REJECTED: 'Rejected',
  TIMED_OUT: 'Timed out',
} as const;

/** In the largest unit of which there is more than one. */
function durationText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  const [size, unit] = DURATIONS.find(([each]) => seconds >= 2 * each) ?? [1, 's'];
  return `${Math.round(seconds / size)} ${unit}`;
}

const DURATIONS = [
  [86_400, 'days'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

const SIGNS = {
  APPROVED: ':white_check_mark:',
  REJECTED: ':x:',
  TIMED_OUT: ':alarm_clock:',
} as const;

function wordsOf({ status, credit, by }: Decided, nameOf: NameOf): string {
  if (status === 'TIMED_OUT') return '*Timed out*';
  const word = status === 'APPROVED' ? 'Approved' : 'Rejected';
  if (credit === 'certain') return `*${word} by ${people(by, nameOf)}*`;
  return credit === 'sent' ? `*${word}*` : `*${word} elsewhere*`;
}

const TIME_MAX = 50;

function timeOf(resolvedAt: string | null): string {
  // To the letter, unless it is far longer than any time.
  if (resolvedAt === null || resolvedAt.length > TIME_MAX) return '';
  const at = Date.parse(resolvedAt);
  return ` · ${Number.isNaN(at) ? escapeMrkdwn(resolvedAt) : dateText(at, resolvedAt)}`;
}

/** All reasons together leave room for the rest of a message. */
const REASONS_MAX = 2_500;
const REASONS_SHOWN = 10;

/**
 * Why, in the words of those who decided: other people's text, as a quotation. Whose it is need not be
 * said where the line above names one person alone.
 */
export function reasonBlocks(
  { reasons = [], by, credit }: Pick<Outcome, 'reasons' | 'by' | 'credit'>,
  elementOf: (user: string) => RichTextElement = mentionElement,
): RichTextBlock[] {
  const shown = reasons.slice(0, REASONS_SHOWN);
  const isNamed = credit === 'certain' && by.length === 1;
  return shown.map(({ user, text }) => {
    const [runs] = cutRuns(runsOf(text), Math.floor(REASONS_MAX / shown.length));
    const { elements } = quotedWords(runs);
    if (isNamed && by[0] === user) return { type: 'rich_text', elements };
    const name = [elementOf(user), { type: 'text', text: ':' } as const];
    const line = { type: 'rich_text_section', elements: name } as const;
    return { type: 'rich_text', elements: [line, ...elements] };
  });
}

function mentionElement(user: string): RichTextElement {
  return { type: 'user', user_id: user };
}
