/**
 * `/new-case`: from flags (`read-words.ts`), a form (`form-view.ts`) or a message, a test case is an
 * operation (`case-operation.ts`) that is sent once. Lost answers are told, and never sent again by
 * themselves. Many at once: `several/`.
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
import { RemoteFailure } from '../../core/lib/failure.ts';
import { readForm } from '../../core/slack/form.ts';
import { messageMarkup } from '../../core/slack/message-markup.ts';
import { matching } from '../../core/slack/modal-blocks.ts';
import { pressedIn, showWhere, viewerIn } from '../../core/slack/pressed.ts';
import { openThenShow, showIn } from '../../core/slack/show-form.ts';
import { ACTIONS, FORMS } from './actions.ts';
import { createNow } from './create-now.ts';
import { firstForm, type NewCaseDependencies } from './first-form.ts';
import { changeProject, optionsFor } from './form-view.ts';
import { fromMessage, fromWords, type NamesOf } from './from-message.ts';
import { readWords } from './read-words.ts';
import { LOADING } from './result-view.ts';
import { HELP, NOT_OPENED } from './sentences.ts';
import { changeLinesProject } from './several/lines-form.ts';
import { changeCase, createAgain, submitForm } from './submit-form.ts';

type ActionArgs = SlackActionMiddlewareArgs<BlockAction>;

/** `/new-case`, its shortcut, and everything in its modal. */
export function listenToTestCases(app: App, needs: NewCaseDependencies): void {
  app.command('/new-case', onCommand(needs));
  app.shortcut('test-cases.create', onShortcut(needs));
  app.action(ACTIONS.project, onProject(needs));
  app.action(ACTIONS.again, onAgain(needs));
  app.action(ACTIONS.edit, onEdit(needs));
  app.options(ACTIONS.project, onOptions(needs));
  app.options(ACTIONS.suite, onOptions(needs));
  app.view(FORMS.create, onSubmit(needs));
}

function onCommand(needs: NewCaseDependencies) {
  return async ({ command, ack }: SlackCommandMiddlewareArgs): Promise<void> => {
    const { user_id: user, channel_id: channel, trigger_id: trigger } = command;
    const words = readWords(command.text);
    const say = (text: string) => ack({ response_type: 'ephemeral', text });
    switch (words.kind) {
      case 'help':
        return say(HELP);
      case 'create': {
        const { text, carryOn } = await createNow(needs, words, { user, channel, trigger });
        await say(text);
        return carryOn();
      }
      case 'form': {
        await ack();
        const entered = async () => fromWords(words.text);
        const who = { user, trigger, responseUrl: command.response_url };
        await show(needs, who, () => firstForm(needs, { user, channel }, entered));
      }
    }
  };
}

function onShortcut(needs: NewCaseDependencies) {
  return async ({ shortcut, ack }: SlackShortcutMiddlewareArgs): Promise<void> => {
    await ack();
    if (shortcut.type !== 'message_action') return;
    const { trigger_id: trigger, response_url: responseUrl, message, message_ts: ts } = shortcut;
    const thread: string = typeof message.thread_ts === 'string' ? message.thread_ts : ts;
    const who = { user: shortcut.user.id, channel: shortcut.channel.id, thread };
    const entered = async () =>
      fromMessage(messageMarkup(message), {
        names: namesIn(needs),
        permalink: await needs.permalink(who.channel, ts),
      });
    const viewer = { user: who.user, trigger, responseUrl };
    await show(needs, viewer, () => firstForm(needs, who, entered));
  };
}

/** Whom Slack does not name in time stays unnamed: the form does not wait for them. */
function namesIn({ lookup, timers }: NewCaseDependencies): NamesOf {
  return async (ids) => {
    const signal = timers.deadline(NAMES_MS);
    const named = ids.map(async (id): Promise<[string, string][]> => {
      const person = await lookup.recent.person(id, { signal }).catch(unlessRemote);
      return person === undefined ? [] : [[id, person.displayName]];
    });
    return new Map((await Promise.all(named)).flat());
  };
}

const NAMES_MS = 2_000;

function unlessRemote(error: unknown): undefined {
  if (!(error instanceof RemoteFailure)) throw error;
}

/** The suites of the project that was just chosen. */
function onProject(needs: NewCaseDependencies) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const form = readForm(body.view);
    const change = form.callback === FORMS.several ? changeLinesProject : changeProject;
    await showIn(needs, form, viewerIn(body, NOT_OPENED), change(needs.places, form));
  };
}

/**
 * Acknowledged when it is stored, as what is lost is not sent, or when its person was told. The case
 * itself shows what comes of it; a view only says why it is not sent.
 */
function onAgain(needs: NewCaseDependencies) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    const view = await createAgain(needs, pressedIn(body));
    if (view !== undefined) await showWhere(needs, body, LOADING, async () => view);
    await ack();
  };
}

function onEdit(needs: NewCaseDependencies) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    await showWhere(needs, body, LOADING, () => changeCase(needs, pressedIn(body)));
  };
}

function onSubmit(needs: NewCaseDependencies) {
  return async ({ body, view, ack }: SlackViewMiddlewareArgs<ViewSubmitAction>): Promise<void> => {
    const submitted = await submitForm(needs, readForm(view), body.user.id);
    await ack(submitted.ack);
    await submitted.carryOn();
  };
}

function onOptions({ places }: NewCaseDependencies) {
  return async ({ body, ack }: SlackOptionsMiddlewareArgs<'block_suggestion'>): Promise<void> => {
    const { action_id: actionId, block_id: blockId, value } = body;
    await ack({ options: matching(optionsFor(places, { actionId, blockId }), value) });
  };
}

/** Opens a modal that says "Loading…", and shows the view in it when there is one. */
async function show(
  needs: NewCaseDependencies,
  who: { readonly user: string; readonly trigger: string; readonly responseUrl: string | null },
  view: () => Promise<ModalView>,
): Promise<void> {
  await openThenShow(needs, { ...who, otherwise: NOT_OPENED }, LOADING, view);
}
