import type { CatalogueProject, Named } from '../../core/config/config.ts';
import { closest } from '../../core/lib/closest.ts';
import { isSameTyped } from '../../core/lib/fold-typed.ts';
import { readIsoTime } from '../../core/lib/iso-time.ts';
import type { Task, TaskNode } from '../../core/service/task.ts';
import { UUID } from './reference.ts';

/** The result of pasted lines: an item with its sub-items, or what is wrong with each line. */
export type Entered =
  | { readonly ok: true; readonly item: Task }
  | { readonly ok: false; readonly faults: readonly Fault[] };

interface Fault {
  /** From 1; 0: all lines. */
  readonly line: number;
  readonly message: string;
}

interface Row {
  readonly line: number;
  readonly id: string;
  readonly key: string | null;
  readonly updatedAt: string | null;
  /** As entered: an id, or a name. */
  readonly status: string;
}

/** Upper case, as in the service: a status id such as `st-1` is not a key. */
const KEY = /^[A-Z][A-Z0-9_]*-\d+$/u;
/** A comma separates, unless a fraction of a second follows (ISO 8601). */
const BETWEEN =
  /(?:[\s;|]|,(?!(?<=T\d\d:?\d\d:?\d\d,)\d+(?:Z|[+-]\d\d(?::?\d\d)?)?(?:[\s,;|]|$)))+/iu;

/**
 * Parses pasted lines: the item first, then each sub-item at any depth. A line has the id (a UUID, Interface 4.1),
 * optionally the key, `updatedAt` (required in the first line), and the status by id or by its name in the catalogue,
 * separated by spaces, commas, semicolons, bars or tabs. Everything else is kept verbatim.
 */
export function readEntry(text: string, projects: readonly CatalogueProject[]): Entered {
  const lines = text
    .split(/\r?\n/u)
    .map((words, index) => ({ words: words.trim(), line: index + 1 }));
  const read = lines
    .filter(({ words }) => words !== '')
    .map(({ words, line }) => readLine(words, line));
  const faults = read.flatMap((each) => ('message' in each ? [each] : []));
  const entered = read.flatMap((each) => ('message' in each ? [] : [each]));
  const { rows, unclear } = withStatusIds(entered, projects);
  const [first, ...others] = rows;
  const all = [
    ...faults,
    ...unclear,
    ...twinsIn(rows),
    ...(first === undefined ? [] : timeless(first, read[0])),
  ];
  if (all.length > 0) return { ok: false, faults: all.sort((a, b) => a.line - b.line) };
  if (first === undefined)
    return { ok: false, faults: [{ line: 0, message: 'Enter at least one line.' }] };
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
  if (id === undefined) return { line, message: 'the id is missing (such as 6f1c4e52-…)' };
  if (times.length > 1) return { line, message: 'it has two times' };
  const key = rest.length > 1 ? rest.find((part) => KEY.test(part)) : undefined;
  const statuses = key === undefined ? rest : rest.filter((part) => part !== key);
  if (statuses.length === 0) return { line, message: statusMissing(words) };
  return { line, id, key: key ?? null, updatedAt: times[0] ?? null, status: statuses.join(' ') };
}

/**
 * The rows with status ids. Names count if all of them belong to one project of the catalogue, or mean the same in
 * each: nothing is guessed. Other words are ids.
 */
function withStatusIds(
  rows: readonly Row[],
  projects: readonly CatalogueProject[],
): { readonly rows: readonly Row[]; readonly unclear: readonly Fault[] } {
  const workflows = projects.map(statusesOf);
  const ids = new Set(workflows.flat().map(({ id }) => id));
  const isName = ({ status }: Row) =>
    !ids.has(status) && workflows.some((each) => named(each, status).length > 0);
  const names = rows.filter(isName);
  const fitting = workflows.filter((each) =>
    names.every(({ status }) => named(each, status).length > 0),
  );
  const unclear: Fault[] = [];
  const resolved = rows.map((row) => {
    const { status, line } = row;
    if (names.includes(row)) {
      const meant = new Set(fitting.flatMap((each) => named(each, status)));
      const [id, ...others] = meant;
      if (id !== undefined && others.length === 0) return { ...row, status: id };
      const all = id === undefined ? workflows.flatMap((each) => named(each, status)) : meant;
      unclear.push({ line, message: severalMessage(status, [...new Set(all)]) });
    } else if (status.includes(' ')) {
      const known = workflows.flat().map(({ name }) => name);
      unclear.push({ line, message: noStatusMessage(status, known) });
    }
    return row;
  });
  return { rows: resolved, unclear };
}

function statusesOf({ statuses, types }: CatalogueProject): readonly Named[] {
  return [...statuses, ...types.flatMap((type) => type.statuses)];
}

/** The ids of the statuses with this name. */
function named(statuses: readonly Named[], name: string): readonly string[] {
  const ids = statuses.filter((each) => isSameTyped(each.name, name)).map(({ id }) => id);
  return [...new Set(ids)];
}

function severalMessage(name: string, ids: readonly string[]): string {
  return `several statuses are called "${name}": use an id (${ids.slice(0, 5).join(', ')})`;
}

function noStatusMessage(words: string, names: readonly string[]): string {
  const near = closest(words, names);
  return near === undefined
    ? `"${words.slice(0, 60)}" is no status; a line has an id, a key, a time and a status`
    : `there is no status "${words}": did you mean ${near}?`;
}

function statusMissing(words: string): string {
  const hasTime = /\d{4}-\d\d-\d\d/u.test(words);
  return hasTime
    ? 'the status is missing after the id and the time'
    : 'the status is missing after the id';
}

/** The first line is the item's: the service needs its last change. */
function timeless(first: Row, read: Row | Fault | undefined): readonly Fault[] {
  const isFirst = read !== undefined && !('message' in read);
  if (!isFirst || first.updatedAt !== null) return [];
  return [{ line: first.line, message: 'updatedAt is missing (such as 2030-01-01T10:00:00Z)' }];
}

function twinsIn(rows: readonly Row[]): readonly Fault[] {
  return rows.flatMap(({ id, line }, index) => {
    const twin = rows.slice(0, index).find((row) => row.id === id);
    return twin === undefined ? [] : [{ line, message: `it has the same id as line ${twin.line}` }];
  });
}
