import { type Args, textArg } from '../args.ts';
import { addReaction, removeReaction } from '../reactions.ts';
import { Refusal } from '../refusal.ts';
import { bot } from '../seed.ts';
import type { MethodWorld, WebMethod, WebMethods } from '../web-method.ts';
import { findConversation } from './conversations.ts';

/** Throws unless the app can react to the message. */
function reactedTo(args: Args, at: MethodWorld) {
  const name = textArg(args, 'name');
  if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name)) throw new Refusal('invalid_name');
  const conversation = findConversation(at.world, textArg(args, 'channel'));
  if (conversation.archived) throw new Refusal('is_archived');
  if (!conversation.members.has(bot.userId)) throw new Refusal('no_access');
  const ts = textArg(args, 'timestamp');
  if (!/^\d+\.\d{6}$/.test(ts)) throw new Refusal('bad_timestamp');
  const message = conversation.byTs.get(ts);
  if (!message || message.subtype === 'tombstone') throw new Refusal('message_not_found');
  return { conversation, message, reaction: { name, user: bot.userId } };
}

const reacting = {
  scope: 'reactions:write',
  required: ['channel', 'name', 'timestamp'],
};

const errors = [
  'bad_timestamp',
  'channel_not_found',
  'invalid_name',
  'is_archived',
  'message_not_found',
  'no_access',
];

const add: WebMethod = {
  ...reacting,
  errors: ['already_reacted', ...errors],
  run: (args, at) => {
    const { conversation, message, reaction } = reactedTo(args, at);
    if (!addReaction(conversation, message, reaction, at.tell)) {
      throw new Refusal('already_reacted');
    }
    return {};
  },
};

const remove: WebMethod = {
  ...reacting,
  errors: ['no_reaction', ...errors],
  run: (args, at) => {
    const { conversation, message, reaction } = reactedTo(args, at);
    if (!removeReaction(conversation, message, reaction, at.tell)) throw new Refusal('no_reaction');
    return {};
  },
};

export const reactionMethods: WebMethods = { 'reactions.add': add, 'reactions.remove': remove };
