import { cleanLine } from '../../../core/lib/clean-line.ts';
import type { NewTestCase } from '../../../core/service/create-test-case.ts';
import { PRIORITIES, TYPES, wordOf } from '../catalogue.ts';
import { TITLE_MAX } from '../form-view.ts';

/** What a line says of a test case. */
export type NewLine = Pick<NewTestCase, 'title' | 'priority' | 'type'>;

/** A line that was pasted. `number` counts from 1, empty lines left out. */
export type ReadLine =
  | { readonly number: number; readonly line: NewLine }
  | { readonly number: number; readonly words: string; readonly fault: LineFault };

/** What is not understood of a line, and the word that it is about. */
export interface LineFault {
  readonly code: 'no-title' | 'too-long' | 'unknown-word' | 'twice';
  readonly word: string;
}

/**
 * Reads a test case per line: `Title | priority | type`, the two in any order and left out as one
 * likes. Columns of a table are parted by tabs; a title beside them may hold a bar. The marks of a
 * list, bullets or numbers, are no part of the titles.
 */
export function readLines(text: string): readonly ReadLine[] {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/u).filter((line) => line.trim() !== '');
  const isList = lines.length > 1 && lines.every((line) => LIST_MARK.test(line));
  return lines.map((line, index) =>
    readLine(isList ? line.replace(LIST_MARK, '') : line, index + 1),
  );
}

const LIST_MARK = /^\s*(?:[-*+•◦▪–]|\d{1,3}[.)])\s+(?=\S)/u;

/** A line that is read as what it was made of. */
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

function columnsOf(text: string): readonly string[] {
  return text.split(text.includes('\t') ? '\t' : '|').map((column) => column.trim());
}
