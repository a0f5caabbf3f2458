import { INVISIBLE } from './clean-line.ts';

/** Of every kind: telephones and word processors put others in place of the one on the keyboard. */
export const DASH = String.raw`[\p{Pd}\u02d7\u2043\u2212]`;
/** Around a quoted run. Apostrophes are not among them: they stand in names. */
export const QUOTE = String.raw`["\u201c-\u201f\u00ab\u00bb\uff02]`;

const DASHES = new RegExp(DASH, 'gu');
const QUOTES = new RegExp(QUOTE, 'gu');
const APOSTROPHES = /[`´\u2018-\u201b\u2032\uff07]/gu;
/** Quotes, code marks and the punctuation of a sentence. A dash or `_` may belong to an id. */
const BEFORE = /^[\s"'*([{¿¡]+/u;
/** Looked for where a run of them begins: otherwise it would be for each of them. */
const AFTER = /(?<![\s"'*)\]},.;:!?…、。，；：！？])[\s"'*)\]},.;:!?…、。，；：！？]+$/u;

/**
 * What people type to look something up, such as a key, an id, a name or an option: plain dashes and quotes,
 * nothing that cannot be seen, and no punctuation around it. Never for what is shown or sent.
 */
export function foldTyped(text: string): string {
  const folded = plainMarks(text);
  return folded.replace(BEFORE, '').replace(AFTER, '') || folded;
}

/** Whether two names are the same to somebody who types one: neither case nor width counts. */
export function isSameTyped(one: string, other: string): boolean {
  return nameOf(one) === nameOf(other);
}

function nameOf(text: string): string {
  return foldTyped(text.normalize('NFKC')).toLowerCase();
}

/** Whether somebody asks what a command can do. */
export function isHelp(typed: string): boolean {
  return /^(?:-{0,2}help|-{1,2}h|-{0,2}\?)$/u.test(
    plainMarks(typed.normalize('NFKC')).toLowerCase(),
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
