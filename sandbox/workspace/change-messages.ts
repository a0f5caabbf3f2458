import type { Message } from '../wire.ts';
import { type ChangeNeeds, inChannel } from './change-workspace.ts';
import { addMessage, type Conversation, deleteMessage } from './conversation.ts';
import { tellDeleted, tellWritten } from './message-events.ts';
import { addReaction, removeReaction } from './reactions.ts';
import { team } from './seed.ts';
import { typedText } from './slack-text.ts';
import type { Saying } from './user-actions.ts';
import type { Workspace } from './workspace-handle.ts';
import { nextTs, openDirect, type World } from './world.ts';

/** The part of the handle that writes and deletes messages. */
export function changeMessages(
  needs: ChangeNeeds,
): Pick<Workspace, 'say' | 'react' | 'deleteMessage' | 'setEditWindow'> {
  const { memory, manifest } = needs;
  const telling = () => ({ ...needs, world: memory.world });
  return {
    say: (saying) => {
      openDirect(memory.world, saying.user, saying.channel);
      return inChannel(needs, saying.channel, (conversation) => {
        if (conversation.directTo !== null && manifest.messagesTab !== 'open') {
          throw new Error('The app takes no messages.');
        }
        const message = say(memory.world, conversation, saying, needs.now());
        tellWritten(message, conversation, telling());
        return message;
      });
    },
    react: ({ channel, ts, ...reaction }) =>
      inChannel(needs, channel, (conversation) => {
        const message = messageIn(conversation, ts);
        if (!conversation.members.has(reaction.user)) {
          throw new Error(`${reaction.user} is not in ${channel}.`);
        }
        if (!addReaction(conversation, message, reaction, needs.tell)) {
          removeReaction(conversation, message, reaction, needs.tell);
        }
      }),
    setEditWindow: (ms) => {
      memory.world.editWindowMs = ms;
    },
    deleteMessage: (channel, ts) =>
      inChannel(needs, channel, (conversation) => {
        const message = messageIn(conversation, ts);
        deleteMessage(conversation, message);
        tellDeleted(message, conversation, telling());
      }),
  };
}

/** Throws if a test or a page names a message that does not exist. */
function messageIn({ id, byTs }: Conversation, ts: string): Message {
  const message = byTs.get(ts);
  if (!message) throw new Error(`There is no message ${ts} in ${id}.`);
  return message;
}

function say(world: World, conversation: Conversation, saying: Saying, now: number): Message {
  const { user, text, threadTs, extra } = saying;
  if (!conversation.members.has(user)) throw new Error(`${user} is not in ${conversation.id}.`);
  const message: Message = {
    type: 'message',
    ts: nextTs(world, now),
    user,
    team: world.users.get(user)?.team_id ?? team.id,
    text: typedText(text),
    ...extra,
    ...(threadTs && { thread_ts: threadTs }),
  };
  addMessage(conversation, message);
  return message;
}
