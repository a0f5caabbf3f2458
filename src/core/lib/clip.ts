/** Longer than any character that people know. */
const WINDOW = 64;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Cuts a text after at most `max` code points: what fits, and the rest (empty when all fits). A
 * surrogate pair is never split; a combining sequence only when it alone is longer than `max`.
 */
export function clip(text: string, max: number): [head: string, rest: string] {
  const cut = unitsOf(text, max);
  if (cut >= text.length) return [text, ''];
  const start = graphemes.segment(text).containing(cut)?.index ?? cut;
  const end = start === 0 ? cut : start;
  return [text.slice(0, end), text.slice(end)];
}

/** The same after at most `max` UTF-16 units; no surrogate pair is split. */
export function clipUnits(text: string, max: number): [head: string, rest: string] {
  if (text.length <= max) return [text, ''];
  // To look for where characters end in all of a long text takes long.
  const from = Math.max(0, max - WINDOW);
  const near = graphemes.segment(text.slice(from, max + WINDOW));
  const start = from + (near.containing(max - from)?.index ?? max - from);
  const inPair = /[\ud800-\udbff]/.test(text.charAt(max - 1));
  // A character that has no end is cut: else a text of it would never be.
  const isEndless = start === from;
  const end = isEndless ? Math.max(max - (inPair ? 1 : 0), 0) : start;
  return [text.slice(0, end), text.slice(end)];
}

/** A line has to end in the last quarter of what fits, a word in the last so many units and the second half. */
const LINE_FROM = 3 / 4;
const WORD_FROM = 1 / 2;
const WORD_UNITS = 24;

/** The same where a line or else a word ends, unless that is far before: the white space stays with what fits. */
export function clipWords(text: string, max: number): [head: string, rest: string] {
  const [fits, rest] = clipUnits(text, max);
  if (rest === '' || /^\s/.test(rest)) return [fits, rest];
  const line = fits.lastIndexOf('\n') + 1;
  const gap = fits.slice(-WORD_UNITS).search(/\s\S*$/);
  const word = gap === -1 ? 0 : Math.max(0, fits.length - WORD_UNITS) + gap + 1;
  if (line > fits.length * LINE_FROM) return [text.slice(0, line), text.slice(line)];
  if (word > fits.length * WORD_FROM) return [text.slice(0, word), text.slice(word)];
  return [fits, rest];
}

/** In code points, so that a text of any script is as long as it reads; of half a surrogate pair one. */
export function characterCount(text: string): number {
  return text.length - (text.match(PAIR)?.length ?? 0);
}

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Lines that end with LF, CR LF or the text. */
export function lineCount(text: string): number {
  const ends = text.match(/\n/g)?.length ?? 0;
  return text === '' || text.endsWith('\n') ? ends : ends + 1;
}

/** Cuts a text after the last line, with its end, that is within `max` code points; empty when the first is longer. */
export function clipLines(text: string, max: number): string {
  const cut = unitsOf(text, max);
  return cut === text.length ? text : text.slice(0, text.lastIndexOf('\n', cut - 1) + 1);
}

/** Where the code point number `max` begins, in UTF-16 units. */
function unitsOf(text: string, max: number): number {
  if (text.length <= max) return text.length;
  let units = 0;
  for (let points = 0; points < max && units < text.length; points++) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}
