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

/** Where the code point number `max` begins, in UTF-16 units. */
function unitsOf(text: string, max: number): number {
  if (text.length <= max) return text.length;
  let units = 0;
  for (let points = 0; points < max && units < text.length; points++) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return units;
}
