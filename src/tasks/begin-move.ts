import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { Meanwhile } from '../slack/pressed.ts';
import { openForm, openThenShow, type ShowFormNeeds, type Viewer } from '../slack/show-form.ts';
import { StoreError } from '../store/store.ts';
import { askView, entryView, loadingView, noticeView, troubleView } from './begin-views.ts';
import { type Beginning, keepDraft } from './draft.ts';
import { accountRead } from './may-move.ts';
import { type NextViewNeeds, nextView } from './next-view.ts';
import { type ReadItemNeeds, readItem } from './read-item.ts';
import { movedSentence, NOT_OPENED, NOT_STORED, troubleSentence } from './sentences.ts';
import type { MovedItem } from './snapshot.ts';
import { turnedAway } from './turned-away.ts';

export interface BeginNeeds extends FirstViewNeeds, ShowFormNeeds {}

/** Somebody who wants to move something, and where. */
interface Wish {
  readonly trigger: string;
  readonly user: string;
  readonly channel: string;
  readonly responseUrl: string | null;
  /** null: it has to be asked for; `found`: what it may be. */
  readonly reference: string | null;
  readonly found?: readonly string[];
  readonly wanted: string | null;
}

/** Opens the modal before anything slow: its trigger lives for three seconds. */
export async function beginMove(needs: BeginNeeds, wish: Wish): Promise<void> {
  const { reference, user, channel, wanted, found = [] } = wish;
  if (reference === null) {
    const view = askView(JSON.stringify({ channel, wanted } satisfies Where), found);
    await openForm(needs, { ...viewerOf(wish), trigger: wish.trigger }, view);
    return;
  }
  const beginning = beginningOf({ user, channel, wanted }, reference);
  const viewer = { ...viewerOf(wish), trigger: wish.trigger };
  await openThenShow(needs, viewer, loadingView(), () => firstView(needs, beginning));
}

export const MEANWHILE: Meanwhile = { loading: loadingView(), otherwise: NOT_OPENED };

export function viewerOf({ user, responseUrl }: Pick<Wish, 'user' | 'responseUrl'>): Viewer {
  return { user, responseUrl, otherwise: NOT_OPENED };
}

const where = z.strictObject({ channel: z.string(), wanted: z.string().nullable() });
type Where = z.infer<typeof where>;

/** What the modal that asks for an item carries. */
export function whereIn(metadata: string): Where {
  return where.parse(JSON.parse(metadata));
}

export function beginningOf(
  { user, channel, wanted }: Where & { readonly user: string },
  reference: string,
): Beginning {
  return {
    v: 1,
    by: user,
    channel,
    reference,
    ...(wanted !== null && { wanted }),
    choices: [],
  };
}

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
