import type { Message } from '../../wire.ts';
import { type Args, textArg } from '../args.ts';
import type { Conversation } from '../conversation.ts';
import { writableConversation } from '../find-conversation.ts';
import { Refusal } from '../refusal.ts';
import type { MethodWorld } from '../web-method.ts';
import { directConversation } from '../world.ts';

/** A channel, or the direct messages of a person when a person's id stands there. */
export function postTarget(at: MethodWorld, id: string): Conversation {
  if (!/^[UW]/.test(id)) return writable(at, id);
  checkMessagesTab(at);
  const user = at.world.users.get(id);
  if (!user || user.deleted || user.is_bot) throw new Refusal('channel_not_found');
  return directConversation(at.world, id);
}

/** The same, but it has to be a channel's id. */
export function writable(at: MethodWorld, id: string): Conversation {
  const conversation = writableConversation(at.world, id);
  if (conversation.directTo !== null) checkMessagesTab(at);
  return conversation;
}

function checkMessagesTab({ manifest }: MethodWorld): void {
  if (manifest.messagesTab === 'off') throw new Refusal('messages_tab_disabled');
}

/** The message that a reply is for; what it stands in is the thread of the first one. */
export function parentOf(args: Args, { byTs }: Conversation): Message | undefined {
  const threadTs = textArg(args, 'thread_ts');
  const parent = byTs.get(threadTs);
  if (threadTs && !parent) throw new Refusal('cannot_reply_to_message');
  return parent;
}
