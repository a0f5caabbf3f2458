import { readIsoTime } from '../lib/iso-time.ts';
import type { Task, TaskNode } from '../service/task.ts';
import { UUID } from './reference.ts';

/** What pasted lines say: an item with its sub-items, or what is wrong, line by line. */
export type Entered =
  | { readonly ok: true; readonly item: Task }
  | { readonly ok: false; readonly faults: readonly Fault[] };

interface Fault {
  /** From 1, as people count; 0: the whole. */
  readonly line: number;
  readonly message: string;
}

interface Row {
  readonly line: number;
  readonly id: string;
  readonly key: string | null;
  readonly updatedAt: string | null;
  readonly status: string;
}

/** In capitals, as the service writes them: a status id such as `st-1` is none. */
const KEY = /^[A-Z][A-Z0-9_]*-\d+$/u;
/** A comma parts, unless a fraction of a second follows it (ISO 8601). */
const BETWEEN =
  /(?:[\s;|]|,(?!(?<=T\d\d:?\d\d:?\d\d,)\d+(?:Z|[+-]\d\d(?::?\d\d)?)?(?:[\s,;|]|$)))+/iu;

/**
 * Reads pasted lines: the item first, then each sub-item, however deep it hangs. On a line stand the
 * id (a UUID, Interface 4.1), perhaps the key, `updatedAt` (the first line needs it) and the status
 * id, with spaces, commas, semicolons or tabs between them. Everything is kept to the letter.
 */
export function readEntry(text: string): Entered {
  const lines = text
    .split(/\r?\n/u)
    .map((words, index) => ({ words: words.trim(), line: index + 1 }));
  const read = lines
    .filter(({ words }) => words !== '')
    .map(({ words, line }) => readLine(words, line));
  const faults = read.flatMap((each) => ('message' in each ? [each] : []));
  const rows = read.flatMap((each) => ('message' in each ? [] : [each]));
  const [first, ...others] = rows;
  const all = [
    ...faults,
    ...twinsIn(rows),
    ...(first === undefined ? [] : timeless(first, read[0])),
  ];
  if (all.length > 0) return { ok: false, faults: all.sort((a, b) => a.line - b.line) };
  if (first === undefined)
    return { ok: false, faults: [{ line: 0, message: 'Nothing is entered.' }] };
  const item = {
    ...nodeOf(
      first,
      others.map((row) => nodeOf(row, [])),
    ),
    updatedAt: first.updatedAt ?? '',
    projectId: null,
  };
  return { ok: true, item };
}

function nodeOf({ id, key, status }: Row, subItems: readonly TaskNode[]): TaskNode {
  return { id, key, title: null, status, subItems };
}

function readLine(words: string, line: number): Row | Fault {
  const parts = words.split(BETWEEN).filter((part) => part !== '');
  const isTime = (part: string) => readIsoTime(part) !== null;
  const times = parts.filter(isTime);
  const ids = parts.filter((part) => UUID.test(part));
  const rest = parts.filter((part) => !isTime(part) && part !== ids[0]);
  const [id] = ids;
  if (id === undefined) return { line, message: 'there is no id (such as 6f1c4e52-…)' };
  if (times.length > 1) return { line, message: 'there are two times' };
  const key = rest.length > 1 ? rest.find((part) => KEY.test(part)) : undefined;
  const statuses = key === undefined ? rest : rest.filter((part) => part !== key);
  const [status, extra] = statuses;
  if (status === undefined) return { line, message: statusMissing(words) };
  if (extra !== undefined)
    return { line, message: 'there is more than an id, a key, a time and a status id' };
  return { line, id, key: key ?? null, updatedAt: times[0] ?? null, status };
}

function statusMissing(words: string): string {
  const hasTime = /\d{4}-\d\d-\d\d/u.test(words);
  return hasTime
    ? 'there is no status id behind the id and the time'
    : 'there is no status id behind the id';
}

/** The first line is the item's: the service is told when it last changed. */
function timeless(first: Row, read: Row | Fault | undefined): readonly Fault[] {
  const isFirst = read !== undefined && !('message' in read);
  if (!isFirst || first.updatedAt !== null) return [];
  return [{ line: first.line, message: 'there is no updatedAt (such as 2030-01-01T10:00:00Z)' }];
}

function twinsIn(rows: readonly Row[]): readonly Fault[] {
  return rows.flatMap(({ id, line }, index) => {
    const twin = rows.slice(0, index).find((row) => row.id === id);
    return twin === undefined ? [] : [{ line, message: `its id stands in line ${twin.line}, too` }];
  });
}
