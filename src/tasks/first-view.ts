import type { ModalView } from '@slack/types';
import { type MayNeeds, may } from '../people/may.ts';
import { recordRefusal } from '../people/refused-record.ts';
import { type Store, StoreError } from '../store/store.ts';
import { entryView, noticeView, troubleView } from './begin-views.ts';
import { type Beginning, keepDraft } from './draft.ts';
import { type NextViewNeeds, nextView } from './next-view.ts';
import { type ReadItemNeeds, readItem } from './read-item.ts';
import { REFUSED } from './refusal.ts';
import { COULD_NOT_CHECK, NOT_STORED, refusalSentence, troubleSentence } from './sentences.ts';

export interface FirstViewNeeds extends NextViewNeeds {
  readonly policy: MayNeeds;
  readonly items: ReadItemNeeds;
  readonly store: NextViewNeeds['store'] & Pick<Store, 'create'>;
}

/** What somebody sees who wants to move an item: whether they may, and what the item needs next. */
export async function firstView(needs: FirstViewNeeds, beginning: Beginning): Promise<ModalView> {
  const { by: user, channel } = beginning;
  const permission = await may(needs.policy, { user, channel });
  return kept(async () => {
    switch (permission.kind) {
      case 'failed':
        return noticeView(COULD_NOT_CHECK);
      case 'not-allowed':
        await recordRefusal(needs.store, REFUSED, { user, channel, code: permission.code });
        return noticeView(refusalSentence(permission.code));
      case 'allowed':
        return viewOfItem(needs, beginning);
    }
  });
}

async function viewOfItem(needs: FirstViewNeeds, beginning: Beginning): Promise<ModalView> {
  const read = await readItem(needs.items, beginning.reference);
  if (read.kind === 'found') {
    const { item, from, readAt } = read;
    return nextView(needs, { ...beginning, item, from, readAt });
  }
  const id = await keepDraft(needs, beginning);
  const why = troubleSentence(read.why, read.detail);
  const isExpected = read.why === 'no-source' || read.why === 'by-hand';
  return isExpected ? entryView(id, why) : troubleView(id, why);
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
