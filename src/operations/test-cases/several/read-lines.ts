import { cleanLine } from '../../../core/lib/clean-line.ts';
import type { NewTestCase } from '../../../core/service/create-test-case.ts';
import { PRIORITIES, TYPES, wordOf } from '../catalogue.ts';
import { TITLE_MAX } from '../form-view.ts';

/** A test case as written in a line. */
export type NewLine = Pick<NewTestCase, 'title' | 'priority' | 'type'>;

/** A pasted line. `number` counts from 1, without empty lines. */
export type ReadLine =
  | { readonly number: number; readonly line: NewLine }
  | { readonly number: number; readonly words: string; readonly fault: LineFault };

/** What was not understood in a line, and the word it is about. */
export interface LineFault {
  readonly code: 'no-title' | 'too-long' | 'unknown-word' | 'twice';
  readonly word: string;
}

/**
 * Parses one test case per line: `Title | priority | type`, the latter two optional and in any order. Spreadsheet cells
 * are separated by tabs; a title among them can contain a bar. Tables in Markdown or wiki markup are accepted without
 * their rules and headings, and lists without their bullets or numbers.
 */
export function readLines(text: string): readonly ReadLine[] {
  const pasted = withoutQuotes(text)
    .split(LINE_END)
    .filter((line) => line.trim() !== '');
  const lines = withoutHeading(WIKI_TABLE.test(pasted[0] ?? '') ? wikiRows(pasted) : pasted);
  const isList = lines.length > 1 && lines.every((line) => LIST_MARK.test(line));
  return lines.map((line, index) =>
    readLine(isList ? line.replace(LIST_MARK, '') : line, index + 1),
  );
}

const LINE_END = /\r\n|[\n\r\u2028\u2029]/u;

/** A cell that a spreadsheet quotes when copying, because of its content. */
const QUOTED_CELL = /(?<=^|[\t\r\n])"((?:[^"]|"")*)"(?=[\t\r\n]|$)/g;

/** Puts each cell on one line. Unnecessary quotes belong to the text. */
function withoutQuotes(text: string): string {
  return text.replace(QUOTED_CELL, (cell, inside: string) =>
    /[\t\r\n]|""/.test(inside)
      ? inside
          .replaceAll('""', '"')
          .split(/[\t\r\n]/)
          .map((line) => line.trim())
          .filter((line) => line !== '')
          .join(' ')
      : cell,
  );
}

/** The line below a table's head, or around it: `|---|:-:|`, `+----+----+`. */
function isRule(line: string): boolean {
  return /^[-=|+:\s]+$/.test(line) && /--|==/.test(line) && /[|+]/.test(line);
}

/** `||Title||Priority||` */
const WIKI_HEAD = /^\s*\|\|.*\|\|\s*$/;

const HEADINGS: ReadonlySet<string> = new Set([
  ...['title', 'test case', 'name', 'summary', 'priority', 'type'],
]);

function withoutHeading(lines: readonly string[]): readonly string[] {
  const rule = lines.findIndex((line, index) => index > 0 && isRule(line));
  const rows = lines.filter((line) => !isRule(line));
  const [head = '', ...others] = rows;
  if (others.length === 0) return rows;
  const isRuledOff = rule > 0 && lines.slice(0, rule).filter((line) => !isRule(line)).length === 1;
  const words = columnsOf(head).map((word) =>
    word
      .replaceAll(/[*_\s]+/g, ' ')
      .trim()
      .toLowerCase(),
  );
  const isNamed = words.length > 1 && words.every((word) => HEADINGS.has(word));
  return isRuledOff || isNamed || WIKI_HEAD.test(head) ? others : rows;
}

/** MediaWiki: rows start with `|-`, and cells follow `||` or are on lines of their own. */
const WIKI_TABLE = /^\s*\{\|/;

function wikiRows([, ...lines]: readonly string[]): readonly string[] {
  const rows: string[][] = [[]];
  for (const line of lines.map((each) => each.trim())) {
    if (line.startsWith('|-')) rows.push([]);
    else if (/^\|(?![+}])/.test(line)) rows.at(-1)?.push(...line.slice(1).split('||'));
  }
  return rows.filter((cells) => cells.length > 0).map((cells) => [...cells, ''].join('\t'));
}

const LIST_MARK = /^\s*(?:[-*+•◦▪–]|\d{1,3}[.)])\s+(?=\S)/u;

/** A line that parses to this test case. */
export function writeLine({ title, priority, type }: NewLine): string {
  const words = [
    ...(priority === undefined ? [] : [PRIORITIES[priority]]),
    ...(type === undefined ? [] : [TYPES[type]]),
  ];
  if (title.includes('|')) return [title, ...(words.length > 0 ? words : [''])].join('\t');
  return [title, ...words].join(' | ');
}

function readLine(text: string, number: number): ReadLine {
  const [title = '', ...columns] = columnsOf(text);
  const wrong = (code: LineFault['code'], word: string): ReadLine => ({
    number,
    words: text.trim(),
    fault: { code, word },
  });
  if (cleanLine(title) === '') return wrong('no-title', '');
  if (title.length > TITLE_MAX) return wrong('too-long', '');
  const line: { -readonly [Name in keyof NewLine]: NewLine[Name] } = { title };
  for (const word of columns) {
    const priority = wordOf(PRIORITIES, word);
    const type = wordOf(TYPES, word);
    if (word === '') continue;
    if (priority === undefined && type === undefined) return wrong('unknown-word', word);
    if ((priority && line.priority) || (type && line.type)) return wrong('twice', word);
    if (priority !== undefined) line.priority = priority;
    if (type !== undefined) line.type = type;
  }
  return { number, line };
}

/** A table row, in which a bar inside a cell is escaped: `| Title | High |`. */
function isTableRow(text: string): boolean {
  return /^\|.*\|$/.test(text) && !text.endsWith('\\|') && !text.includes('\t');
}

function columnsOf(line: string): readonly string[] {
  const text = line.trim();
  if (isTableRow(text)) {
    const row = text.replace(/^\|+/, '').slice(0, -1);
    return row.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim());
  }
  return line.split(line.includes('\t') ? '\t' : '|').map((column) => column.trim());
}
