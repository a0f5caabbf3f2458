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
import { type Form, readForm } from '../../slack/form.ts';
import type { Listeners } from '../../slack/register.ts';
import { openThenShow, showIn } from '../../slack/show-form.ts';
import { readAccountNamed } from '../change/account-named.ts';
import type { RecordNeeds } from '../change/record-change.ts';
import { type MeNeeds, showMe } from '../me/show-me.ts';
import { type ForgetNeeds, forgetPerson } from '../pins/forget-person.ts';
import { ACTIONS, COMMAND, FORMS } from './actions.ts';
import type { Asking } from './as-administrator.ts';
import { BEGINNING, readBrowse, searchFor } from './browse.ts';
import { createView } from './create-view.ts';
import { type GoOnNeeds, revise, tryAgain } from './go-on.ts';
import { FIND } from './list-view.ts';
import { noticeView } from './notice-view.ts';
import { pressActive } from './press-active.ts';
import { readWords } from './read-words.ts';
import { carriedReviewIn } from './review-view.ts';
import { HELP, NOT_OPENED, unknownWords } from './sentences.ts';
import {
  type ShowNeeds,
  showAccount,
  showAccounts,
  showCreate,
  showEdit,
} from './show-accounts.ts';
import { submitCreate, submitReview } from './submit-create.ts';
import { submitEdit } from './submit-edit.ts';

export type PeopleListenerNeeds = ShowNeeds &
  AnswerSoonNeeds &
  GoOnNeeds &
  RecordNeeds &
  MeNeeds &
  ForgetNeeds;

type ActionArgs = SlackActionMiddlewareArgs<BlockAction>;
type SubmitArgs = SlackViewMiddlewareArgs<ViewSubmitAction>;

/** `/people`, and everything in its modal. */
export function peopleListeners(needs: PeopleListenerNeeds): Listeners {
  const page = onPress(needs, (who, { value }) => showAccounts(needs, who, readBrowse(value)));
  return {
    commands: { [COMMAND]: (args) => onCommand(needs, args) },
    actions: {
      [ACTIONS.page]: page,
      [ACTIONS.next]: page,
      [ACTIONS.open]: onPress(needs, (who, { value, form }) =>
        showAccount(needs, who, readAccountNamed(value), readBrowse(form.metadata)),
      ),
      [ACTIONS.edit]: onPress(needs, (who, { value, form }) =>
        showEdit(needs, who, readAccountNamed(value), readBrowse(form.metadata)),
      ),
      [ACTIONS.create]: onPress(needs, (who) => showCreate(needs, who, '')),
      [ACTIONS.change]: onPress(needs, async (_who, { form }) =>
        createView(needs.newId(), carriedReviewIn(form.metadata).user),
      ),
      [ACTIONS.revise]: onPress(needs, ({ user }, { value, press }) =>
        revise(needs, { record: value, press, user }),
      ),
      [ACTIONS.again]: onAgain(needs),
      [ACTIONS.deactivate]: onActive(needs, 'deactivate'),
      [ACTIONS.activate]: onActive(needs, 'activate'),
    },
    views: {
      [FORMS.find]: onFind(needs),
      [FORMS.create]: onCreate(needs),
      [FORMS.review]: onSubmit((form, user) => submitReview(needs, form, user)),
      [FORMS.edit]: onSubmit((form, user) => submitEdit(needs, form, user)),
    },
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

/** A press in a modal: its value, and what the modal carries. */
interface Pressed {
  readonly value: string;
  readonly form: Form;
  /** Unique to this press. */
  readonly press: string;
}

/** A press that shows something else in the same modal. */
function onPress(
  needs: PeopleListenerNeeds,
  view: (who: Asking, pressed: Pressed) => Promise<ModalView>,
) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const form = readForm(body.view);
    const pressed = { value: valueIn(body), form, press: body.trigger_id };
    await showIn(needs, { id: form.id }, viewerOf(body), await view(whoIn(body), pressed));
  };
}

/** It is recorded before it is acknowledged; the record shows what comes of it. */
function onActive(needs: PeopleListenerNeeds, kind: 'deactivate' | 'activate') {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    const { id, hash, metadata } = readForm(body.view);
    const { view, carryOn } = await pressActive(needs, kind, {
      user: body.user.id,
      modal: { id, hash },
      browse: readBrowse(metadata),
      account: readAccountNamed(valueIn(body)),
    });
    await ack();
    carryOn();
    if (view !== undefined) await showIn(needs, { id }, viewerOf(body), view);
  };
}

/** In a modal, or in the direct message that took its place. */
function onAgain(needs: PeopleListenerNeeds) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const { user, view: modal, trigger_id: press } = body;
    const view = await tryAgain(needs, { record: valueIn(body), press, user: user.id });
    if (view === undefined) return;
    if (modal !== undefined) return showIn(needs, { id: modal.id }, viewerOf(body), view);
    await openThenShow(needs, { ...viewerOf(body), trigger: press }, LOADING, async () => view);
  };
}

function onFind(needs: PeopleListenerNeeds) {
  return async ({ body, view, ack }: SubmitArgs): Promise<void> => {
    const form = readForm(view);
    const browse = searchFor(form.values.get(FIND) ?? '');
    const found = showAccounts(needs, whoIn(body), browse);
    const answer = await answerSoon(needs, form, viewerOf(body), LOADING, found);
    await ack(answer.ack);
    await answer.later?.();
  };
}

function onCreate(needs: PeopleListenerNeeds) {
  return async ({ body, view, ack }: SubmitArgs): Promise<void> => {
    const answer = await submitCreate(needs, readForm(view), body.user.id);
    await ack(answer.ack);
    await answer.later?.();
  };
}

function onSubmit(
  submit: (form: Form, user: string) => ReturnType<typeof submitEdit>,
): (args: SubmitArgs) => Promise<void> {
  return async ({ body, view, ack }) => {
    const submitted = await submit(readForm(view), body.user.id);
    await ack(submitted.ack);
    submitted.carryOn();
  };
}

const LOADING = noticeView('Loading…');

function whoIn({ user }: { readonly user: { readonly id: string } }): Asking {
  return { user: user.id, channel: '' };
}

function viewerOf(body: Parameters<typeof whoIn>[0] & { readonly response_url?: string }) {
  const responseUrl = body.response_url || null;
  return { user: body.user.id, responseUrl, otherwise: NOT_OPENED };
}

function valueIn({ actions: [action] }: BlockAction): string {
  return action?.type === 'button' ? (action.value ?? '') : '';
}
