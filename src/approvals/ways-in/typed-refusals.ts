import { joinSentences, oneLine, unescapeMrkdwn } from '../../core/slack/text.ts';
import { END_DAYS_MAX, type TypedEnd } from './read-end.ts';

/** What people read whose command is not understood, or not carried out. */

export function refusal(why: string, next: string): string {
  return joinSentences(why, 'Nothing was changed.', next);
}

/** `typed`: with Slack's escapes. `timeText`: a reading, as it can be typed. */
export function endRefusal(
  typed: string,
  end: Exclude<TypedEnd, { kind: 'end' }>,
  examples: string,
  timeText: (at: number) => string,
): string {
  const words = `“${oneLine(unescapeMrkdwn(typed), 60)}”`;
  if (end.kind !== 'ambiguous') return refusal(END_REFUSALS[end.kind](words), examples);
  const readings = end.readings.map((at) => `*${timeText(at)}*`).join(' or ');
  return refusal(`${words} can mean ${readings}.`, 'Type the one you mean, as it is written here.');
}

const END_REFUSALS = {
  past: (words: string) => `${words} is in the past.`,
  'too-far': (words: string) => `${words} is more than ${END_DAYS_MAX} days ahead.`,
  'other-weekday': (words: string) => `The date in ${words} is on another weekday.`,
  unknown: (words: string) => `Gatepost does not understand ${words} as a time.`,
} as const;

export const YOU_UNCHECKED =
  'Gatepost could not check with Slack who you are. Nothing was changed. Try again in a minute.';
