import type { Block, View } from '../wire.ts';
import { modalOf } from './read-workspace.ts';
import { bot, team } from './seed.ts';
import type { Delivery, Submission } from './workspace-handle.ts';
import type { World } from './world.ts';

export interface SubmitNeeds {
  readonly world: World;
  readonly deliver: (payload: unknown, isRetry: boolean) => Promise<Delivery>;
  readonly changed: () => void;
}

/**
 * A person submits the modal they have open. It closes unless the app answers with errors. Throws
 * when there is none, or an input that is not optional is empty: Slack does not send that.
 */
export async function submitView(
  { user, values = {} }: Submission,
  { world, deliver, changed }: SubmitNeeds,
): Promise<Delivery> {
  const view = modalOf(world, user);
  if (view === undefined) throw new Error(`${user} has no modal open.`);
  const delivery = await deliver(payloadOf(world, user, view, values), false);
  const keepsOpen = !delivery.acknowledged || delivery.body.includes('"response_action":"errors"');
  if (!keepsOpen) world.views.delete(view.id);
  changed();
  return delivery;
}

/** A person closes the modal they have open. The app is told nothing unless it asked to be. */
export function closeView(world: World, user: string): void {
  const view = modalOf(world, user);
  if (view !== undefined) world.views.delete(view.id);
}

function payloadOf(
  world: World,
  user: string,
  view: View,
  values: Readonly<Record<string, string>>,
) {
  const person = world.users.get(user);
  return {
    type: 'view_submission',
    team: { id: team.id, domain: team.domain },
    user: { id: user, username: person?.name, name: person?.name, team_id: person?.team_id },
    api_app_id: bot.appId,
    token: 'not-a-secret',
    trigger_id: `${view.hash}.submitted`,
    view: { ...view, state: { values: stateOf(view, values) } },
    response_urls: [],
    is_enterprise_install: false,
    enterprise: null,
  };
}

function stateOf(view: View, values: Readonly<Record<string, string>>) {
  const inputs = view.blocks.filter((block) => block.type === 'input');
  return Object.fromEntries(inputs.map((block) => [block.block_id, inputState(block, values)]));
}

function inputState(block: Block, values: Readonly<Record<string, string>>) {
  // The check of views gave every input an element with an action_id.
  const { type, action_id } = block.element as { type: string; action_id: string };
  const value = values[action_id] ?? null;
  if (value === null && block.optional !== true) throw new Error(`${action_id} is required.`);
  return { [action_id]: { type, value } };
}
