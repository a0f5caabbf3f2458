import type { Block, EphemeralMessage, Message } from '../wire.ts';
import type { Conversation } from './conversation.ts';
import { elementsOf, keyOf } from './elements.ts';
import { type ElementState, initialState } from './input-state.ts';
import { homeOf, modalOf } from './open-views.ts';
import { seenIn } from './seen-in.ts';
import type { Place } from './workspace-handle.ts';
import type { Inputs, OpenView, World } from './world.ts';

/** Where a person uses an element: a message they see, or a view they have open. */
export type Spot = MessageSpot | ViewSpot;

interface MessageSpot {
  readonly kind: 'message';
  readonly conversation: Conversation;
  readonly message: Message | EphemeralMessage;
  readonly blocks: readonly Block[];
  readonly inputs: Inputs;
}

interface ViewSpot {
  readonly kind: 'view';
  readonly open: OpenView;
  readonly blocks: readonly Block[];
  readonly inputs: Inputs;
}

/** Throws when the person sees no such thing. */
export function spotOf(world: World, user: string, place: Place): Spot {
  if ('surface' in place) return viewSpot(world, user, place.surface);
  const conversation = world.conversations.get(place.channel);
  const message = seenIn(world, user, place.channel, place.ts);
  if (!conversation || !message) {
    throw new Error(`${user} sees no message ${place.ts} in ${place.channel}.`);
  }
  const blocks = message.blocks ?? [];
  const key = `${user} ${place.channel} ${place.ts}`;
  const inputs = world.inputs.get(key) ?? { entered: new Map(), loaded: new Map() };
  world.inputs.set(key, inputs);
  return { kind: 'message', conversation, message, blocks, inputs };
}

function viewSpot(world: World, user: string, surface: 'modal' | 'home'): ViewSpot {
  const open = surface === 'modal' ? modalOf(world, user) : homeOf(world, user);
  if (!open) throw new Error(`${user} has no ${surface} open.`);
  return { kind: 'view', open, blocks: open.view.blocks, inputs: open.inputs };
}

/** `state.values` of blocks: what every input holds, by block id and action id. */
export function stateValues(
  blocks: readonly Block[],
  { entered }: Inputs,
): Record<string, Record<string, ElementState>> {
  const values: Record<string, Record<string, ElementState>> = {};
  for (const placed of elementsOf(blocks)) {
    const { block, element } = placed;
    const known = entered.get(keyOf(placed));
    const state = known?.type === element.type ? known : initialState(element);
    if (!state) continue;
    const inBlock = values[String(block.block_id)] ?? {};
    values[String(block.block_id)] = { ...inBlock, [String(element.action_id)]: state };
  }
  return values;
}
