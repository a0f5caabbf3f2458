/**
 * `/people` in Slack: finding, creating, changing and deactivating accounts of the service, and `/people me`. A change
 * is an operation (`change-operation.ts`) with its own rules (`change-rules.ts`). Identities are in `core/people/`.
 */

import type { SlackEventMiddlewareArgs } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { ACCEPT_ACTION, readSeen } from '../../core/people/link-conflict.ts';
import { answerPerson, presentAt } from '../../core/slack/answer-person.ts';
import { type Form, readForm } from '../../core/slack/form.ts';
import type { ActionArgs, CommandArgs, Listeners } from '../../core/slack/listeners.ts';
import { recordedAt, shownAt, submitted } from '../../core/slack/modal-listeners.ts';
import { NOT_SHOWN, pressedIn, viewerIn } from '../../core/slack/pressed.ts';
import { answerSoon, type FormAnswer, openThenShow, showIn } from '../../core/slack/show-form.ts';
import { readSlackPerson, userSchema } from '../../core/slack/slack-person.ts';
import { unescapeMrkdwn } from '../../core/slack/text.ts';
import { type AccountNamed, readAccountNamed } from './account.ts';
import { ACTIONS, LOADING, NOT_OPENED } from './account-modal.ts';
import type { Asking } from './administrator.ts';
import { BEGINNING, type Browse, readBrowse, searchFor } from './browse.ts';
import { pressActive, showAccount, showNamed } from './card.ts';
import { HELP, isOpening, type Opening, readWords, unknownWords } from './command.ts';
import {
  CREATE_FORM,
  createView,
  REVIEW_FORM,
  showCreate,
  submitCreate,
  submitReview,
} from './create.ts';
import { EDIT_FORM, showEdit, submitEdit } from './edit.ts';
import { deactivateLeaver, LEAVER_ACTION, tellOfLeaver } from './leavers.ts';
import { acceptConflict, forgetPerson } from './links.ts';
import { FIND, FIND_FORM, showAccounts } from './list.ts';
import { NOTIFY_ACTION, showMe, tellOfMe } from './me.ts';
import { revise, tryAgain } from './try-again.ts';

/** `/people`, its modal, people who leave the workspace, and the buttons in what people are told. */
export function listenToAccounts(app: Listeners, core: Core): void {
  app.command('/people', (args) => onCommand(core, args));
  app.event('user_change', (args) => onUserChange(core, args));
  app.action(ACTIONS.page, onPage(core));
  app.action(ACTIONS.next, onPage(core));
  app.action(ACTIONS.open, onOpen(core));
  app.action(ACTIONS.edit, onEdit(core));
  app.action(ACTIONS.create, onNew(core));
  app.action(ACTIONS.change, onChange(core));
  app.action(ACTIONS.revise, onRevise(core));
  app.action(ACTIONS.again, recordedAt(core, LOADING, tryAgain));
  app.action(ACTIONS.deactivate, (args) => onActive(core, 'deactivate', args));
  app.action(ACTIONS.activate, (args) => onActive(core, 'activate', args));
  app.action(ACTIONS.begin, onBegin(core));
  app.action(LEAVER_ACTION, (args) => onLeaver(core, args));
  app.action(NOTIFY_ACTION, (args) => onTell(core, args));
  app.action(ACCEPT_ACTION, (args) => onAccept(core, args));
  app.view(FIND_FORM.id, submitted(core, submitFind));
  app.view(CREATE_FORM.id, submitted(core, submitCreate));
  app.view(REVIEW_FORM.id, submitted(core, submitReview));
  app.view(EDIT_FORM.id, submitted(core, submitEdit));
}

function onPage(core: Core) {
  return onPress(core, (who, { value }) => showAccounts(core, who, readBrowse(value)));
}

function onOpen(core: Core) {
  return onPress(core, (who, { account, browse }) => showAccount(core, who, account, browse));
}

function onEdit(core: Core) {
  return onPress(core, (who, { account, browse }) => showEdit(core, who, account, browse));
}

function onNew(core: Core) {
  return onPress(core, (who) => showCreate(core, who, ''));
}

function onChange(core: Core) {
  return onPress(core, async (_who, { form }) =>
    createView(core.random.uuid(), REVIEW_FORM.carriedIn(form).user),
  );
}

function onRevise(core: Core) {
  return onPress(core, ({ user }, { value }) => revise(core, { value, user }));
}

