import type { KnownBlock } from '@slack/types';
import { cleanLine } from '../../core/lib/clean-line.ts';
import type { Task, TaskName, TaskNode } from '../../core/service/task.ts';
import { context, section } from '../../core/slack/blocks.ts';
import { bold, cutPlain, dateText, filledLink, oneLine } from '../../core/slack/text.ts';
import { type Places, projectWith, type StatusInUse } from './destinations.ts';
import { type Draft, movedBy, type Target } from './draft.ts';

/** The item and its sub-items, each before its own. */
export function itemsOf(item: TaskNode): readonly TaskNode[] {
  return [item, ...item.subItems.flatMap(itemsOf)];
}

/** Every status in use in the trees, in order of occurrence (Interface 4.1). */
export function statusesIn(items: readonly Task[]): readonly StatusInUse[] {
  const found = new Map<string, StatusInUse>();
  for (const item of items) {
    for (const { status: id } of itemsOf(item)) {
      const { count, projectId } = found.get(id) ?? { count: 0, projectId: item.projectId };
      found.set(id, { id, count: count + 1, projectId });
    }
  }
  return [...found.values()];
}

/** Every status in use in what a draft moves. */
export function statusesOf(draft: Draft): readonly StatusInUse[] {
  return statusesIn(movedBy(draft).map(({ item }) => item));
}

/** How many items a draft moves, with their sub-items. */
export function countOf(draft: Draft): number {
  return movedBy(draft).flatMap(({ item }) => itemsOf(item)).length;
}

/** Escaping may turn a character into five, and a section holds 3000. */
export const LABEL_MAX = 80;

/** An item's label, escaped: its key, or whatever else is known. */
export function labelOf({ key, title, id }: TaskName): string {
  const names = [key, title, id].map((name) => oneLine(name ?? '', LABEL_MAX));
  return names.find((name) => name !== '') ?? 'Work item';
}

/** Its title next to its key, escaped; empty if either is missing. */
export function titleOf({ key, title }: TaskName, max: number): string {
  return key === null || title === null ? '' : oneLine(title, max);
}

/** "1 item", "5 items". */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Differences from what was reviewed. */
export interface Changes {
  readonly added: number;
  readonly removed: number;
  /** Items with a different status. */
  readonly statuses: number;
  /** It is now in another project. */
  readonly project: boolean;
  /** The service's own time of the last change, if different; verbatim. */
  readonly updatedAt: string | null;
}

/**
 * Where an item is that was to be moved. moved: in the destination. untouched: as reviewed. changed: neither. unclear:
 * the reading does not show it.
 */
export function whereIs(
  { item, target }: Draft & { readonly target: Target },
  found: Task,
): 'moved' | 'untouched' | 'changed' | 'unclear' {
  // The key now belongs to another item.
  if (found.id !== item.id) return 'unclear';
  if (found.projectId === target.projectId) return 'moved';
  if (found.projectId === null) {
    if (found.key === null || item.key === null) return 'unclear';
    // Only a move changes an item's key (Interface 2.1), but not only ours.
    if (found.key !== item.key) return 'unclear';
  }
  return isSame(item, found) ? 'untouched' : 'changed';
}

function isSame(item: Task, found: Task): boolean {
  return (
    item.updatedAt === found.updatedAt &&
    item.key === found.key &&
    item.projectId === found.projectId &&
    statesOf(item) === statesOf(found)
  );
}

function statesOf(item: Task): string {
  const states = itemsOf(item).map(({ id, status }) => JSON.stringify([id, status]));
  return states.sort().join();
}

export function changesIn({ item }: Draft, found: Task): Changes {
  const before = new Map(itemsOf(item).map(({ id, status }) => [id, status]));
  const after = new Map(itemsOf(found).map(({ id, status }) => [id, status]));
  const both = [...after].filter(([id]) => before.has(id));
  return {
    added: after.size - both.length,
    removed: before.size - both.length,
    statuses: both.filter(([id, status]) => before.get(id) !== status).length,
    project: item.projectId !== found.projectId,
    updatedAt: found.updatedAt === item.updatedAt ? null : found.updatedAt,
  };
}

interface Where {
  readonly key: string | null;
  readonly spaceSlug: string | null;
  readonly projectSlug: string | null;
}

/** A key as a link by `links.task`, escaped; the bare key if the link needs an unknown value. */
export function linkedKey({ links }: Places, where: Where, key: string): string {
  return filledLink(links.task, { ...where, key }, cutPlain(cleanLine(key), LABEL_MAX)[0]);
}

