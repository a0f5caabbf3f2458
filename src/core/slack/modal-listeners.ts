/** How presses, submissions and lists of a modal are answered; a feature names what it shows. */

import type { ModalView } from '@slack/types';
import { type Form, readForm } from './form.ts';
import type { ActionArgs, OptionsArgs, SubmitArgs } from './listeners.ts';
import { type Choosable, matching } from './modal-blocks.ts';
import { type Pressed, pressedIn, showWhere, viewerIn } from './pressed.ts';
import { type FormAnswer, type FormDependencies, showIn } from './show-form.ts';

/** A modal was submitted: it is answered, and what takes longer follows the acknowledgement. */
export function submitted<Needs>(
  needs: Needs,
  answer: (needs: Needs, form: Form, user: string) => Promise<FormAnswer>,
) {
  return async ({ body, view, ack }: SubmitArgs): Promise<void> => {
    const answered = await answer(needs, readForm(view), body.user.id);
    await ack(answered.ack);
    await answered.later?.();
  };
}

/** A press that changes the modal it was made in. `otherwise`: what the person reads where that cannot be shown. */
export function changedIn(
  needs: FormDependencies,
  otherwise: string,
  change: (form: Form, pressed: Pressed) => ModalView | Promise<ModalView>,
) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const form = readForm(body.view);
    const view = await change(form, pressedIn(body));
    await showIn(needs, form, viewerIn(body, otherwise), view);
  };
}

/** A press that is answered in its modal, or in one of its own, which says `loading` until then. */
export function shownAt<Needs extends FormDependencies>(
  needs: Needs,
  loading: ModalView,
  view: (needs: Needs, pressed: Pressed) => Promise<ModalView>,
) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    await showWhere(needs, body, loading, () => view(needs, pressedIn(body)));
  };
}

/**
 * A press that is recorded: acknowledged when it is stored, as what is lost is not sent, or when its person was
 * told. The record itself shows what comes of it; `record` gives a view where nothing is recorded.
 */
export function recordedAt<Needs extends FormDependencies>(
  needs: Needs,
  loading: ModalView,
  record: (needs: Needs, pressed: Pressed) => Promise<ModalView | undefined>,
) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    const view = await record(needs, pressedIn(body));
    if (view !== undefined) await showWhere(needs, body, loading, async () => view);
    await ack();
  };
}

/** Where a list is in its modal. */
export interface ListPlace {
  readonly actionId: string;
  readonly blockId: string;
}

/** Somebody types into a list that is too long to come with its modal. */
export function listed(
  choices: (form: Form, place: ListPlace) => readonly Choosable[] | Promise<readonly Choosable[]>,
) {
  return async ({ body, ack }: OptionsArgs): Promise<void> => {
    const { action_id: actionId, block_id: blockId, value } = body;
    const offered = await choices(readForm(body.view), { actionId, blockId });
    await ack({ options: matching(offered, value) });
  };
}
