import { CsvError, parse } from 'csv-parse/sync';
import { foldEmail } from '../../../lib/fold-email.ts';
import type { UserAttributes } from '../../../service/user-attributes.ts';
import { attributeProblem, userNameProblem } from '../read-text.ts';
import { COLUMN_NAMES, type ColumnKind, readColumns } from './columns.ts';

/** One row of a file; empty cells are left as they are in the service. */
export interface ImportRow {
  /** Counted from 1 with the first row, as programs for tables show it. */
  readonly number: number;
  readonly user: { readonly userName: string } & Partial<UserAttributes>;
  /** Why it is not used, by the names of columns; null: nothing. Never a value. */
  readonly problem: string | null;
}

export type ImportFile =
  | { readonly kind: 'read'; readonly rows: readonly ImportRow[] }
  | { readonly kind: 'wrong'; readonly problem: string };

/** Reads a file of comma- or semicolon-separated values (RFC 4180), whose first row names the columns. */
export function readRows(bytes: Buffer): ImportFile {
  let records: string[][];
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const options = { delimiter: delimiterOf(text), relax_column_count: true, trim: true };
    // as: without `columns` each record is a list of texts
    records = parse(text, options) as string[][];
  } catch (error) {
    return { kind: 'wrong', problem: unreadable(error) };
  }
  const [heads = [], ...others] = records;
  const columns = readColumns(heads);
  if (columns.kind === 'wrong') return columns;
  const rows = others
    .map((cells, index) => ({ cells, number: index + 2 }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
    .map(({ cells, number }) => rowOf(cells, number, columns.columns));
  return { kind: 'read', rows: withoutTwins(rows) };
}

/** Some programs write semicolons, where commas stand in numbers. */
function delimiterOf(text: string): ',' | ';' {
  const [head = ''] = text.split('\n', 1);
  return head.includes(';') && !head.includes(',') ? ';' : ',';
}

/** The library's own words may quote what stands there. */
function unreadable(error: unknown): string {
  if (error instanceof TypeError) return 'It is not UTF-8: save it as CSV with that encoding.';
  if (!(error instanceof CsvError)) throw error;
  const line = typeof error.lines === 'number' ? ` at line ${error.lines}` : '';
  return `It cannot be read as CSV${line}: look at the quotes.`;
}

function rowOf(
  cells: readonly string[],
  number: number,
  columns: readonly ColumnKind[],
): ImportRow {
  if (cells.length !== columns.length) {
    const problem = `has ${cells.length} columns, the first row ${columns.length}`;
    return { number, user: { userName: '' }, problem };
  }
  const user: Record<string, string | boolean> = {};
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? '';
    const problem = cellProblem(column, cell);
    if (problem !== null) {
      return {
        number,
        user: { userName: '' },
        problem: `column ${COLUMN_NAMES[column]} ${problem}`,
      };
    }
    if (cell !== '') user[column] = column === 'active' ? isYes(cell) : cell;
  }
  return { number, user: user as ImportRow['user'], problem: null }; // as: each column was checked
}

const YES: ReadonlySet<string> = new Set(['true', 'yes', '1', 'active']);
const NO: ReadonlySet<string> = new Set(['false', 'no', '0', 'deactivated']);

function cellProblem(column: ColumnKind, cell: string): string | null {
  if (column === 'userName') return userNameProblem(cell);
  if (cell === '') return null;
  if (column !== 'active') return attributeProblem(column, cell);
  const word = cell.toLowerCase();
  return YES.has(word) || NO.has(word) ? null : 'must be true or false';
}

function isYes(cell: string): boolean {
  return YES.has(cell.toLowerCase());
}

/** The first row with an address, or an external id, counts. */
function withoutTwins(rows: readonly ImportRow[]): ImportRow[] {
  const firsts = new Map<string, number>();
  return rows.map((row) => {
    if (row.problem !== null) return row;
    const { userName, externalId } = row.user;
    const keys: [string, string][] = [['user-name', foldEmail(userName)]];
    if (externalId !== undefined) keys.push(['external-id', externalId]);
    for (const [column, value] of keys) {
      const first = firsts.get(`${column} ${value}`);
      if (first !== undefined) {
        return { ...row, problem: `column ${column} is the same as in row ${first}` };
      }
    }
    for (const [column, value] of keys) firsts.set(`${column} ${value}`, row.number);
    return row;
  });
}
