import { z } from 'zod';
import type { Meanwhile } from '../slack/pressed.ts';
import { openForm, openThenShow, type ShowFormNeeds, type Viewer } from '../slack/show-form.ts';
import { askView, loadingView } from './begin-views.ts';
import type { Beginning } from './draft.ts';
import { type FirstViewNeeds, firstView } from './first-view.ts';
import { NOT_OPENED } from './sentences.ts';

export interface BeginNeeds extends FirstViewNeeds, ShowFormNeeds {}

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