/** The item's old place: old keys keep working (Interface 4.1). */
export function linkedItem(places: Places, { item }: Draft): string {
  if (item.key === null) return labelOf(item);
  const project = projectWith(places, item.projectId);
  const where = { spaceSlug: project?.space ?? null, projectSlug: project?.slug ?? null };
  return linkedKey(places, { ...where, key: item.key }, item.key);
}

/** What is moved from where, and how recent the reading is. */
export function itemBlocks(draft: Draft, places: Places): KnownBlock[] {
  if (draft.more !== undefined) return severalBlocks(draft, places);
  const { item, from, readAt } = draft;
  const name = [bold(labelOf(item)), titleOf(item, 200)].filter((each) => each !== '').join(' ');
  const project = projectWith(places, item.projectId);
  const where = project === undefined ? '' : ` in ${bold(oneLine(project.name, LABEL_MAX))}`;
  const [, ...below] = itemsOf(item);
  const colon = below.length === 0 ? '' : ':';
  const at = dateText(readAt, new Date(readAt).toISOString());
  const lines = [`${name}${where}${withSubItems(below.length)}${colon}`, ...subItemLines(below)];
  return [section(lines.join('\n')), context(`${AGES[from]} ${at}`)];
}

function withSubItems(count: number): string {
  return count === 0 ? ', without sub-items' : `, with ${counted(count, 'sub-item')}`;
}

const SUB_ITEMS_SHOWN = 10;
/** Ten of them and the item have to fit into a section, escaped. */
const SUB_ITEM_MAX = 40;

function subItemLines(below: readonly TaskNode[]): readonly string[] {
  const shown = below.slice(0, SUB_ITEMS_SHOWN).map((node) => {
    const named = [node.key, node.title].filter((each) => each !== null).join(' ');
    return `• ${oneLine(named || node.id, SUB_ITEM_MAX)}`;
  });
  const more = below.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

const AGES = {
  http: 'Read from the service',
  push: 'As reported by an automation',
  manual: 'As entered',
} as const satisfies Record<Draft['from'], string>;

const SEVERAL_SHOWN = 8;
/** Eight lines have to fit into a section, escaped. */
const NAME_MAX = 40;
const PROJECT_MAX = 20;

/** Which of several items are moved, and what became of the others that were named. */
function severalBlocks(draft: Draft, places: Places): KnownBlock[] {
  const { notes = [], target } = draft;
  const moved = movedBy(draft);
  const below = countOf(draft) - moved.length;
  const head = `*${counted(moved.length, 'work item')}*${withSubItems(below)}:`;
  const lines = moved.slice(0, SEVERAL_SHOWN).map(({ item }) => {
    const named = [item.key ?? item.id, item.title].filter((each) => each !== null).join(' ');
    const project = projectWith(places, item.projectId);
    const where = project === undefined ? '' : ` in ${oneLine(project.name, PROJECT_MAX)}`;
    const count = itemsOf(item).length - 1;
    return `• ${oneLine(named, NAME_MAX)}${where}${count === 0 ? '' : withSubItems(count)}`;
  });
  const rest = moved.length > lines.length ? [`and ${moved.length - lines.length} more`] : [];
  const there = [draft, ...(draft.more ?? [])].filter(
    ({ item }) => target !== undefined && item.projectId === target.projectId,
  );
  const stay = there.map(({ item }) => `${labelOf(item)} is already there, and stays.`);
  const [oldest] = [...moved].sort((a, b) => a.readAt - b.readAt);
  const { from, readAt } = oldest ?? draft;
  const at = dateText(readAt, new Date(readAt).toISOString());
  const first = moved.length > 1 && from === 'push' ? `${AGES[from]}, the oldest` : AGES[from];
  return [
    section([head, ...lines, ...rest].join('\n')),
    ...notesSection([...notes, ...stay]),
    context(`${first} ${at}`),
  ];
}

/** A section holds 3000 characters. */
const NOTES_MAX = 2_900;

function notesSection(notes: readonly string[]): KnownBlock[] {
  return notes.length === 0 ? [] : [section(notesText(notes))];
}

/** Notes, one per line: as many as fit into a section. */
export function notesText(notes: readonly string[]): string {
  const shown = notes.filter(
    (_, index) => notes.slice(0, index + 1).join('\n').length <= NOTES_MAX,
  );
  const more = notes.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n');
}
