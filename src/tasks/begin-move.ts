import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { RemoteFailure } from '../lib/failure.ts';
import type { Modals, OpenModal } from '../slack/modals.ts';
import type { Words } from '../slack/words.ts';
import { askView, loadingView } from './begin-views.ts';
import type { Beginning } from './draft.ts';
import { type FirstViewNeeds, firstView } from './first-view.ts';
import { NOT_OPENED } from './sentences.ts';

export interface BeginNeeds extends FirstViewNeeds {
  readonly modals: Modals;
  readonly words: Pick<Words, 'respondUrl' | 'direct'>;
}

/** Somebody who wants to move something, and where. */
export interface Wish {
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
    await openModal(
      needs,
      wish,
      askView(JSON.stringify({ channel, wanted } satisfies Where), found),
    );
    return;
  }
  const beginning = beginningOf({ user, channel, wanted }, reference);
  await openThenShow(needs, wish, () => firstView(needs, beginning));
}

/** Opens a modal that says "Loading…", and shows the view in it when there is one. */
export async function openThenShow(
  needs: Pick<BeginNeeds, 'modals' | 'words'>,
  who: Pick<Wish, 'trigger' | 'user' | 'responseUrl'>,
  view: () => Promise<ModalView>,
): Promise<void> {
  const modal = await openModal(needs, who, loadingView());
  if (modal !== undefined) await showIn(needs, modal, who, await view());
}

async function openModal(
  needs: Pick<BeginNeeds, 'modals' | 'words'>,
  who: Pick<Wish, 'trigger' | 'user' | 'responseUrl'>,
  view: ModalView,
): Promise<OpenModal | undefined> {
  try {
    return await needs.modals.open(who.trigger, view);
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    // Slack delivered it twice: the other one has opened it.
    if (error.code !== 'exchanged_trigger_id') await sayNotOpened(needs, who);
    return undefined;
  }
}

/** Changes a modal; one that was closed, or has gone on by itself, stays as it is. */
export async function showIn(
  needs: Pick<BeginNeeds, 'modals' | 'words'>,
  modal: OpenModal,
  who: Pick<Wish, 'user' | 'responseUrl'>,
  view: ModalView,
): Promise<void> {
  const isShown = await tryToShow(needs.modals, modal, view);
  if (!isShown && !(await tryToShow(needs.modals, modal, view))) await sayNotOpened(needs, who);
}

async function tryToShow(modals: Modals, modal: OpenModal, view: ModalView): Promise<boolean> {
  try {
    await modals.update(modal, view);
    return true;
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    return SETTLED.has(error.code);
  }
}

const SETTLED: ReadonlySet<string> = new Set(['not_found', 'hash_conflict']);

async function sayNotOpened(
  { words }: Pick<BeginNeeds, 'words'>,
  { user, responseUrl }: Pick<Wish, 'user' | 'responseUrl'>,
): Promise<void> {
  if (responseUrl === null) return words.direct({ user, text: NOT_OPENED });
  return words.respondUrl(responseUrl, { text: NOT_OPENED });
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
