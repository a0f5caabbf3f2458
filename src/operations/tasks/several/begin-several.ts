/**
 * Several work items to one destination: read (this file), then asked about in the same forms as a single one, whose
 * draft has `more` items, and moved one after the other by one record (`move-batch.ts`).
 */

import type { ModalView } from '@slack/types';
import type { Core } from '../../../core/core.ts';
import { recordRefusal } from '../../../core/people/permission.ts';
import { askView, noticeView } from '../begin-views.ts';
import type { Beginning, Draft, ReadTask } from '../draft.ts';
import { itemsOf, labelOf, notesText } from '../item.ts';
import { mayMove, REFUSED } from '../may-move.ts';
import { nextView } from '../next-view.ts';
import { readItem } from '../read-item.ts';
import { notChecked, refusalSentence } from '../sentences.ts';
import {
  goesWith,
  ITEMS_MAX,
  leftOut,
  MOVED_AWAY,
  NAMED_MAX,
  NOT_INCLUDED,
  ONE_AT_A_TIME,
  tooManyItems,
  tooManyNamed,
  UNREAD,
} from './sentences.ts';

/** Only items that can be read: each one's sub-items and statuses would have to be entered by hand. */
export function canMoveSeveral({ config }: Core): boolean {
  return config.move.source === 'http' || config.move.source === 'push';
}

/** Asks for the items of a move again. `byHand`: a draft without an item, for entering it. */
export function askAgain(
  core: Core,
  { channel, reference, others = [], wanted }: Beginning,
  why: string,
  byHand?: string,
): ModalView {
  const takesAll = canMoveSeveral(core);
  const found = takesAll ? [reference, ...others].slice(0, NAMED_MAX) : [reference];
  return askView({ channel, wanted: wanted ?? null }, found, {
    why,
    takesAll,
    ...(byHand && { byHand }),
  });
}

/** What several items need next, for a person who can move items. Throws StoreError. */
export async function viewOfSeveral(core: Core, beginning: Beginning): Promise<ModalView> {
  const { others = [], ...begun } = beginning;
  const names = [begun.reference, ...others];
  if (!canMoveSeveral(core)) return askAgain(core, beginning, ONE_AT_A_TIME);
  if (names.length > NAMED_MAX) return askAgain(core, beginning, tooManyNamed(names.length));
  const { found, notes } = await readAll(core, names);
  const allowed = await allowedOf(core, beginning, found);
  if (allowed.why !== undefined) return noticeView(allowed.why);
  const { moving, goWith } = withoutThoseBelow(allowed.found);
  const [first, ...more] = moving;
  const left = [...notes, ...allowed.notes];
  const said = left.length === 0 ? [] : [NOT_INCLUDED, ...left];
  if (first === undefined) return askAgain(core, beginning, notesText(said));
  const count = moving.flatMap(({ item }) => itemsOf(item)).length;
  if (count > ITEMS_MAX) return askAgain(core, beginning, tooManyItems(count));
  const draft: Draft = { ...begun, ...first, v: 2, more, notes: [...goWith, ...said] };
  return nextView(core, draft, { isAccountRead: true });
}

/** How many items are read at the same time. */
const AT_ONCE = 5;

/** Each of the items, once, and what became of the others. Throws StoreError. */
async function readAll(core: Core, names: readonly string[]) {
  const found = new Map<string, ReadTask>();
  const notes: string[] = [];
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const piece = names.slice(from, from + AT_ONCE);
    const reads = await Promise.all(piece.map((name) => readItem(core, name)));
    for (const [index, read] of reads.entries()) {
      const reference = piece[index] ?? '';
      if (read.kind === 'found') {
        const { kind, ...known } = read;
        if (!found.has(read.item.id)) found.set(read.item.id, { reference, ...known });
      } else {
        notes.push(leftOut(reference, read.kind === 'moved' ? MOVED_AWAY : UNREAD[read.why]));
      }
    }
  }
  return { found: [...found.values()], notes };
}

/** The items that the person may move out of their projects; `why`: none, or that is not known. Throws StoreError. */
async function allowedOf(
  core: Core,
  { by: user, channel }: Beginning,
  found: readonly ReadTask[],
): Promise<{ found: readonly ReadTask[]; notes: readonly string[]; why?: string }> {
  const refusals = new Map<string | null, string>();
  for (const from of new Set(found.map(({ item }) => item.projectId))) {
    const permission = await mayMove(core, { user, channel, isAccountRead: true }, { from });
    if (permission.kind === 'failed') {
      return { found: [], notes: [], why: notChecked(permission.of) };
    }
    if (permission.kind === 'allowed') continue;
    await recordRefusal(core.store, REFUSED, { user, channel, code: permission.code });
    refusals.set(from, refusalSentence(permission.code));
  }
  const refused = found.filter(({ item }) => refusals.has(item.projectId));
  return {
    found: found.filter((each) => !refused.includes(each)),
    notes: refused.map(({ item }) =>
      leftOut(labelOf(item), refusals.get(item.projectId) ?? '', true),
    ),
  };
}

/** Sub-items of others of them move with those. Of two that old reports show below each other, the first one moves. */
function withoutThoseBelow(found: readonly ReadTask[]) {
  const trees = found.map(({ item }) => new Set(itemsOf(item).map(({ id }) => id)));
  const isIn = (inner: number, outer: number) =>
    inner !== outer && trees[outer]?.has(found[inner]?.item.id ?? '') === true;
  const above = found.map((_, at) =>
    found.find((_other, outer) => isIn(at, outer) && !(at < outer && isIn(outer, at))),
  );
  return {
    moving: found.filter((_, at) => above[at] === undefined),
    goWith: found.flatMap(({ item }, at) => {
      const other = above[at];
      return other === undefined ? [] : [goesWith(labelOf(item), labelOf(other.item))];
    }),
  };
}
