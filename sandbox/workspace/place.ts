import type { Block, EphemeralMessage, Message } from '../wire.ts';
import { allBlocks } from './attachments.ts';
import type { Conversation } from './conversation.ts';
import { noInputs } from './inputs.ts';
import { homeOf, modalOf } from './open-views.ts';
import { seenIn } from './seen-in.ts';
import type { Place } from './user-actions.ts';
import type { Inputs, OpenView, World } from './world.ts';

/** Where a person uses an element: a message they see, or a view they have open. */
export type Spot = MessageSpot | ViewSpot;

interface MessageSpot {
  readonly kind: 'message';
  /** Key of the values that the person enters. */
  readonly key: string;
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

/** Throws if the person does not see it. */
export function spotOf(world: World, user: string, place: Place): Spot {
  if ('surface' in place) return viewSpot(world, user, place.surface);
  const conversation = world.conversations.get(place.channel);
  const message = seenIn(world, user, place.channel, place.ts);
  if (!conversation || !message) {
    throw new Error(`${user} sees no message ${place.ts} in ${place.channel}.`);
  }
  const blocks = allBlocks(message);
  const key = `${user} ${place.channel} ${place.ts}`;
  const inputs = world.inputs.get(key) ?? noInputs();
  return { kind: 'message', key, conversation, message, blocks, inputs };
}

function viewSpot(world: World, user: string, surface: 'modal' | 'home'): ViewSpot {
  const open = surface === 'modal' ? modalOf(world, user) : homeOf(world, user);
  if (!open) throw new Error(`${user} has no ${surface} open.`);
  return { kind: 'view', open, blocks: open.view.blocks, inputs: open.inputs };
}

/** Stores the values that the person entered there. A view stores its own. */
export function rememberInputs(world: World, spot: Spot): void {
  if (spot.kind === 'message') world.inputs.set(spot.key, spot.inputs);
}