async function onCommand(core: Core, { command, ack }: CommandArgs): Promise<void> {
  const { user_id: user, channel_id: channel, trigger_id: trigger } = command;
  const responseUrl = command.response_url;
  const words = readWords(unescapeMrkdwn(command.text));
  const say = (text: string) => ack({ response_type: 'ephemeral', text });
  const who = { user, channel };
  const open = async (view: () => Promise<ModalView>) => {
    await ack();
    const viewer = { user, trigger, responseUrl, otherwise: NOT_OPENED };
    await openThenShow(core, viewer, LOADING, view);
  };
  switch (words.kind) {
    case 'help':
      return say(HELP);
    case 'unknown':
      return say(unknownWords(words.text));
    case 'me':
      await ack();
      return showMe(core, { ...who, responseUrl });
    case 'forget': {
      await ack();
      const text = await forgetPerson(core, words.person, who);
      return answerPerson(core, { ...who, responseUrl }, { text });
    }
    default:
      return open(() => viewFor(core, who, words));
  }
}

/** The modal for an administrator's command, or for a button that stands for it. */
function viewFor(core: Core, who: Asking, words: Opening): Promise<ModalView> {
  switch (words.kind) {
    case 'create':
      return showCreate(core, who, words.userName);
    case 'list':
      return showAccounts(core, who, BEGINNING);
    case 'find':
      return showAccounts(core, who, searchFor(words.text));
    case 'card':
      return showNamed(core, who, words.text);
  }
}

/** The button in an alert about somebody whose account needs attention. */
function onBegin(core: Core) {
  return shownAt(core, LOADING, (_core, { value, user }) => {
    const words = readWords(value);
    const opening = isOpening(words) ? words : ({ kind: 'list' } as const);
    return viewFor(core, { user, channel: '' }, opening);
  });
}

/** A press in a modal: its value, and what the modal carries. */
interface Pressed {
  readonly value: string;
  readonly form: Form;
  /** undefined: the value contains none. */
  readonly account: AccountNamed | undefined;
  /** Where the person goes back to. */
  readonly browse: Browse;
}

/** A press that changes its modal. */
function onPress(core: Core, view: (who: Asking, pressed: Pressed) => Promise<ModalView>) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const form = readForm(body.view);
    const { value } = pressedIn(body);
    const account = readAccountNamed(value);
    const browse = readBrowse(form.metadata);
    const shown = await view({ user: body.user.id, channel: '' }, { value, form, account, browse });
    await showIn(core, { id: form.id }, viewerIn(body, NOT_OPENED), shown);
  };
}

/** Recorded before the acknowledgement; the record shows the result. */
async function onActive(
  core: Core,
  kind: 'deactivate' | 'activate',
  { body, ack }: ActionArgs,
): Promise<void> {
  const { id, hash, metadata } = readForm(body.view);
  const { view, carryOn } = await pressActive(core, kind, {
    user: body.user.id,
    modal: { id, hash },
    browse: readBrowse(metadata),
    account: readAccountNamed(pressedIn(body).value),
  });
  // If it was not recorded, the acknowledgement follows the explanation.
  if (view !== undefined) await showIn(core, { id }, viewerIn(body, NOT_SHOWN), view);
  await ack();
  await carryOn();
}

function submitFind(core: Core, form: Form, user: string): Promise<FormAnswer> {
  const browse = searchFor(form.values.get(FIND) ?? '');
  const found = showAccounts(core, { user, channel: '' }, browse);
  const viewer = { user, responseUrl: null, otherwise: NOT_OPENED };
  return answerSoon(core, form, viewer, LOADING, found);
}

/** Bolt acknowledges events itself; a repeated event causes one alert. */
async function onUserChange(
  core: Core,
  { event }: SlackEventMiddlewareArgs<'user_change'>,
): Promise<void> {
  const user = userSchema.safeParse(event.user).data;
  if (user !== undefined) await tellOfLeaver(core, readSlackPerson(user));
}

/** The button in an alert about somebody who left. */
async function onLeaver(core: Core, { body, ack }: ActionArgs): Promise<void> {
  const { value, press, user } = pressedIn(body);
  const account = readAccountNamed(value);
  const { text, isRecorded, carryOn } = await deactivateLeaver(core, { user, account, press });
  // If it was not recorded, the acknowledgement follows the explanation.
  if (isRecorded) await ack();
  await carryOn();
  await answerPerson(core, presentAt(body), { text, replace: isRecorded });
  if (!isRecorded) await ack();
}

/** The button in what `/people me` shows. */
async function onTell(core: Core, { body, ack }: ActionArgs): Promise<void> {
  await ack();
  await tellOfMe(core, presentAt(body));
}

/**
 * The button in an alert about an account that conflicts with a link. Acknowledged once it is stored and the person was
 * told.
 */
async function onAccept(core: Core, { body, ack }: ActionArgs): Promise<void> {
  const seen = readSeen(pressedIn(body).value);
  const present = presentAt(body);
  const { text, isDone } = await acceptConflict(core, seen, present);
  await answerPerson(core, present, { text, replace: isDone });
  await ack();
}
