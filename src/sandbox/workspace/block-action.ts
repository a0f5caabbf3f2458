import type { Block, EphemeralMessage, Message } from '../wire.ts';
import { type Conversation, shownMessage } from './conversation.ts';
import { bot, team } from './seed.ts';
import { nextTs, type World } from './world.ts';

/** Slack still sends this token, deprecated in favour of the signature. */
const verificationToken = 'not-a-secret';

export interface Button {
  readonly block: Block;
  readonly element: Block;
}

/** Buttons of a message in the order they stand. */
export function buttonsOf(message: Message): Button[] {
  return (message.blocks ?? []).flatMap((block) =>
    elementsOf(block)
      .filter((element) => element.type === 'button')
      .map((element) => ({ block, element })),
  );
}

function elementsOf(block: Block): readonly Block[] {
  // Blocks were checked when they were sent: these two members hold elements.
  const elements = block.elements as readonly Block[] | undefined;
  // The same.
  const accessory = block.accessory as Block | undefined;
  return elements ?? (accessory ? [accessory] : []);
}

/** Label of a button. */
export function labelOf(element: Block): string {
  // The check of blocks gave every button a text object.
  return (element.text as { readonly text: string }).text;
}

export interface Pressed {
  readonly user: string;
  readonly conversation: Conversation;
  readonly message: Message | EphemeralMessage;
  readonly button: Button;
  readonly triggerId: string;
  readonly responseUrl: string;
}

/** The payload of a pressed button, as Slack sends it. */
export function blockActionsPayload(world: World, now: number, pressed: Pressed) {
  const { conversation, message, button } = pressed;
  const user = world.users.get(pressed.user);
  const ephemeral = 'to' in message;
  const shown = shownMessage(conversation, message);
  const threadTs = shown.thread_ts;
  return {
    type: 'block_actions',
    user: {
      id: pressed.user,
      username: user?.name ?? '',
      name: user?.name ?? '',
      team_id: user?.team_id ?? team.id,
    },
    api_app_id: bot.appId,
    token: verificationToken,
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: conversation.id,
      is_ephemeral: ephemeral,
      ...(threadTs !== undefined && { thread_ts: threadTs }),
    },
    trigger_id: pressed.triggerId,
    team: { id: team.id, domain: team.domain },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: conversation.id, name: channelName(conversation) },
    ...(!ephemeral && { message: shown }),
    state: { values: {} },
    response_url: pressed.responseUrl,
    actions: [action(button, nextTs(world, now))],
  };
}

/** Slack names public channels alone. */
function channelName({ name, directTo, private: isPrivate }: Conversation): string {
  if (directTo !== null) return 'directmessage';
  return isPrivate ? 'privategroup' : name;
}

function action({ block, element }: Button, actionTs: string) {
  const { type, text, value, style, action_id } = element;
  return {
    action_id,
    block_id: block.block_id,
    text,
    ...(value !== undefined && { value }),
    ...(style !== undefined && { style }),
    type,
    action_ts: actionTs,
  };
}
