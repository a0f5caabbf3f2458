import { eastAsianWidth } from 'get-east-asian-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;
const INVISIBLE = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]/u;

const ASCII = /^[ -~]*$/;

/** How many cells of a terminal a line takes. */
export function displayWidth(line: string): number {
  // What nearly all are, in a fraction of the time.
  if (ASCII.test(line)) return line.length;
  let width = 0;
  for (const { segment } of graphemes.segment(line)) width += widthOf(segment);
  return width;
}

/** The line in at most `width` cells, with an ellipsis where something had to go. */
export function fitLine(line: string, width: number): string {
  if (displayWidth(line) <= width) return line;
  let fitting = '';
  let left = width - 1;
  for (const { segment } of graphemes.segment(line)) {
    left -= widthOf(segment);
    if (left < 0) break;
    fitting += segment;
  }
  return `${fitting}…`;
}

/** The line and spaces, so that it takes `width` cells. */
export function padLine(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - displayWidth(line)));
}

function widthOf(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  if (INVISIBLE.test(grapheme)) return 0;
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}
