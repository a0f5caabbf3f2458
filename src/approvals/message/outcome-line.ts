import type { SectionBlock } from '@slack/types';
import { section } from '../../slack/blocks.ts';
import { clipText, dateText, escapeMrkdwn } from '../../slack/text.ts';
import type { Reason } from '../approval.ts';
import type { MessageState } from './message-state.ts';
import { people } from './sentences.ts';

type Decided = Pick<
  Extract<MessageState, { name: 'decided' }>,
  'status' | 'credit' | 'by' | 'resolvedAt'
>;

/** What the service said in the end, in one line, with its own time if it gave one. */
export function outcomeLine(outcome: Decided): string {
  return `${SIGNS[outcome.status]} ${wordsOf(outcome)}${timeOf(outcome.resolvedAt)}`;
}

const SIGNS = {
  APPROVED: ':white_check_mark:',
  REJECTED: ':x:',
  TIMED_OUT: ':alarm_clock:',
} as const;

function wordsOf({ status, credit, by }: Decided): string {
  if (status === 'TIMED_OUT') return '*Timed out*';
  const word = status === 'APPROVED' ? 'Approved' : 'Rejected';
  if (credit === 'certain') return `*${word} by ${people(by)}*`;
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

/** Why, in the words of those who decided: other people's text, as a quotation. */
export function reasonBlocks(reasons: readonly Reason[] = []): SectionBlock[] {
  if (reasons.length === 0) return [];
  const each = Math.floor(REASONS_MAX / reasons.length);
  return reasons.slice(0, REASONS_SHOWN).map(({ user, text }) => {
    // Quoted before it is cut: each line grows by its mark.
    const [head, rest] = clipText(escapeMrkdwn(text).replaceAll('\n', '\n>'), each);
    return section(`<@${user}>:\n>${head}${rest === '' ? '' : '…'}`);
  });
}

const REASONS_SHOWN = 10;
