import type { TaskNode } from '../service/task.ts';
import { oneLine } from '../slack/text.ts';

/** A status that items of a tree have, and how many of them. */
export interface StatusInUse {
  readonly id: string;
  readonly count: number;
}

/** The item, then its sub-items, each before its own. */
export function itemsOf(item: TaskNode): readonly TaskNode[] {
  return [item, ...item.subItems.flatMap(itemsOf)];
}

/** Every status in use anywhere in the tree, in the order they are met (Interface 4.1). */
export function statusesIn(item: TaskNode): readonly StatusInUse[] {
  const counts = new Map<string, number>();
  for (const { status } of itemsOf(item)) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([id, count]) => ({ id, count }));
}

/** One character becomes at most five when it is escaped, and a section takes 3000. */
export const LABEL_MAX = 80;

/** What people call an item, escaped: its key, or what else is known of it. */
export function labelOf({ key, title, id }: Pick<TaskNode, 'key' | 'title' | 'id'>): string {
  const names = [key, title, id].map((name) => oneLine(name ?? '', LABEL_MAX));
  return names.find((name) => name !== '') ?? 'Work item';
}

/** What it is called besides its key, escaped; empty where that is all that is known. */
export function titleOf({ key, title }: Pick<TaskNode, 'key' | 'title'>, max: number): string {
  return key === null || title === null ? '' : oneLine(title, max);
}

/** "1 item", "5 items". */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
