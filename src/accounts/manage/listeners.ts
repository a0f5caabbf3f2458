import type { SlackCommandMiddlewareArgs } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { answerPerson } from '../../slack/answer-person.ts';
import type { Listeners } from '../../slack/register.ts';
import { openThenShow } from '../../slack/show-form.ts';
import { type ForgetNeeds, forgetPerson } from '../links/forget-person.ts';
import { type MeNeeds, showMe } from '../me/show-me.ts';
import { COMMAND } from './actions.ts';
import { BEGINNING, searchFor } from './browse.ts';
import { type ModalNeeds, modalListeners } from './modal/listeners.ts';
import { LOADING } from './notice-view.ts';
import { readWords } from './read-words.ts';
import { HELP, NOT_OPENED, unknownWords } from './sentences.ts';
import { showAccounts, showCreate } from './show-accounts.ts';

export type PeopleListenerNeeds = ModalNeeds & MeNeeds & ForgetNeeds;

/** `/people`, and everything in its modal. */
export function peopleListeners(needs: PeopleListenerNeeds): Listeners {
  return {
    commands: { [COMMAND]: (args) => onCommand(needs, args) },
    ...modalListeners(needs),
  };
}

async function onCommand(
  needs: PeopleListenerNeeds,
  { command, ack }: SlackCommandMiddlewareArgs,
): Promise<void> {
  const { user_id: user, channel_id: channel, trigger_id: trigger } = command;
  const responseUrl = command.response_url;
  const words = readWords(command.text);
  const say = (text: string) => ack({ response_type: 'ephemeral', text });
  const who = { user, channel };
  const open = async (view: () => Promise<ModalView>) => {
    await ack();
    const viewer = { user, trigger, responseUrl, otherwise: NOT_OPENED };
    await openThenShow(needs, viewer, LOADING, view);
  };
  switch (words.kind) {
    case 'help':
      return say(HELP);
    case 'unknown':
      return say(unknownWords(words.text));
    case 'me':
      await ack();
      return showMe(needs, { ...who, responseUrl });
    case 'forget': {
      await ack();
      const text = await forgetPerson(needs, words.person, who);
      return answerPerson(needs, { ...who, responseUrl }, { text });
    }
    case 'create':
      return open(() => showCreate(needs, who, words.userName));
    case 'list':
      return open(() => showAccounts(needs, who, BEGINNING));
    case 'find':
      return open(() => showAccounts(needs, who, searchFor(words.text)));
  }
}
