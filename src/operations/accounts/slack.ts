/**
 * What `/people` does in Slack: finding, creating, changing and deactivating accounts of the service, and
 * `/people me`. A change is an operation (`change-operation.ts`), with rules of its own (`change-rules.ts`).
 * Who somebody is in the service stands in `people/`.
 */

import type {
  App,
  BlockAction,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackEventMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { ACCEPT_ACTION, readSeen } from '../../core/people/link-conflict.ts';
import { answerPerson, presentAt } from '../../core/slack/answer-person.ts';
import { type Form, readForm } from '../../core/slack/form.ts';
import { NOT_SHOWN, pressedIn, showWhere, viewerIn } from '../../core/slack/pressed.ts';
import { answerSoon, openThenShow, showIn } from '../../core/slack/show-form.ts';
import { readSlackPerson, userSchema } from '../../core/slack/slack-person.ts';
import { unescapeMrkdwn } from '../../core/slack/text.ts';
import { type AccountNamed, readAccountNamed } from './account.ts';
import { ACTIONS, FORMS, LOADING, NOT_OPENED } from './account-modal.ts';
import type { Asking } from './administrator.ts';
import { BEGINNING, type Browse, readBrowse, searchFor } from './browse.ts';
import { pressActive, showAccount, showNamed } from './card.ts';
import { HELP, isOpening, type Opening, readWords, unknownWords } from './command.ts';
import { carriedReviewIn, createView, showCreate, submitCreate, submitReview } from './create.ts';
import type { AccountsDependencies } from './dependencies.ts';
import { showEdit, submitEdit } from './edit.ts';
import { deactivateLeaver, LEAVER_ACTION, tellOfLeaver } from './leavers.ts';
import { acceptConflict, forgetPerson } from './links.ts';
import { FIND, showAccounts } from './list.ts';
import { NOTIFY_ACTION, showMe, tellOfMe } from './me.ts';
import { revise, tryAgain } from './try-again.ts';

type ActionArgs = SlackActionMiddlewareArgs<BlockAction>;
type SubmitArgs = SlackViewMiddlewareArgs<ViewSubmitAction>;

/** `/people`, its modal, people who leave the workspace, and the buttons in what people are told. */
export function listenToAccounts(app: App, needs: AccountsDependencies): void {
  app.command('/people', (args) => onCommand(needs, args));
  app.event('user_change', (args) => onUserChange(needs, args));
  app.action(ACTIONS.page, onPage(needs));
  app.action(ACTIONS.next, onPage(needs));
  app.action(ACTIONS.open, onOpen(needs));
  app.action(ACTIONS.edit, onEdit(needs));
  app.action(ACTIONS.create, onNew(needs));
  app.action(ACTIONS.change, onChange(needs));
  app.action(ACTIONS.revise, onRevise(needs));
  app.action<BlockAction>(ACTIONS.again, (args) => onAgain(needs, args));
  app.action<BlockAction>(ACTIONS.deactivate, (args) => onActive(needs, 'deactivate', args));
  app.action<BlockAction>(ACTIONS.activate, (args) => onActive(needs, 'activate', args));
  app.action<BlockAction>(ACTIONS.begin, (args) => onBegin(needs, args));
  app.action<BlockAction>(LEAVER_ACTION, (args) => onLeaver(needs, args));
  app.action<BlockAction>(NOTIFY_ACTION, (args) => onTell(needs, args));
  app.action<BlockAction>(ACCEPT_ACTION, (args) => onAccept(needs, args));
  app.view<ViewSubmitAction>(FORMS.find, (args) => onFind(needs, args));
  app.view<ViewSubmitAction>(FORMS.create, (args) => onCreate(needs, args));
  app.view(FORMS.review, onReview(needs));
  app.view(FORMS.edit, onEdited(needs));
}

function onPage(needs: AccountsDependencies) {
  return onPress(needs, (who, { value }) => showAccounts(needs, who, readBrowse(value)));
}

function onOpen(needs: AccountsDependencies) {
  return onPress(needs, (who, { account, browse }) => showAccount(needs, who, account, browse));
}

function onEdit(needs: AccountsDependencies) {
  return onPress(needs, (who, { account, browse }) => showEdit(needs, who, account, browse));
}

function onNew(needs: AccountsDependencies) {
  return onPress(needs, (who) => showCreate(needs, who, ''));
}

function onChange(needs: AccountsDependencies) {
  return onPress(needs, async (_who, { form }) =>
    createView(needs.newId(), carriedReviewIn(form.metadata).user),
  );
}

function onRevise(needs: AccountsDependencies) {
  return onPress(needs, ({ user }, { value }) => revise(needs, { value, user }));
}

async function onCommand(
  needs: AccountsDependencies,
  { command, ack }: SlackCommandMiddlewareArgs,
): Promise<void> {
  const { user_id: user, channel_id: channel, trigger_id: trigger } = command;
  const responseUrl = command.response_url;
  const words = readWords(unescapeMrkdwn(command.text));
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
    default:
      return open(() => viewFor(needs, who, words));
  }
}

/** What opens for an administrator who typed it, or pressed a button that stands for it. */
function viewFor(needs: AccountsDependencies, who: Asking, words: Opening): Promise<ModalView> {
  switch (words.kind) {
    case 'create':
      return showCreate(needs, who, words.userName);
    case 'list':
      return showAccounts(needs, who, BEGINNING);
    case 'find':
      return showAccounts(needs, who, searchFor(words.text));
    case 'card':
      return showNamed(needs, who, words.text);
  }
}

