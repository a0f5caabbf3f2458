import { INVISIBLE } from './clean-line.ts';

/** All dashes: phones and word processors replace the one on the keyboard. */
export const DASH = String.raw`[\p{Pd}\u02d7\u2043\u2212]`;
/** Quotation marks. Without apostrophes, which occur in names. */
export const QUOTE = String.raw`["\u201c-\u201f\u00ab\u00bb\uff02]`;

const DASHES = new RegExp(DASH, 'gu');
const QUOTES = new RegExp(QUOTE, 'gu');
const APOSTROPHES = /[`´\u2018-\u201b\u2032\uff07]/gu;
/** Quotation marks, code marks and punctuation. A dash or `_` may belong to an id. */
const BEFORE = /^[\s"'*([{¿¡]+/u;
/** Matches only at the start of a run, which keeps the search linear. */
const AFTER = /(?<![\s"'*)\]},.;:!?…、。，；：！？])[\s"'*)\]},.;:!?…、。，；：！？]+$/u;

/**
 * A typed search term, such as a key, id, name or option: with plain dashes and quotes, and without invisible
 * characters or punctuation around it. Not for text that is shown or sent.
 */
export function foldTyped(text: string): string {
  const folded = plainMarks(text);
  return folded.replace(BEFORE, '').replace(AFTER, '') || folded;
}

/** Whether two typed names are equal, ignoring case and width. */
export function isSameTyped(one: string, other: string): boolean {
  return nameOf(one) === nameOf(other);
}

function nameOf(text: string): string {
  return foldTyped(text.normalize('NFKC')).toLowerCase();
}

/** Whether somebody asks for help with a command. */
export function isHelp(typed: string): boolean {
  const words = typed.normalize('NFKC');
  return [plainMarks(words), foldTyped(words)].some((each) =>
    /^(?:[-/]{0,2}help|-{1,2}h|-{0,2}\?)$/iu.test(each),
  );
}

function plainMarks(text: string): string {
  return text
    .normalize('NFC')
    .replaceAll(INVISIBLE, '')
    .replaceAll(DASHES, '-')
    .replaceAll(QUOTES, '"')
    .replaceAll(APOSTROPHES, "'")
    .replace(/\s+/gu, ' ')
    .trim();
}
