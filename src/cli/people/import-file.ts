import { CsvError, parse } from 'csv-parse/sync';
import { closest } from '../../core/lib/closest.ts';
import { foldEmail } from '../../core/lib/fold-email.ts';
import { readEmail } from '../../core/lib/read-email.ts';
import { scimPath, type UserAttributes } from '../../core/service/user-attributes.ts';
import {
  ATTRIBUTES,
  TEXT_ATTRIBUTES,
  type TextAttribute,
} from '../../operations/accounts/account.ts';
import { attributeProblem, userNameProblem } from './given-attributes.ts';

/** One row of a file; empty cells do not change the account. */
export interface ImportRow {
  /** From 1 for the first row, as in spreadsheets. */
  readonly number: number;
  readonly user: { readonly userName: string } & Partial<UserAttributes>;
  /** Why it is not used, with column names; null: none. Never a value. */
  readonly problem: string | null;
}

export type ImportFile =
  | { readonly kind: 'read'; readonly rows: readonly ImportRow[] }
  | { readonly kind: 'wrong'; readonly problem: string };

/**
 * Parses separated values (RFC 4180), as exported by spreadsheets and directories; the first row that is not blank has
 * the column names.
 */
export function readRows(bytes: Buffer): ImportFile {
  let records: string[][];
  try {
    records = parseRecords(decode(bytes));
  } catch (error) {
    return { kind: 'wrong', problem: unreadable(error) };
  }
  const isBlank = (cells: readonly string[]) => cells.every((cell) => cell === '');
  const first = records.findIndex((cells) => !isBlank(cells));
  const heads = records[first] ?? [];
  const others = first === -1 ? [] : records.slice(first + 1);
  const columns = readColumns(heads, others);
  if (columns.kind === 'wrong') return columns;
  const rows = others
    .map((cells, index) => ({ cells, number: first + index + 2 }))
    .filter(({ cells }) => !isBlank(cells))
    .map(({ cells, number }) => rowOf(cells, number, columns.columns));
  return { kind: 'read', rows: withoutTwins(rows) };
}

/** UTF-8, or UTF-16 with its byte order mark; text has no NUL. Throws TypeError. */
function decode(bytes: Buffer): string {
  const mark = bytes.subarray(0, 2).toString('hex');
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  if (text.includes('\0')) throw new TypeError('not a text');
  return text;
}

/** A first line that names the separator for spreadsheets; it is not a row. */
const SEPARATOR_LINE = /^"?sep=(.)"?(?=[\r\n]|$)/i;

function parseRecords(text: string): string[][] {
  const separator = SEPARATOR_LINE.exec(text)?.[1];
  // as: without `columns` each record is a list of texts
  const records = parse(text, {
    delimiter: separator ?? delimiterOf(text),
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    trim: true,
  }) as string[][];
  // The library keeps blanks inside quotes.
  const trimmed = records.map((cells) => cells.map(trimmedCell));
  return separator === undefined ? trimmed : trimmed.slice(1);
}

/** A tab at its start stays: spreadsheets take such a cell for a formula. */
function trimmedCell(cell: string): string {
  const text = cell.trim();
  return text !== '' && cell.startsWith('\t') ? `\t${text}` : text;
}

/** Some programs write semicolons or tabs, because their numbers have commas. */
function delimiterOf(text: string): string {
  const start = text.slice(0, 10_000).replace(/"[^"]*"/g, '');
  const head = /[^\r\n]+/.exec(start)?.[0] ?? '';
  const count = (delimiter: string) => head.split(delimiter).length;
  return [';', '\t'].reduce((most, each) => (count(each) > count(most) ? each : most), ',');
}

/** The library's messages may quote the text. */
function unreadable(error: unknown): string {
  if (error instanceof TypeError) {
    return 'It is not UTF-8. In the program that wrote it, save or export it as "CSV UTF-8".';
  }
  if (!(error instanceof CsvError)) throw error;
  const line = typeof error.lines === 'number' ? ` at line ${error.lines}` : '';
  return `It cannot be read as CSV${line}: check the quotes.`;
}

/** Programs leave out empty cells at the end of a row. */
function rowOf(
  cells: readonly string[],
  number: number,
  columns: readonly (ColumnKind | null)[],
): ImportRow {
  const refused = (problem: string) => ({ number, user: { userName: '' }, problem });
  if (cells.slice(columns.length).some((cell) => cell !== '')) {
    return refused(`has ${cells.length} columns, the first row ${columns.length}`);
  }
  const user: Record<string, string | boolean> = {};
  for (const [index, column] of columns.entries()) {
    if (column === null) continue;
    const written = cells[index] ?? '';
    const cell = column === 'userName' ? readEmail(written).address : written;
    const problem = formulaProblem(column, written) ?? cellProblem(column, cell);
    if (problem !== null) return refused(`column ${COLUMN_NAMES[column]} ${problem}`);
    if (cell !== '') user[column] = column === 'active' ? isYes(cell) : cell;
  }
  return { number, user: user as ImportRow['user'], problem: null }; // as: every column is valid
}

/** Spreadsheets write them in German, French, Spanish, Portuguese, Italian, Dutch or Polish. */
const YES: ReadonlySet<string> = new Set([
  ...['true', 't', 'yes', 'y', 'on', '1', 'active', 'enabled'],
  ...['wahr', 'vrai', 'verdadero', 'verdadeiro', 'vero', 'waar', 'prawda'],
]);
const NO: ReadonlySet<string> = new Set([
  ...['false', 'f', 'no', 'n', 'off', '0', 'deactivated', 'inactive', 'disabled', 'suspended'],
  ...['falsch', 'faux', 'falso', 'onwaar', 'fałsz'],
]);

