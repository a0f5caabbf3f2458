import { cleanLine } from '../../lib/clean-line.ts';
import { clip } from '../../lib/clip.ts';
import { closest } from '../../lib/closest.ts';
import { clipText, escapeMrkdwn } from '../../slack/text.ts';
import { PRIORITIES, TYPES } from '../choices.ts';
import { TITLE_MAX } from '../form-view.ts';
import type { LineFault, NewLine, ReadLine } from './read-lines.ts';

/** What people read of pasted lines before anything is created, in mrkdwn. */

/** So many test cases at once. */
export const LINES_MAX = 500;

export const NO_LINES = 'Enter at least one line.';
export const LINES_CHANGED = 'What is entered has changed since. Look again, then create.';
export const DESCRIPTION_STAYS =
  'Several at once have no description. Create this test case first, or empty its description.';
export const UNDER_WAY =
  'Test cases of this message are being created. Go on when it shows how they ended.';
export const SEEN_OLD =
  'The message has changed since. Nothing was sent again. Look at it, then press once more.';
export const NOT_RECORDED_LINES =
  ':warning: Your test cases were not recorded: Gatepost cannot store them just now. Nothing was created. Try again in a minute.';
export const MAYBE_RECORDED_LINES =
  ':warning: It is not known whether your test cases were recorded. Press Create again: from this form they are created once, however often you press.';

export function tooMany(count: number): string {
  return `These are ${count} lines, and ${LINES_MAX} can be created at once. Take some out.`;
}

const NAMES = [...Object.values(PRIORITIES), ...Object.values(TYPES)];

/** What is wrong with a line, and what to do. */
const FAULTS = {
  'no-title': () => 'The title is missing.',
  'too-long': () => `The title is longer than ${TITLE_MAX} characters.`,
  'unknown-word': (word) => {
    const near = closest(word, NAMES);
    const next = near === undefined ? `Use ${NAMES.join(', ')}.` : `Did you mean ${near}?`;
    return `“${escapeMrkdwn(clip(cleanLine(word), 60)[0])}” is neither a priority nor a type. ${next}`;
  },
  twice: (word) => `“${escapeMrkdwn(word)}” is one too many: a line has one priority and one type.`,
} satisfies Record<LineFault['code'], (word: string) => string>;

export function faultText({ code, word }: LineFault): string {
  return FAULTS[code](word);
}

/** “3 of 40 lines are not understood: 2, 17, 33.” */
export function faultsText(all: number, numbers: readonly number[]): string {
  const are = numbers.length === 1 ? 'is' : 'are';
  const what = `${numbers.length} of ${lineCount(all)} ${are} not understood: ${listed(numbers)}.`;
  return `:warning: *${what}* Nothing was created. Change what is marked below.`;
}

/** “2 lines have the title of another one: 4, 7.” */
export function repeatsText(numbers: readonly number[]): string {
  const have = numbers.length === 1 ? '1 line has' : `${numbers.length} lines have`;
  return `:warning: ${have} the title of an earlier one: ${listed(numbers)}. Each becomes a test case.`;
}

function lineCount(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}

function listed(numbers: readonly number[]): string {
  const more = numbers.length > NUMBERS_SHOWN ? ', …' : '';
  return `${numbers.slice(0, NUMBERS_SHOWN).join(', ')}${more}`;
}

const NUMBERS_SHOWN = 30;

/** “12. Pay by card · High · Manual”; a line with a fault says it while `isTold`. */
export function rowText(read: ReadLine, isTold: boolean): string {
  if ('line' in read) return `${read.number}. ${lineText(read.line)}`;
  const fault = isTold ? `\n> ${faultText(read.fault)}` : '';
  return `:warning: ${read.number}. ${shown(read.words)}${fault}`;
}

/** Escaped, as one line. */
export function lineText({ title, priority, type }: NewLine): string {
  const words = [priority && PRIORITIES[priority], type && TYPES[type]];
  return [shown(title), ...words.filter((word) => word !== undefined)].join(' · ');
}

function shown(text: string): string {
  const escaped = escapeMrkdwn(cleanLine(text));
  const [head, rest] = clipText(escaped, SHOWN_MAX);
  return rest === '' ? head : `${head}…`;
}

/** Of a line, where many are shown. */
const SHOWN_MAX = 150;

/** “40 test cases”. */
export function casesText(count: number): string {
  return count === 1 ? '1 test case' : `${count} test cases`;
}
