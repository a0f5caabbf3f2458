import type { ModalView } from '@slack/types';
import { type FailureClass, RemoteFailure } from '../lib/failure.ts';
import type { Timers } from '../lib/timers.ts';
import { isSaid } from './answer-person.ts';
import { type showError, showInstead } from './modal-blocks.ts';
import type { Modals, OpenModal } from './modals.ts';
import type { Replies } from './replies.ts';

/** Slack shows the modal from the acknowledgement first; ours has to come after it. */
export const SHOW_AFTER_MS = 500;

/** Dependencies for opening, answering and changing forms. */
export interface FormDependencies {
  readonly modals: Modals;
  readonly replies: Replies;
  readonly timers: Timers;
}

/** A person who is shown a modal. */
export interface Viewer {
  readonly user: string;
  readonly responseUrl: string | null;
  /** What they read if it is not shown. */
  readonly otherwise: string;
}

/** What they read if it may or may not be shown. */
const UNCONFIRMED =
  'Slack did not confirm that your form is shown. If you do not see it, or it still says "Loading…", try again.';

/** Opens a modal with `loading`, and reads the view's data while Slack opens it; then shows the view. */
export async function openThenShow(
  needs: FormDependencies,
  viewer: Viewer & { readonly trigger: string },
  loading: ModalView,
  view: () => Promise<ModalView>,
): Promise<void> {
  // The trigger is valid for three seconds: Slack comes first.
  const [modal, ready] = await Promise.all([openForm(needs, viewer, loading), view()]);
  if (modal !== undefined) await showIn(needs, modal, viewer, ready);
}

/** Opens a modal, whose trigger is valid for three seconds; undefined: it is not open, and the person was told. */
export async function openForm(
  needs: FormDependencies,
  viewer: Viewer & { readonly trigger: string },
  view: ModalView,
): Promise<OpenModal | undefined> {
  try {
    return await needs.modals.open(viewer.trigger, view);
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    // A repeated delivery: the first one opened the modal.
    if (error.code !== 'exchanged_trigger_id') await sayOtherwise(needs, viewer, [error]);
    return undefined;
  }
}

/** Changes a modal; leaves it alone if it was closed or has changed. Returns it if it is shown. */
export async function showIn(
  needs: FormDependencies,
  modal: OpenModal,
  viewer: Viewer,
  view: ModalView,
): Promise<OpenModal | undefined> {
  const failures: RemoteFailure[] = [];
  while (failures.length < 2) {
    try {
      return await needs.modals.update(modal, view);
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      if (SETTLED.has(error.code)) return undefined;
      failures.push(error);
    }
  }
  await sayOtherwise(needs, viewer, failures);
  return undefined;
}

const SETTLED: ReadonlySet<string> = new Set(['not_found', 'hash_conflict']);

const MAY_BE_SHOWN: ReadonlySet<FailureClass> = new Set(['ambiguous', 'unreadable']);

async function sayOtherwise(
  { replies }: FormDependencies,
  { user, responseUrl, otherwise }: Viewer,
  failures: readonly RemoteFailure[],
): Promise<void> {
  const isUncertain = failures.some((failure) => MAY_BE_SHOWN.has(failure.class));
  const text = isUncertain ? UNCONFIRMED : otherwise;
  if (responseUrl !== null && (await isSaid(replies.respondUrl(responseUrl, { text })))) return;
  await replies.direct({ user, text });
}

/** The answer to a submitted modal; `later`: the view to show after the acknowledgement. */
export interface FormAnswer {
  readonly ack: ReturnType<typeof showInstead> | ReturnType<typeof showError>;
  readonly later?: () => Promise<void>;
}

/** The longest delay of an acknowledgement, which is due within 3 s. */
const SOON_MS = 1_500;

/** Answers a submitted modal with a view; if that takes too long, with `loading` first and the view later. */
export async function answerSoon(
  needs: FormDependencies,
  modal: { readonly id: string },
  viewer: Viewer,
  loading: ModalView,
  view: Promise<ModalView>,
): Promise<FormAnswer> {
  const soon = await Promise.race([view, needs.timers.sleep(SOON_MS)]);
  if (soon !== undefined) return { ack: showInstead(soon) };
  const later = async () => {
    // Slack shows the modal from the acknowledgement first.
    const [ready] = await Promise.all([view, needs.timers.sleep(SHOW_AFTER_MS)]);
    await showIn(needs, { id: modal.id }, viewer, ready);
  };
  return { ack: showInstead(loading), later };
}
