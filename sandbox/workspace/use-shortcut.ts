import { shownMessage } from './conversation.ts';
import { deliverTwice } from './deliver-twice.ts';
import type { Manifest } from './manifest.ts';
import { type Carry, interaction, type Notice } from './notice.ts';
import { seenIn } from './seen-in.ts';
import { newResponseUrl, newTrigger, type TriggerNeeds } from './trigger-ids.ts';
import type { Delivery, ShortcutUse } from './user-actions.ts';
import { channelIn, whoActs } from './who.ts';
import { nextTs } from './world.ts';

export interface ShortcutNeeds extends TriggerNeeds {
  readonly manifest: Manifest;
  readonly hasScope: (scope: string) => boolean;
  readonly carry: Carry;
}

/** A person uses a shortcut of the app: on a message they see, or a global one. Throws if there is no such shortcut. */
export async function useShortcut(use: ShortcutUse, needs: ShortcutNeeds): Promise<Delivery> {
  const type = use.ts === undefined ? 'global' : 'message';
  const known = needs.manifest.shortcuts.find(
    (each) => each.callbackId === use.callbackId && each.type === type,
  );
  if (!known || !needs.hasScope('commands'))
    throw new Error(`The app has no ${type} shortcut ${use.callbackId}.`);
  const make = () => (use.ts === undefined ? globalNotice(use, needs) : messageNotice(use, needs));
  return deliverTwice(make, needs.carry, use.twice);
}

function globalNotice(use: ShortcutUse, needs: ShortcutNeeds): Notice {
  return interaction({ type: 'shortcut', ...common(use, needs) });
}

function messageNotice(use: ShortcutUse, needs: ShortcutNeeds): Notice {
  const { channel = '', ts = '', user } = use;
  const conversation = needs.world.conversations.get(channel);
  const message = seenIn(needs.world, user, channel, ts);
  if (!conversation || !message) throw new Error(`${user} sees no message ${ts} in ${channel}.`);
  if ('to' in message) throw new Error('Slack offers no shortcuts on words for one person.');
  return interaction({
    type: 'message_action',
    ...common(use, needs),
    // It is somebody else's message: the app has nothing to replace.
    response_url: newResponseUrl(needs, { user, channel }),
    channel: channelIn(conversation),
    message_ts: ts,
    message: shownMessage(conversation, message),
  });
}

function common({ callbackId, user, channel }: ShortcutUse, needs: ShortcutNeeds) {
  return {
    ...whoActs(needs.world, user),
    callback_id: callbackId,
    trigger_id: newTrigger(needs, user, { channel }),
    action_ts: nextTs(needs.world, needs.now()),
  };
}
