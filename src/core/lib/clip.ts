/** Longer than any real character. */
const WINDOW = 64;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Cuts a text after at most `max` code points: what fits, and the rest (empty when everything fits). Never splits a
 * surrogate pair; splits a combining sequence only if it is longer than `max`.
 */
export function clip(text: string, max: number): [head: string, rest: string] {
  const cut = unitsOf(text, max);
  if (cut >= text.length) return [text, ''];
  const start = graphemes.segment(text).containing(cut)?.index ?? cut;
  const end = start === 0 ? cut : start;
  return [text.slice(0, end), text.slice(end)];
}

/** The same after at most `max` UTF-16 units, without splitting a surrogate pair. */
export function clipUnits(text: string, max: number): [head: string, rest: string] {
  if (text.length <= max) return [text, ''];
  // Segmenting all of a long text would be slow.
  const from = Math.max(0, max - WINDOW);
  const near = graphemes.segment(text.slice(from, max + WINDOW));
  const start = from + (near.containing(max - from)?.index ?? max - from);
  const inPair = /[\ud800-\udbff]/.test(text.charAt(max - 1));
  // A character with no end in sight is cut, or a text of it would never be cut at all.
  const isEndless = start === from;
  const end = isEndless ? Math.max(max - (inPair ? 1 : 0), 0) : start;
  return [text.slice(0, end), text.slice(end)];
}

/** A line may end in the last quarter of what fits, a word in the last few units and the second half. */
const LINE_FROM = 3 / 4;
const WORD_FROM = 1 / 2;
const WORD_UNITS = 24;

/** The same at the end of a line, or else of a word, unless that is far before: white space stays with what fits. */
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

/** In code points, so that texts of all scripts count as they read; half a surrogate pair counts as one. */
export function characterCount(text: string): number {
  return text.length - (text.match(PAIR)?.length ?? 0);
}

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Lines that end with LF, CR LF or the text. */
export function lineCount(text: string): number {
  const ends = text.match(/\n/g)?.length ?? 0;
  return text === '' || text.endsWith('\n') ? ends : ends + 1;
}

/** Cuts a text after the last complete line within `max` code points; empty when the first line is longer. */
export function clipLines(text: string, max: number): string {
  const cut = unitsOf(text, max);
  return cut === text.length ? text : text.slice(0, text.lastIndexOf('\n', cut - 1) + 1);
}

/** The UTF-16 index of code point `max`. */
function unitsOf(text: string, max: number): number {
  if (text.length <= max) return text.length;
  let units = 0;
  for (let points = 0; points < max && units < text.length; points++) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}
