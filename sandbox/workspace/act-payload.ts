import type { Message } from '../wire.ts';
import { attachmentOf } from './attachments.ts';
import { shownMessage } from './conversation.ts';
import type { Placed } from './elements.ts';
import type { ElementState } from './input-state.ts';
import { stateValues } from './inputs.ts';
import type { Spot } from './place.ts';
import { bot } from './seed.ts';
import { newResponseUrl, newTrigger, type TriggerNeeds } from './trigger-ids.ts';
import { channelIn, whoActs } from './who.ts';
import type { OpenView } from './world.ts';
import { nextTs } from './world.ts';

/** A person's action on an element. */
export interface Done {
  readonly user: string;
  readonly placed: Placed;
  /** The chosen or entered value; a button has none. */
  readonly chosen?: ElementState | { readonly selected_option: unknown };
  readonly hasResponseUrl?: boolean;
}

/** The payload of a pressed button or a changed input, as Slack sends it. Each has its own trigger. */
export function blockActionsPayload(spot: Spot, done: Done, needs: TriggerNeeds) {
  return {
    type: 'block_actions',
    ...whoActs(needs.world, done.user),
    api_app_id: bot.appId,
    ...whereOf(spot, done, needs),
    actions: [actionOf(done, nextTs(needs.world, needs.now()))],
  };
}

function whereOf(spot: Spot, { user, placed, hasResponseUrl = true }: Done, needs: TriggerNeeds) {
  if (spot.kind === 'view') {
    return {
      container: { type: 'view', view_id: spot.open.view.id },
      trigger_id: newTrigger(needs, user, {
        viewId: spot.open.view.id,
        channel: spot.open.channel,
      }),
      view: shownView(spot.open),
    };
  }
  const { conversation, message } = spot;
  const target = { user, channel: conversation.id, ts: message.ts };
  return {
    container: { ...messageContainer(spot), ...inAttachment(spot.message, placed) },
    trigger_id: newTrigger(needs, user, { channel: conversation.id }),
    channel: channelIn(conversation),
    ...(!('to' in message) && { message: shownMessage(conversation, message) }),
    state: { values: stateValues(spot.blocks, spot.inputs) },
    ...(hasResponseUrl && { response_url: newResponseUrl(needs, target) }),
  };
}

/** What distinguishes a block of an attachment. */
function inAttachment(message: Message, { block, element }: Placed) {
  const found = attachmentOf(message, block, element);
  return (
    found && {
      type: 'message_attachment',
      attachment_id: found.attachment.id,
      is_app_unfurl: false,
    }
  );
}

/** The payload of a button in an attachment of the kind before Block Kit; undefined: it is another one. */
export function interactiveMessage(spot: Spot, { user, placed }: Done, needs: TriggerNeeds) {
  if (spot.kind === 'view') return undefined;
  const { conversation, message } = spot;
  const found = attachmentOf(message, placed.block, placed.element);
  if (found?.action === undefined) return undefined;
  const { name = '', type, value = '' } = found.action;
  return {
    type: 'interactive_message',
    ...whoActs(needs.world, user),
    actions: [{ name, type, value }],
    callback_id: found.attachment.callback_id ?? '',
    channel: channelIn(conversation),
    action_ts: nextTs(needs.world, needs.now()),
    message_ts: message.ts,
    attachment_id: String(found.attachment.id),
    is_app_unfurl: false,
    ...(!('to' in message) && { original_message: shownMessage(conversation, message) }),
    response_url: newResponseUrl(needs, { user, channel: conversation.id, ts: message.ts }),
    trigger_id: newTrigger(needs, user, { channel: conversation.id }),
  };
}

export function messageContainer({ conversation, message }: Spot & { kind: 'message' }) {
  const threadTs = shownMessage(conversation, message).thread_ts;
  return {
    type: 'message',
    message_ts: message.ts,
    channel_id: conversation.id,
    is_ephemeral: 'to' in message,
    ...(threadTs !== undefined && { thread_ts: threadTs }),
  };
}

/** A view as it is sent to the app, with the values of its inputs. */
export function shownView({ view, inputs }: OpenView) {
  return { ...view, state: { values: stateValues(view.blocks, inputs) } };
}

function actionOf({ placed: { block, element }, chosen }: Done, actionTs: string) {
  const { type, text, value, url, style, action_id, placeholder } = element;
  return {
    action_id,
    block_id: block.block_id,
    ...(text !== undefined && { text }),
    ...(value !== undefined && { value }),
    ...(url !== undefined && { url }),
    ...(style !== undefined && { style }),
    ...(chosen && placeholder !== undefined && { placeholder }),
    ...chosen,
    type,
    action_ts: actionTs,
  };
}
