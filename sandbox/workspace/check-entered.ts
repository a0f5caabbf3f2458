import { isObject } from '../exchange.ts';
import type { Block } from '../wire.ts';
import type { ElementState } from './input-state.ts';
import type { World } from './world.ts';

/** Throws for what Slack would not let the person enter: too much, too many, or something not offered. */
export function checkEntered(
  state: ElementState,
  element: Block,
  user: string,
  world: World,
): void {
  const refuse = (why: string): never => {
    throw new Error(`${element.action_id} ${why}.`);
  };
  const { type, value, ...held } = state;
  if (type === 'plain_text_input' && typeof value === 'string') {
    const most = numberIn(element, 'max_length', 3_000);
    if (value.length > most) refuse(`takes ${most} characters at most`);
  }
  const chosen = Object.values(held).flat();
  const isFiles = type === 'file_input';
  const most = isFiles
    ? numberIn(element, 'max_files', 10)
    : numberIn(element, 'max_selected_items', Number.POSITIVE_INFINITY);
  if (chosen.length > most) refuse(`takes ${most} at most`);
  if (isFiles) checkFiles(chosen, element, refuse);
  const isOffered = offeredBy(element, user, world);
  for (const each of chosen) {
    if (typeof each === 'string' && !isOffered(each)) refuse(`does not offer "${each}"`);
  }
}

function checkFiles(
  files: readonly unknown[],
  { filetypes }: Block,
  refuse: (why: string) => never,
): void {
  if (!Array.isArray(filetypes)) return;
  for (const file of files.filter(isObject)) {
    if (!filetypes.includes(file.filetype)) refuse(`does not take "${file.name}"`);
  }
}

function numberIn(element: Block, member: string, otherwise: number): number {
  const value = element[member];
  return typeof value === 'number' ? value : otherwise;
}

/** Whether an id is in the list that Slack itself offers for the element. */
export function offeredBy(element: Block, user: string, { users, conversations }: World) {
  const { type } = element;
  if (type.endsWith('users_select')) return (id: string) => users.get(id)?.deleted === false;
  if (type.endsWith('channels_select')) {
    return (id: string) => conversations.get(id)?.private === false && id.startsWith('C');
  }
  if (!type.endsWith('conversations_select')) return () => true;
  const kinds = isObject(element.filter) ? element.filter.include : undefined;
  return (id: string) => {
    const found = conversations.get(id);
    if (!found || (found.private && !found.members.has(user))) return false;
    const kind = found.directTo !== null ? 'im' : found.private ? 'private' : 'public';
    return !Array.isArray(kinds) || kinds.includes(kind);
  };
}
