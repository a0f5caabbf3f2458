import type { Message } from '../wire.ts';
import { addMessage, type Conversation, deleteMessage } from './conversation.ts';
import { type ChangeNeeds, inChannel } from './happen.ts';
import { bot, team } from './seed.ts';
import { typedText } from './slack-text.ts';
import type { Saying, Workspace } from './workspace-handle.ts';
import { directConversation, nextTs, type World } from './world.ts';

/** The part of the handle that writes and deletes messages. */
export function changeMessages(
  needs: ChangeNeeds,
): Pick<Workspace, 'say' | 'deleteMessage' | 'setEditWindow'> {
  const { memory, now, tell } = needs;
  return {
    say: (saying) => {
      directConversation(memory.world, saying.user);
      return inChannel(needs, saying.channel, (conversation) => {
        const message = say(memory.world, conversation, saying, now());
        tellOfMessage(message, conversation);
        return message;
      });
    },
    setEditWindow: (ms) => {
      memory.world.editWindowMs = ms;
    },
    deleteMessage: (channel, ts) =>
      inChannel(needs, channel, (conversation) => {
        const message = conversation.byTs.get(ts);
        if (!message) throw new Error(`There is no message ${ts} in ${channel}.`);
        deleteMessage(conversation, message);
        if (!conversation.members.has(bot.userId)) return;
        tell(
          {
            type: 'message',
            subtype: 'message_deleted',
            hidden: true,
            channel,
            channel_type: kindOf(conversation),
            ts: nextTs(memory.world, now()),
            deleted_ts: ts,
            previous_message: message,
          },
          conversation,
        );
      }),
  };

  function tellOfMessage(message: Message, conversation: Conversation): void {
    if (!conversation.members.has(bot.userId)) return;
    const told = { ...message, channel: conversation.id };
    tell({ ...told, channel_type: kindOf(conversation) }, conversation);
    const isMention = message.text.includes(`<@${bot.userId}>`) && conversation.directTo === null;
    if (isMention) tell({ ...told, type: 'app_mention' }, conversation);
  }
}

function kindOf({ directTo, private: isPrivate }: Conversation): string {
  return directTo !== null ? 'im' : isPrivate ? 'group' : 'channel';
}

function say(world: World, conversation: Conversation, saying: Saying, now: number): Message {
  const { user, text, threadTs } = saying;
  if (!conversation.members.has(user)) throw new Error(`${user} is not in ${conversation.id}.`);
  const message: Message = {
    type: 'message',
    ts: nextTs(world, now),
    user,
    team: world.users.get(user)?.team_id ?? team.id,
    text: typedText(text),
    ...(threadTs && { thread_ts: threadTs }),
  };
  addMessage(conversation, message);
  return message;
}
