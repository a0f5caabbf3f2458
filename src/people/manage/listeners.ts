import type {
  BlockAction,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { answerPerson } from '../../slack/answer-person.ts';
import { type AnswerSoonNeeds, answerSoon } from '../../slack/answer-soon.ts';
import { readForm } from '../../slack/form.ts';
import type { Listeners } from '../../slack/register.ts';
import { openThenShow, showIn } from '../../slack/show-form.ts';
import { type MeNeeds, showMe } from '../me/show-me.ts';
import { type ForgetNeeds, forgetPerson } from '../pins/forget-person.ts';
import { ACTIONS, COMMAND, FORMS } from './actions.ts';
import { BEGINNING, readBrowse, searchFor } from './browse.ts';
import { FIND } from './list-view.ts';
import { noticeView } from './notice-view.ts';
import { readReference } from './read-account.ts';
import { readWords } from './read-words.ts';
import { HELP, NOT_OPENED, unknownWords } from './sentences.ts';
import { type ShowNeeds, showAccount, showAccounts } from './show-accounts.ts';

export type PeopleListenerNeeds = ShowNeeds & AnswerSoonNeeds & MeNeeds & ForgetNeeds;

type ActionArgs = SlackActionMiddlewareArgs<BlockAction>;

/** `/people`, and everything in its modal. */
export function peopleListeners(needs: PeopleListenerNeeds): Listeners {
  return {
    commands: { [COMMAND]: (args) => onCommand(needs, args) },
    actions: {
      [ACTIONS.page]: onPage(needs),
      [ACTIONS.next]: onPage(needs),
      [ACTIONS.open]: onOpen(needs),
    },
    views: { [FORMS.find]: onFind(needs) },
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
  const viewer = { user, trigger, responseUrl, otherwise: NOT_OPENED };
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
    case 'list':
    case 'find': {
      await ack();
      const browse = words.kind === 'list' ? BEGINNING : searchFor(words.text);
      await openThenShow(needs, viewer, LOADING, () => showAccounts(needs, who, browse));
    }
  }
}

function onPage(needs: PeopleListenerNeeds) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    await show(needs, body, (who) => showAccounts(needs, who, readBrowse(valueIn(body))));
  };
}

function onOpen(needs: PeopleListenerNeeds) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const browse = readBrowse(readForm(body.view).metadata);
    const reference = readReference(valueIn(body));
    await show(needs, body, (who) => showAccount(needs, who, reference, browse));
  };
}

function onFind(needs: PeopleListenerNeeds) {
  return async ({ body, view, ack }: SlackViewMiddlewareArgs<ViewSubmitAction>): Promise<void> => {
    const form = readForm(view);
    const who = { user: body.user.id, channel: '' };
    const found = showAccounts(needs, who, searchFor(form.values.get(FIND) ?? ''));
    const viewer = { user: who.user, responseUrl: null, otherwise: NOT_OPENED };
    const answer = await answerSoon(needs, form, viewer, LOADING, found);
    await ack(answer.ack);
    await answer.later?.();
  };
}

const LOADING = noticeView('Loading…');

/** In the modal that a button was pressed in. */
async function show(
  needs: PeopleListenerNeeds,
  body: BlockAction,
  view: (who: { readonly user: string; readonly channel: string }) => Promise<ModalView>,
): Promise<void> {
  const user = body.user.id;
  const modal = { id: readForm(body.view).id };
  const viewer = { user, responseUrl: null, otherwise: NOT_OPENED };
  await showIn(needs, modal, viewer, await view({ user, channel: '' }));
}

function valueIn({ actions: [action] }: BlockAction): string {
  return action?.type === 'button' ? (action.value ?? '') : '';
}
