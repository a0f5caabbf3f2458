import type { ModalView } from '@slack/types';
import { type showError, showInstead } from './modal-blocks.ts';
import { SHOW_AFTER_MS, type ShowFormNeeds, showIn, type Viewer } from './show-form.ts';

/** What a submitted modal is answered with; `later`: what is shown in it after the acknowledgement. */
export interface FormAnswer {
  readonly ack: ReturnType<typeof showInstead> | ReturnType<typeof showError>;
  readonly later?: () => Promise<void>;
}

export interface AnswerSoonNeeds extends ShowFormNeeds {
  readonly sleep: (ms: number) => Promise<void>;
}

/** Longer than this nobody waits with the acknowledgement, which is due within 3 s. */
const SOON_MS = 1_500;

/** Answers a submitted modal with a view; with `loading` when that takes long, and the view later. */
export async function answerSoon(
  needs: AnswerSoonNeeds,
  modal: { readonly id: string },
  viewer: Viewer,
  loading: ModalView,
  view: Promise<ModalView>,
): Promise<FormAnswer> {
  const soon = await Promise.race([view, needs.sleep(SOON_MS)]);
  if (soon !== undefined) return { ack: showInstead(soon) };
  const later = async () => {
    // Slack puts the modal that acknowledges in place first.
    const [ready] = await Promise.all([view, needs.sleep(SHOW_AFTER_MS)]);
    await showIn(needs, { id: modal.id }, viewer, ready);
  };
  return { ack: showInstead(loading), later };
}