/** The button in what administrators are told of somebody whose account needs them. */
async function onBegin(needs: AccountsDependencies, { body, ack }: ActionArgs): Promise<void> {
  await ack();
  const words = readWords(pressedIn(body).value);
  const opening = isOpening(words) ? words : ({ kind: 'list' } as const);
  await showWhere(needs, body, LOADING, () => viewFor(needs, whoIn(body), opening));
}

/** A press in a modal: its value, and what the modal carries. */
interface Pressed {
  readonly value: string;
  readonly form: Form;
  /** Unique to this press. */
  readonly press: string;
  /** undefined: the value names none. */
  readonly account: AccountNamed | undefined;
  /** Where the person goes back to. */
  readonly browse: Browse;
}

/** A press that shows something else in the same modal. */
function onPress(
  needs: AccountsDependencies,
  view: (who: Asking, pressed: Pressed) => Promise<ModalView>,
) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const form = readForm(body.view);
    const { value, press } = pressedIn(body);
    const account = readAccountNamed(value);
    const browse = readBrowse(form.metadata);
    const shown = await view(whoIn(body), { value, form, press, account, browse });
    await showIn(needs, { id: form.id }, viewerOf(body), shown);
  };
}

/** It is recorded before it is acknowledged; the record shows what comes of it. */
async function onActive(
  needs: AccountsDependencies,
  kind: 'deactivate' | 'activate',
  { body, ack }: ActionArgs,
): Promise<void> {
  const { id, hash, metadata } = readForm(body.view);
  const { view, carryOn } = await pressActive(needs, kind, {
    user: body.user.id,
    modal: { id, hash },
    browse: readBrowse(metadata),
    account: readAccountNamed(pressedIn(body).value),
  });
  // What is not recorded is acknowledged once its person was told.
  if (view !== undefined) await showIn(needs, { id }, viewerIn(body, NOT_SHOWN), view);
  await ack();
  await carryOn();
}

/**
 * In a modal, or in the direct message that took its place; stored, or told to its person, before it is
 * acknowledged.
 */
async function onAgain(needs: AccountsDependencies, { body, ack }: ActionArgs): Promise<void> {
  const { value, press, user } = pressedIn(body);
  const view = await tryAgain(needs, { value, press, user });
  if (view !== undefined) await showWhere(needs, body, LOADING, async () => view);
  await ack();
}

async function onFind(needs: AccountsDependencies, { body, view, ack }: SubmitArgs): Promise<void> {
  const form = readForm(view);
  const browse = searchFor(form.values.get(FIND) ?? '');
  const found = showAccounts(needs, whoIn(body), browse);
  const answer = await answerSoon(needs, form, viewerOf(body), LOADING, found);
  await ack(answer.ack);
  await answer.later?.();
}

async function onCreate(
  needs: AccountsDependencies,
  { body, view, ack }: SubmitArgs,
): Promise<void> {
  const answer = await submitCreate(needs, readForm(view), body.user.id);
  await ack(answer.ack);
  await answer.later?.();
}

function onReview(needs: AccountsDependencies) {
  return onSubmit((form, user) => submitReview(needs, form, user));
}

function onEdited(needs: AccountsDependencies) {
  return onSubmit((form, user) => submitEdit(needs, form, user));
}

function onSubmit(
  submit: (form: Form, user: string) => ReturnType<typeof submitEdit>,
): (args: SubmitArgs) => Promise<void> {
  return async ({ body, view, ack }) => {
    const submitted = await submit(readForm(view), body.user.id);
    await ack(submitted.ack);
    await submitted.carryOn();
  };
}

/** Bolt acknowledges events by itself; one that comes twice is told once. */
async function onUserChange(
  needs: AccountsDependencies,
  { event }: SlackEventMiddlewareArgs<'user_change'>,
): Promise<void> {
  const user = userSchema.safeParse(event.user).data;
  if (user !== undefined) await tellOfLeaver(needs, readSlackPerson(user));
}

/** The button in what administrators are told of somebody who left. */
async function onLeaver(needs: AccountsDependencies, { body, ack }: ActionArgs): Promise<void> {
  const { value, press, user } = pressedIn(body);
  const account = readAccountNamed(value);
  const { text, isRecorded, carryOn } = await deactivateLeaver(needs, { user, account, press });
  // What is not recorded is acknowledged once its person was told.
  if (isRecorded) await ack();
  await carryOn();
  await answerPerson(needs, presentAt(body), { text, replace: isRecorded });
  if (!isRecorded) await ack();
}

/** The button in what `/people me` shows. */
async function onTell(needs: AccountsDependencies, { body, ack }: ActionArgs): Promise<void> {
  await ack();
  await tellOfMe(needs, presentAt(body));
}

/**
 * The button in what administrators are told of an account that does not agree with a link. It is stored,
 * and told to its person, before it is acknowledged.
 */
async function onAccept(needs: AccountsDependencies, { body, ack }: ActionArgs): Promise<void> {
  const seen = readSeen(pressedIn(body).value);
  const present = presentAt(body);
  const { text, isDone } = await acceptConflict(needs, seen, present);
  await answerPerson(needs, present, { text, replace: isDone });
  await ack();
}

function whoIn({ user }: { readonly user: { readonly id: string } }): Asking {
  return { user: user.id, channel: '' };
}

function viewerOf(body: Parameters<typeof whoIn>[0] & { readonly response_url?: string }) {
  const responseUrl = body.response_url || null;
  return { user: body.user.id, responseUrl, otherwise: NOT_OPENED };
}
