import { isObject, parseJson } from '../exchange.ts';
import { messageContainer, shownView } from './act-payload.ts';
import { shownMessage } from './conversation.ts';
import { notSent } from './deliver-twice.ts';
import { findElement, keyOf, type Placed } from './elements.ts';
import { optionsOf } from './input-state.ts';
import { type Carry, interaction } from './notice.ts';
import { rememberInputs, type Spot, spotOf } from './place.ts';
import { bot } from './seed.ts';
import type { TriggerNeeds } from './trigger-ids.ts';
import type { Delivery, Suggestion, Suggestions } from './user-actions.ts';
import { channelIn, whoActs } from './who.ts';

export interface SuggestNeeds extends TriggerNeeds {
  readonly carry: Carry;
  /** False: no options URL is configured. */
  readonly hasOptionsUrl: () => boolean;
  /** Problems of the options in a response; empty: none. */
  readonly problemsOf: (answer: unknown) => readonly string[];
}

const noOptions: Delivery = { ...notSent, shown: 'No results' };

/** A person types into an external select. Returns the options offered. */
export async function askOptions(asked: Suggestion, needs: SuggestNeeds): Promise<Suggestions> {
  const spot = spotOf(needs.world, asked.user, asked);
  const placed = findElement(spot.blocks, asked.input);
  if (!placed?.element.type.includes('external_select')) {
    throw new Error(`${asked.user} sees no external select "${asked.input}".`);
  }
  const least = placed.element.min_query_length ?? 3;
  if (asked.typed.length < Number(least)) return { delivery: notSent, options: [] };
  if (!needs.hasOptionsUrl()) return { delivery: noOptions, options: [] };
  const delivery = await needs.carry(interaction(suggestionPayload(asked, placed, spot, needs)));
  const answer = parseJson(delivery.body);
  const isGood = delivery.acknowledged && needs.problemsOf(answer).length === 0;
  const options = isGood && isObject(answer) ? optionsOf(answer) : [];
  spot.inputs.loaded.set(keyOf(placed), options);
  rememberInputs(needs.world, spot);
  return { delivery: { ...delivery, shown: isGood ? null : noOptions.shown }, options };
}

function suggestionPayload(
  { user, typed }: Suggestion,
  { block, element }: Placed,
  spot: Spot,
  { world }: SuggestNeeds,
) {
  return {
    type: 'block_suggestion',
    ...whoActs(world, user),
    api_app_id: bot.appId,
    action_id: element.action_id,
    block_id: block.block_id,
    value: typed,
    ...(spot.kind === 'view'
      ? {
          container: { type: 'view', view_id: spot.open.view.id },
          view: shownView(spot.open),
        }
      : {
          container: messageContainer(spot),
          channel: channelIn(spot.conversation),
          message: shownMessage(spot.conversation, spot.message),
        }),
  };
}
