import type { ModalView } from '@slack/types';
import { StoreError } from '../store/store.ts';
import { entryView, noticeView, troubleView } from './begin-views.ts';
import { type Beginning, keepDraft } from './draft.ts';
import { accountRead } from './may-move.ts';
import { type NextViewNeeds, nextView } from './next-view.ts';
import { type ReadItemNeeds, readItem } from './read-item.ts';
import { movedSentence, NOT_STORED, troubleSentence } from './sentences.ts';
import type { MovedItem } from './snapshot.ts';
import { turnedAway } from './turned-away.ts';

export interface FirstViewNeeds extends NextViewNeeds {
  readonly items: ReadItemNeeds;
}

/** What somebody sees who wants to move an item: whether they may, and what the item needs next. */
export async function firstView(needs: FirstViewNeeds, beginning: Beginning): Promise<ModalView> {
  return kept(async () => {
    const away = await turnedAway(needs, beginning);
    return away === null ? viewOfItem(needs, beginning) : noticeView(away);
  });
}

async function viewOfItem(needs: FirstViewNeeds, beginning: Beginning): Promise<ModalView> {
  const read = await readItem(needs.items, beginning.reference);
  if (read.kind === 'found') {
    const { item, from, readAt } = read;
    return nextView(accountRead(needs), { ...beginning, item, from, readAt });
  }
  if (read.kind === 'moved') return viewOfMoved(needs, beginning, read.moved);
  const id = await keepDraft(needs, beginning);
  const why = troubleSentence(read.why, read.detail);
  const isExpected = read.why === 'no-source' || read.why === 'by-hand';
  return isExpected ? entryView(id, why) : troubleView(id, why);
}

/** Where it went, for those who may move it from there. */
async function viewOfMoved(
  needs: FirstViewNeeds,
  beginning: Beginning,
  moved: MovedItem,
): Promise<ModalView> {
  const away = await turnedAway(accountRead(needs), beginning, { from: moved.projectId });
  if (away !== null) return noticeView(away);
  const id = await keepDraft(needs, beginning);
  const why = movedSentence(moved, needs.places);
  return needs.places.move.source === 'push' ? troubleView(id, why) : entryView(id, why);
}

/** A view that could not be kept says so: nothing was moved. */
export async function kept(view: () => Promise<ModalView>): Promise<ModalView> {
  try {
    return await view();
  } catch (error) {
    if (error instanceof StoreError) return noticeView(NOT_STORED);
    throw error;
  }
}
