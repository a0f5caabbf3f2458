/** How presses, submissions and lists of a modal are answered; a feature supplies what is shown. */

import type { ModalView } from '@slack/types';
import { type Form, readForm } from './form.ts';
import type { ActionArgs, OptionsArgs, SubmitArgs } from './listeners.ts';
import { type Choosable, matching } from './modal-blocks.ts';
import { type Pressed, pressedIn, showWhere, viewerIn } from './pressed.ts';
import { type FormAnswer, type FormDependencies, showIn } from './show-form.ts';

/** Answers a submitted modal; slow work follows the acknowledgement. */
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

type MaybeView = ModalView | undefined;

/** A press that updates its own modal; undefined: it stays. `otherwise`: what the person reads if that fails. */
export function changedIn(
  needs: FormDependencies,
  otherwise: string,
  change: (form: Form, pressed: Pressed) => MaybeView | Promise<MaybeView>,
) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const form = readForm(body.view);
    const view = await change(form, pressedIn(body));
    if (view !== undefined) await showIn(needs, form, viewerIn(body, otherwise), view);
  };
}

/** A press that is answered in its modal, or in a new one, which shows `loading` until then. */
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
 * A press that is recorded, and acknowledged once it is stored or the person was told otherwise: what is not stored is
 * not carried out. The record shows its own result; `record` returns a view if nothing was recorded.
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

/** Which list in the modal. */
export interface ListPlace {
  readonly actionId: string;
  readonly blockId: string;
}

/** Options for a list that is too long to come with its modal, as somebody types. */
export function listed(
  choices: (form: Form, place: ListPlace) => readonly Choosable[] | Promise<readonly Choosable[]>,
) {
  return async ({ body, ack }: OptionsArgs): Promise<void> => {
    const { action_id: actionId, block_id: blockId, value } = body;
    const offered = await choices(readForm(body.view), { actionId, blockId });
    await ack({ options: matching(offered, value) });
  };
}
