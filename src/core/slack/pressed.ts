import { hash } from 'node:crypto';
import type { BlockAction } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { type FormDependencies, openThenShow, showIn, type Viewer } from './show-form.ts';

/** A press on a button, or on an option of a menu. */
export interface Pressed {
  /** Of the button or option; empty when it has none. */
  readonly value: string;
  /** Unique to this press: the same one delivered again has the same. */
  readonly press: string;
  readonly user: string;
}

export function pressedIn({ actions: [action], trigger_id, user }: BlockAction): Pressed {
  const value = valueIn(action);
  const press = deliveryOf(user.id, action?.action_ts, trigger_id, action?.action_id, value);
  return { value, press, user: user.id };
}

function valueIn(action: BlockAction['actions'][number] | undefined): string {
  if (action?.type === 'button') return action.value ?? '';
  if (action?.type === 'static_select') return action.selected_option.value;
  // An option that only leads somewhere needs no value.
  return action?.type === 'overflow' ? (action.selected_option?.value ?? '') : '';
}

/** One word for what somebody did, from all that Slack tells it apart by. */
export function deliveryOf(...marks: readonly (string | undefined)[]): string {
  return hash('sha256', marks.join('\0'), 'base64url').slice(0, 22);
}

/** Who pressed; `otherwise`: what they read when nothing can be shown. */
export function viewerIn({ user, response_url }: BlockAction, otherwise: string): Viewer {
  return { user: user.id, responseUrl: response_url || null, otherwise };
}

/** Says nothing of the work itself, which may have been recorded and carried out before. */
export const NOT_SHOWN = 'The form could not be shown. Press the button again.';

/** Answers a press with a view: in a modal it changes; from a message one that says `loading` opens. */
export async function showWhere(
  needs: FormDependencies,
  body: BlockAction,
  loading: ModalView,
  view: () => Promise<ModalView>,
): Promise<void> {
  const viewer = viewerIn(body, NOT_SHOWN);
  if (body.view !== undefined) return showIn(needs, { id: body.view.id }, viewer, await view());
  await openThenShow(needs, { ...viewer, trigger: body.trigger_id }, loading, view);
}
