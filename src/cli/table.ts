import { eastAsianWidth } from 'get-east-asian-width';
import { cleanLine } from '../core/lib/clean-line.ts';

const GAP = '  ';
/** A column that is cut keeps as many cells. */
const LEAST = 12;

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => string;
  /** Never cut: half of an id is of no use. */
  readonly whole?: true;
  /** Shown however narrow the terminal is. */
  readonly keep?: true;
}

/**
 * A table of one line for each row, aligned by what a terminal shows. `width`: its cells, into which
 * the widest columns are cut first and the last columns hidden then, which a line below says; null: as wide as it gets.
 */
export function tableText<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number | null,
): string {
  const all = columns.map(({ head, cell, whole, keep }) => {
    const cells = [head, ...rows.map((row) => cleanLine(cell(row)))];
    // One after the other: a call does not take as many arguments as a list may have rows.
    const widest = cells.reduce((most, each) => Math.max(most, displayWidth(each)), 0);
    return { cells, width: widest, isWhole: whole === true, isKept: keep === true };
  });
  const shown = width === null ? all : fitColumns(all, width);
  const lines = [undefined, ...rows].map((_, index) =>
    shown
      .map((column) => padLine(fitLine(column.cells[index] ?? '', column.width), column.width))
      .join(GAP)
      .trimEnd(),
  );
  const hidden = all.length - shown.length;
  if (hidden > 0)
    lines.push(
      `${hidden === 1 ? '1 column does' : `${hidden} columns do`} not fit here: --json shows all.`,
    );
  return lines.map((line) => `${line}\n`).join('');
}

interface Fitted {
  readonly cells: readonly string[];
  readonly width: number;
  readonly isWhole: boolean;
  readonly isKept: boolean;
}

function fitColumns(columns: readonly Fitted[], width: number): readonly Fitted[] {
  const fitted = columns.map((column) => ({ ...column }));
  const tooWide = () =>
    fitted.reduce((sum, column) => sum + column.width, GAP.length * (fitted.length - 1)) - width;
  while (tooWide() > 0) {
    const [widest] = fitted
      .filter((column) => !column.isWhole && column.width > LEAST)
      .sort((a, b) => b.width - a.width);
    const last = fitted.findLastIndex(({ isKept }) => !isKept);
    if (widest) widest.width -= 1;
    else if (last === -1) break;
    else fitted.splice(last, 1);
  }
  return fitted;
}

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
function fitLine(line: string, width: number): string {
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