/** Titles and external ids can begin with the other signs. */
const FORMULA = /^[=\t]/;
const FORMULA_AS_ADDRESS = /^[=+\-@\t]/;

function formulaProblem(column: ColumnKind, written: string): string | null {
  const formula = column === 'userName' ? FORMULA_AS_ADDRESS : FORMULA;
  return formula.test(written) ? 'begins like a formula: enter the value itself' : null;
}

/** What spreadsheets write for a long number (`1.23E+11`), and for a failed formula (`#N/A`). */
const SHORTENED = /^-?\d+([.,]\d+)?e[+-]\d+$/i;
const FORMULA_ERROR = /^#(?:[A-Z0/]+[!?]|N\/A|#+)$/;

function cellProblem(column: ColumnKind, cell: string): string | null {
  if (SHORTENED.test(cell)) {
    return 'has a number that a spreadsheet shortened: format the column as text, and enter the number again';
  }
  if (FORMULA_ERROR.test(cell)) return 'has an error value of a spreadsheet: correct the formula';
  if (column === 'userName') return userNameProblem(cell);
  if (cell === '') return null;
  if (column !== 'active') return attributeProblem(column, cell);
  const word = cell.toLowerCase();
  return YES.has(word) || NO.has(word) ? null : 'is not understood: write true or false';
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

/** The content of a column. */
type ColumnKind = 'userName' | 'active' | TextAttribute;

/** Like the command line's flags. */
const COLUMN_NAMES: Readonly<Record<ColumnKind, string>> = {
  userName: 'user-name',
  ...mapped((name) => ATTRIBUTES[name].flag),
  active: ATTRIBUTES.active.flag,
};

/** Column names in directories' exports, in addition to the flags, SCIM's names and display names. */
const EXPORTED_NAMES: Readonly<Partial<Record<ColumnKind, readonly string[]>>> = {
  userName: [
    ...['Email', 'Email address', 'Mail', 'Primary email', 'Work email', 'User email', 'Login'],
    ...['User principal name', 'UPN'],
  ],
  active: ['Enabled', 'Account enabled', 'Is active', 'Status', 'Account status', 'User status'],
  displayName: ['Name', 'Full name', 'CN', 'Common name'],
  formattedName: ['Formatted'],
  givenName: ['Forename'],
  familyName: ['Surname', 'SN'],
  title: ['Position', 'Job', 'Employee title'],
  department: ['Dept', 'Department name'],
};

// as: COLUMN_NAMES has exactly these names
const KINDS: ReadonlyMap<string, ColumnKind> = new Map(
  (Object.keys(COLUMN_NAMES) as ColumnKind[]).flatMap((kind) => {
    const others = kind === 'userName' ? [] : [ATTRIBUTES[kind].name, scimPath(kind)];
    const names = [COLUMN_NAMES[kind], ...others, ...(EXPORTED_NAMES[kind] ?? [])];
    return names.map((name) => [fold(name), kind] as const);
  }),
);

/** The columns' contents (null: no name and no cells), or what is wrong with the first row. */
type Columns =
  | { readonly kind: 'read'; readonly columns: readonly (ColumnKind | null)[] }
  | { readonly kind: 'wrong'; readonly problem: string };

/** So many problems of the first row are named: it may not be one of names at all. */
const PROBLEMS_MAX = 10;

/** Parses the first row. Its texts are not repeated, because they may already be somebody's data. */
function readColumns(heads: readonly string[], rows: readonly (readonly string[])[]): Columns {
  const columns = heads.map((head) => KINDS.get(fold(head)) ?? null);
  const problems: string[] = [];
  for (const problem of columnProblems(heads, columns, rows)) {
    if (problems.push(problem) > PROBLEMS_MAX) break;
  }
  if (problems.length === 0) return { kind: 'read', columns };
  const named = problems.slice(0, PROBLEMS_MAX).join('; ');
  const more = problems.length > PROBLEMS_MAX ? '; and more' : '';
  const problem = `The first row must name the columns: ${named}${more}. Rename or delete what is not known. ${KNOWN}`;
  return { kind: 'wrong', problem };
}

function* columnProblems(
  heads: readonly string[],
  columns: readonly (ColumnKind | null)[],
  rows: readonly (readonly string[])[],
): Generator<string> {
  if (!columns.includes('userName')) yield 'the column user-name is missing';
  for (const [index, head] of heads.entries()) {
    const kind = columns[index] ?? null;
    const first = kind === null ? index : columns.indexOf(kind);
    if (first < index) yield `columns ${first + 1} and ${index + 1} are the same`;
    if (head === '' && rows.some((cells) => (cells[index] ?? '') !== '')) {
      yield `column ${index + 1} has no name`;
    }
    if (head !== '' && kind === null) yield unknownColumn(index, head);
  }
}

function unknownColumn(index: number, head: string): string {
  const near = KINDS.get(closest(fold(head), [...KINDS.keys()]) ?? '');
  const meant = near === undefined ? '' : ` (did you mean ${COLUMN_NAMES[near]}?)`;
  return `column ${index + 1} is not known${meant}`;
}

const KNOWN = `Known columns: ${Object.values(COLUMN_NAMES).join(', ')}.`;

/** Ignores notes such as `[Required]`. */
function fold(name: string): string {
  return name
    .replace(/\[[^[\]]*\]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

function mapped(nameOf: (attribute: TextAttribute) => string): Record<TextAttribute, string> {
  const entries = TEXT_ATTRIBUTES.map((name) => [name, nameOf(name)]);
  return Object.fromEntries(entries) as Record<TextAttribute, string>; // as: has an entry for each
}
