import { CsvError, parse } from 'csv-parse/sync';
import { foldEmail } from '../../core/lib/fold-email.ts';
import type { UserAttributes } from '../../core/service/user-attributes.ts';
import {
  ATTRIBUTES,
  TEXT_ATTRIBUTES,
  type TextAttribute,
} from '../../operations/accounts/account.ts';
import { attributeProblem, userNameProblem } from './given-attributes.ts';

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
    const parsed = parse(text, options) as string[][];
    // The library leaves blanks inside quotes.
    records = parsed.map((cells) => cells.map((cell) => cell.trim()));
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
  if (error instanceof TypeError) return 'It is not UTF-8. Save it as UTF-8 CSV.';
  if (!(error instanceof CsvError)) throw error;
  const line = typeof error.lines === 'number' ? ` at line ${error.lines}` : '';
  return `It cannot be read as CSV${line}: check the quotes.`;
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

/** What a column of a file holds. */
type ColumnKind = 'userName' | 'active' | TextAttribute;

/** As the flags of the command line call them. */
const COLUMN_NAMES: Readonly<Record<ColumnKind, string>> = {
  userName: 'user-name',
  ...mapped((name) => ATTRIBUTES[name].flag),
  active: ATTRIBUTES.active.flag,
};

/** Besides the flags: as SCIM calls them (RFC 7643 4.1), as people read them, and e-mail addresses. */
const OTHER_NAMES: readonly (readonly [string, ColumnKind])[] = [
  ['email', 'userName'],
  ['formatted', 'formattedName'],
  ['jobtitle', 'title'],
  ['firstname', 'givenName'],
  ['lastname', 'familyName'],
  ['nameformatted', 'formattedName'],
  ['namegivenname', 'givenName'],
  ['namefamilyname', 'familyName'],
];

const KINDS: ReadonlyMap<string, ColumnKind> = new Map([
  // as: COLUMN_NAMES has these names and no others
  ...(Object.entries(COLUMN_NAMES) as [ColumnKind, string][]).map(
    ([kind, name]) => [fold(name), kind] as const,
  ),
  ...OTHER_NAMES,
]);

/** What each column holds, or what is wrong with the first row. */
type Columns =
  | { readonly kind: 'read'; readonly columns: readonly ColumnKind[] }
  | { readonly kind: 'wrong'; readonly problem: string };

/** Reads the first row. Nothing of it is repeated: it may be somebody's already. */
function readColumns(heads: readonly string[]): Columns {
  const columns: ColumnKind[] = [];
  for (const [index, head] of heads.entries()) {
    const kind = KINDS.get(fold(head));
    if (kind === undefined) return wrong(`column ${index + 1} is not known. ${KNOWN}`);
    const twin = columns.indexOf(kind);
    if (twin !== -1) return wrong(`columns ${twin + 1} and ${index + 1} are the same.`);
    columns.push(kind);
  }
  if (columns.includes('userName')) return { kind: 'read', columns };
  return wrong(`the column user-name is missing. ${KNOWN}`);
}

const KNOWN = `Known columns: ${Object.values(COLUMN_NAMES).join(', ')}.`;

function wrong(words: string): Columns {
  return { kind: 'wrong', problem: `The first row must name the columns: ${words}` };
}

function fold(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function mapped(nameOf: (attribute: TextAttribute) => string): Record<TextAttribute, string> {
  const entries = TEXT_ATTRIBUTES.map((name) => [name, nameOf(name)]);
  return Object.fromEntries(entries) as Record<TextAttribute, string>; // as: of all of them
}
