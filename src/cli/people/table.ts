import { cleanLine } from '../../lib/clean-line.ts';
import { displayWidth, fitLine, padLine } from './display-width.ts';

const GAP = '  ';
/** A column that is cut keeps as many cells. */
const LEAST = 12;

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => string;
  /** Never cut: half of an id is of no use. */
  readonly whole?: true;
}

/**
 * A table of one line for each row, aligned by what a terminal shows. `width`: its cells, into which
 * the widest columns are cut first and the last columns dropped then; null: as wide as it gets. The
 * order of the columns is that of their weight.
 */
export function tableText<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number | null,
): string {
  const all = columns.map(({ head, cell, whole }) => {
    const cells = [head, ...rows.map((row) => cleanLine(cell(row)))];
    // One after the other: a call does not take as many arguments as a list may have rows.
    const widest = cells.reduce((most, each) => Math.max(most, displayWidth(each)), 0);
    return { cells, width: widest, isWhole: whole === true };
  });
  const shown = width === null ? all : fitColumns(all, width);
  const lines = [undefined, ...rows].map((_, index) =>
    shown
      .map((column) => padLine(fitLine(column.cells[index] ?? '', column.width), column.width))
      .join(GAP)
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}

interface Fitted {
  readonly cells: readonly string[];
  readonly width: number;
  readonly isWhole: boolean;
}

function fitColumns(columns: readonly Fitted[], width: number): readonly Fitted[] {
  const fitted = columns.map((column) => ({ ...column }));
  const tooWide = () =>
    fitted.reduce((sum, column) => sum + column.width, GAP.length * (fitted.length - 1)) - width;
  while (tooWide() > 0) {
    const [widest] = fitted
      .filter((column) => !column.isWhole && column.width > LEAST)
      .sort((a, b) => b.width - a.width);
    if (widest) widest.width -= 1;
    else if (fitted.length === 1) break;
    else fitted.pop();
  }
  return fitted;
}
