import { hash } from 'node:crypto';
import type { BlockAction } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { type FormDependencies, openThenShow, showIn, type Viewer } from './show-form.ts';

/** A press of a button or a menu option. */
export interface Pressed {
  /** The button's or option's value; empty when it has none. */
  readonly value: string;
  /** Unique to this press; the same when it is delivered again. */
  readonly press: string;
  readonly user: string;
  /** By Slack's clock, in ms; absent: it gave none. */
  readonly at?: number;
  /** Of the block that has it. */
  readonly block: string;
}

export function pressedIn({ actions: [action], trigger_id, user }: BlockAction): Pressed {
  const value = valueIn(action);
  const press = deliveryOf(user.id, action?.action_ts, trigger_id, action?.action_id, value);
  const at = Number(action?.action_ts) * 1_000;
  const block = typeof action?.block_id === 'string' ? action.block_id : '';
  return { value, press, user: user.id, block, ...(at > 0 && { at }) };
}

function valueIn(action: BlockAction['actions'][number] | undefined): string {
  if (action?.type === 'button') return action.value ?? '';
  // An option that only opens a link has no value.
  const hasOptions = action?.type === 'static_select' || action?.type === 'overflow';
  return hasOptions ? (action.selected_option?.value ?? '') : '';
}

/** One id for an action, from everything by which Slack tells it apart. */
export function deliveryOf(...marks: readonly (string | undefined)[]): string {
  return hash('sha256', marks.join('\0'), 'base64url').slice(0, 22);
}

/** Who pressed; `otherwise`: what they read if nothing can be shown. */
export function viewerIn({ user, response_url }: BlockAction, otherwise: string): Viewer {
  return { user: user.id, responseUrl: response_url || null, otherwise };
}

/** Does not mention the work itself, which may already have been recorded and done. */
export const NOT_SHOWN = 'The form could not be shown. Press the button again.';

/** Answers a press with a view: updates its modal or, from a message, opens one that first shows `loading`. */
export async function showWhere(
  needs: FormDependencies,
  body: BlockAction,
  loading: ModalView,
  view: () => Promise<ModalView>,
): Promise<void> {
  const viewer = viewerIn(body, NOT_SHOWN);
  if (body.view !== undefined) await showIn(needs, { id: body.view.id }, viewer, await view());
  else await openThenShow(needs, { ...viewer, trigger: body.trigger_id }, loading, view);
}
