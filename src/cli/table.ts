import { eastAsianWidth } from 'get-east-asian-width';
import { cleanLine } from '../core/lib/clean-line.ts';
import type { RowWriter } from './output.ts';

const GAP = '  ';
/** The narrowest a cut column gets. */
const LEAST = 12;

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => string;
  /** Never cut: half an id is no use. */
  readonly whole?: true;
  /** Never hidden, however narrow the terminal. */
  readonly keep?: true;
}

/**
 * A table with one line per row, aligned by display width. `width`: the terminal's, for which the widest columns are
 * cut first and the last columns hidden next, with a note below; null: unlimited. The first part determines which
 * columns are shown; later parts can only widen them.
 */
export function createTable<Row>(
  columns: readonly Column<Row>[],
  width: number | null,
): RowWriter<Row> {
  let shown: readonly Sized<Row>[] | undefined;
  return {
    rows(rows) {
      const isFirst = shown === undefined;
      const all = (shown ?? columns.map(asWideAsItsHead)).map((column) => {
        const cells = rows.map((row) => asCell(cleanLine(column.cell(row))));
        // A loop, because a call cannot take as many arguments as a list may have rows.
        const widest = cells.reduce((most, { width }) => Math.max(most, width), column.width);
        return { ...column, cells, width: widest };
      });
      const fitted = width === null ? all : fitColumns(all, width);
      shown = fitted.map(({ cells, ...column }) => ({ ...column, keep: true }));
      const lines = rows.map((_, index) => lineText(fitted, ({ cells }) => cells[index]));
      return [...(isFirst ? [lineText(fitted, ({ head }) => asCell(head))] : []), ...lines].join(
        '',
      );
    },
    end() {
      const hidden = shown === undefined ? 0 : columns.length - shown.length;
      if (hidden === 0) return '';
      return `${hidden === 1 ? '1 column does' : `${hidden} columns do`} not fit here: --json shows all.\n`;
    },
  };
}

/** A whole table. */
export function tableText<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number | null,
): string {
  const table = createTable(columns, width);
  return table.rows(rows) + table.end();
}

type Sized<Row> = Column<Row> & { readonly width: number };

function asWideAsItsHead<Row>(column: Column<Row>): Sized<Row> {
  return { ...column, width: displayWidth(column.head) };
}

/** `width`: uncut. */
interface Cell {
  readonly text: string;
  readonly width: number;
}

function asCell(text: string): Cell {
  return { text, width: displayWidth(text) };
}

function lineText<Each extends Fitted>(
  columns: readonly Each[],
  cellOf: (column: Each) => Cell | undefined,
): string {
  const cells = columns.map((column) => {
    const { text, width } = cellOf(column) ?? { text: '', width: 0 };
    return width > column.width
      ? padLine(fitLine(text, column.width), column.width)
      : text + ' '.repeat(column.width - width);
  });
  return `${cells.join(GAP).trimEnd()}\n`;
}

type Fitted = Pick<Sized<never>, 'width' | 'whole' | 'keep'>;

function fitColumns<Each extends Fitted>(columns: readonly Each[], width: number): readonly Each[] {
  const fitted = columns.map((column) => ({ column, width: column.width }));
  const tooWide = () =>
    fitted.reduce((sum, each) => sum + each.width, GAP.length * (fitted.length - 1)) - width;
  while (tooWide() > 0) {
    const [widest] = fitted
      .filter((each) => !each.column.whole && each.width > LEAST)
      .sort((a, b) => b.width - a.width);
    const last = fitted.findLastIndex(({ column }) => !column.keep);
    if (widest) widest.width -= 1;
    else if (last === -1) break;
    else fitted.splice(last, 1);
  }
  return fitted.map((each) => ({ ...each.column, width: each.width }));
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;
const INVISIBLE = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]/u;

const ASCII = /^[ -~]*$/;

/** The number of terminal cells that a line takes. */
export function displayWidth(line: string): number {
  // A fast path for nearly all lines.
  if (ASCII.test(line)) return line.length;
  let width = 0;
  for (const { segment } of graphemes.segment(line)) width += widthOf(segment);
  return width;
}

/** The part of a line that fits, with an ellipsis. */
function fitLine(line: string, width: number): string {
  let fitting = '';
  let left = width - 1;
  for (const { segment } of graphemes.segment(line)) {
    left -= widthOf(segment);
    if (left < 0) break;
    fitting += segment;
  }
  return `${fitting}…`;
}

/** Pads the line with spaces to `width` cells. */
export function padLine(line: string, width: number): string {
  return line + ' '.repeat(Math.max(0, width - displayWidth(line)));
}

function widthOf(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  if (INVISIBLE.test(grapheme)) return 0;
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}
