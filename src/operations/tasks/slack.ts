/**
 * `/move-task`: which work item (`reference.ts`), where to (`destination-form.ts`), what becomes of each
 * status and type (`answer-form.ts`), and the move itself, an operation (`move-operation.ts`). Automations
 * report items at `tasks-route.ts`.
 */

import type {
  App,
  BlockAction,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackOptionsMiddlewareArgs,
  SlackShortcutMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { throwReadError } from '../../core/people/throw-read-error.ts';
import { type Form, readForm } from '../../core/slack/form.ts';
import { messageMarkup, ownMarkup } from '../../core/slack/message-markup.ts';
import { matching, showInstead } from '../../core/slack/modal-blocks.ts';
import { pressedIn, showWhere } from '../../core/slack/pressed.ts';
import { type FormAnswer, showIn } from '../../core/slack/show-form.ts';
import { ACTIONS, FORMS } from './actions.ts';
import {
  changeStatuses,
  chooseProject,
  enterByHand,
  optionsFor,
  submitDestination,
  submitEntry,
  submitMapping,
  submitReference,
} from './answer-form.ts';
import { beginMove, kept, viewerOf } from './begin-move.ts';
import { loadingView } from './begin-views.ts';
import type { TaskDependencies } from './dependencies.ts';
import { readWords, referencesIn } from './reference.ts';
import { HELP } from './sentences.ts';
import { reviewAgain, sendAgain, submitMove } from './submit-move.ts';

type ActionArgs = SlackActionMiddlewareArgs<BlockAction>;

/** `/move-task`, its shortcut and its buttons in messages, and everything in its modal. */
export function listenToTasks(app: App, needs: TaskDependencies): void {
  app.command('/move-task', onCommand(needs));
  app.shortcut('tasks.move', onShortcut(needs));
  app.action(ACTIONS.begin, onBegin(needs));
  app.action(ACTIONS.project, onProject(needs));
  app.action(ACTIONS.enter, onEnter(needs));
  app.action(ACTIONS.change, onChange(needs));
  app.action(ACTIONS.review, onReview(needs));
  app.action(ACTIONS.again, onAgain(needs));
  app.options(ACTIONS.project, onOptions(needs));
  app.options(ACTIONS.type, onOptions(needs));
  app.options(ACTIONS.status, onOptions(needs));
  app.view(FORMS.ask, onForm(needs, submitReference));
  app.view(FORMS.entry, onForm(needs, submitEntry));
  app.view(FORMS.destination, onForm(needs, submitDestination));
  app.view(FORMS.mapping, onForm(needs, submitMapping));
  app.view(FORMS.confirm, onConfirm(needs));
}

function onCommand(needs: TaskDependencies) {
  return async ({ command, ack }: SlackCommandMiddlewareArgs): Promise<void> => {
    const words = readWords(command.text, needs.places.links.task);
    if (words.kind === 'help') return ack({ response_type: 'ephemeral', text: HELP });
    await ack();
    await beginMove(needs, {
      trigger: command.trigger_id,
      user: command.user_id,
      channel: command.channel_id,
      responseUrl: command.response_url,
      reference: words.reference,
      wanted: words.project,
    });
  };
}

/** With one item in the message nothing has to be asked. */
function onShortcut(needs: TaskDependencies) {
  return async ({ shortcut, ack }: SlackShortcutMiddlewareArgs): Promise<void> => {
    await ack();
    if (shortcut.type !== 'message_action') return;
    const within = (markup: string) => referencesIn(markup, needs.places.links.task);
    const own = within(ownMarkup(shortcut.message));
    const found = own.length > 0 ? own : within(messageMarkup(shortcut.message));
    await beginMove(needs, {
      trigger: shortcut.trigger_id,
      user: shortcut.user.id,
      channel: shortcut.channel.id,
      responseUrl: shortcut.response_url,
      reference: found.length === 1 ? (found[0] ?? null) : null,
      found,
      wanted: null,
    });
  };
}

function onBegin(needs: TaskDependencies) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    await beginMove(needs, {
      trigger: body.trigger_id,
      user: body.user.id,
      channel: body.container.channel_id,
      responseUrl: body.response_url,
      reference: pressedIn(body).value,
      wanted: null,
    });
  };
}

function onProject(needs: TaskDependencies) {
  return inModal(needs, (form) => chooseProject(needs, form));
}

function onEnter(needs: TaskDependencies) {
  return inModal(needs, (_, value) => enterByHand(needs, value));
}

function onChange(needs: TaskDependencies) {
  return inModal(needs, (_, value) => changeStatuses(needs, value));
}

/** Something that changes the modal it was used in. What cannot be read leaves that as it is, and is said beside it. */
function inModal(needs: TaskDependencies, next: (form: Form, value: string) => Promise<ModalView>) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const form = readForm(body.view);
    const viewer = viewerOf({ user: body.user.id, responseUrl: null });
    const view = await next(form, pressedIn(body).value).catch(throwReadError);
    await showIn(needs, form, viewer, view);
  };
}

function onReview(needs: TaskDependencies) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const view = () => reviewAgain(needs, pressedIn(body));
    const isInModal = body.view !== undefined;
    await showWhere(needs, body, loadingView(), () =>
      isInModal ? view().catch(throwReadError) : kept(view),
    );
  };
}

/**
 * Acknowledged when it is stored, as what is lost is not sent, or when its person was told. The move
 * itself shows what comes of it; a view only says why it is not sent.
 */
function onAgain(needs: TaskDependencies) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    const view = await sendAgain(needs, pressedIn(body));
    if (view !== undefined) await showWhere(needs, body, loadingView(), async () => view);
    await ack();
  };
}

function onForm(
  needs: TaskDependencies,
  answer: (needs: TaskDependencies, form: Form, user: string) => Promise<FormAnswer>,
) {
  return async ({ body, view, ack }: SlackViewMiddlewareArgs<ViewSubmitAction>): Promise<void> => {
    const answered = await answer(needs, readForm(view), body.user.id);
    await ack(answered.ack);
    await answered.later?.();
  };
}

function onConfirm(needs: TaskDependencies) {
  return async ({ body, view, ack }: SlackViewMiddlewareArgs<ViewSubmitAction>): Promise<void> => {
    const submitted = await submitMove(needs, readForm(view), body.user.id);
    await ack(showInstead(submitted.view));
    await submitted.carryOn();
  };
}

function onOptions(needs: TaskDependencies) {
  return async ({ body, ack }: SlackOptionsMiddlewareArgs<'block_suggestion'>): Promise<void> => {
    const { action_id: actionId, block_id: blockId, value } = body;
    const choices = await optionsFor(needs, readForm(body.view), { actionId, blockId });
    await ack({ options: matching(choices, value) });
  };
}
