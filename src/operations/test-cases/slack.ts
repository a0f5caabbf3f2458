/**
 * `/new-case`: creates a test case from flags (`read-words.ts`), a form (`form-view.ts`), a message or its thread
 * (`thread-choice.ts`), as an operation (`case-operation.ts`) that is sent once. A lost answer is reported, and the call never repeated automatically. Many
 * at once: `several/`.
 */

import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import type { CommandArgs, Listeners, ShortcutArgs } from '../../core/slack/listeners.ts';
import { messageMarkup } from '../../core/slack/message-markup.ts';
import {
  changedIn,
  listed,
  recordedAt,
  shownAt,
  submitted,
} from '../../core/slack/modal-listeners.ts';
import { openThenShow } from '../../core/slack/show-form.ts';
import { ACTIONS } from './actions.ts';
import { createNow } from './create-now.ts';
import { firstForm } from './first-form.ts';
import { CASE_FORM, changeProject, changeSuite, optionsFor } from './form-view.ts';
import { fromMessage, fromWords } from './from-message.ts';
import { placesOf } from './last-choices.ts';
import { readWords } from './read-words.ts';
import { LOADING } from './result-view.ts';
import { HELP, WORDS } from './sentences.ts';
import { changeLinesProject, LINES_FORM } from './several/lines-form.ts';
import { changeCase, createAgain, submitForm } from './submit-form.ts';
import {
  chooseThread,
  formOfMessage,
  formOfThread,
  linksTo,
  namesIn,
  usedOn,
} from './thread-choice.ts';

/** `/new-case`, its shortcut, and everything in its modal. */
export function listenToTestCases(app: Listeners, core: Core): void {
  app.command('/new-case', onCommand(core));
  app.shortcut('test-cases.create', onShortcut(core));
  app.action(ACTIONS.project, onProject(core));
  app.action(ACTIONS.suite, onSuite(core));
  app.action(ACTIONS.fromMessage, shownAt(core, LOADING, formOfMessage));
  app.action(ACTIONS.fromThread, shownAt(core, LOADING, formOfThread));
  app.action(ACTIONS.again, recordedAt(core, LOADING, createAgain));
  app.action(ACTIONS.edit, shownAt(core, LOADING, changeCase));
  for (const list of [ACTIONS.project, ACTIONS.suite]) {
    app.options(
      list,
      listed(async (form, place) => optionsFor(await placesOf(core, form), form, place)),
    );
  }
  app.view(CASE_FORM.id, submitted(core, submitForm));
}

function onCommand(core: Core) {
  return async ({ command, ack }: CommandArgs): Promise<void> => {
    const { user_id: user, channel_id: channel, trigger_id: trigger } = command;
    const words = readWords(command.text);
    const say = (text: string) => ack({ response_type: 'ephemeral', text });
    switch (words.kind) {
      case 'help':
        return say(HELP);
      case 'create': {
        const { text, carryOn } = await createNow(core, words, { user, channel, trigger });
        await say(text);
        return carryOn();
      }
      case 'form': {
        await ack();
        const entered = async () => fromWords(words.text);
        const who = { user, trigger, responseUrl: command.response_url };
        await show(core, who, () => firstForm(core, { user, channel }, entered));
      }
    }
  };
}

function onShortcut(core: Core) {
  return async ({ shortcut, ack }: ShortcutArgs): Promise<void> => {
    await ack();
    if (shortcut.type !== 'message_action') return;
    const { trigger_id: trigger, response_url: responseUrl, message } = shortcut;
    const used = usedOn(shortcut);
    const entered = async () =>
      fromMessage(messageMarkup(message), {
        names: namesIn(core),
        links: await linksTo(core, used),
      });
    const view = () =>
      used.isInThread ? chooseThread(core, used, entered) : firstForm(core, used, entered);
    await show(core, { user: used.user, trigger, responseUrl }, view);
  };
}

/** The suites of the project that was just chosen. */
function onProject(core: Core) {
  return changedIn(core, WORDS.notOpened, async (form) => {
    const change = form.callback === LINES_FORM.id ? changeLinesProject : changeProject;
    return change(await placesOf(core, form), form);
  });
}

/** An input for the id of a suite that is not listed. */
function onSuite(core: Core) {
  return changedIn(core, WORDS.notOpened, async (form) =>
    changeSuite(await placesOf(core, form), form),
  );
}

/** Opens a modal with "Loading…", and then shows the view in it. */
async function show(
  core: Core,
  who: { readonly user: string; readonly trigger: string; readonly responseUrl: string | null },
  view: () => Promise<ModalView>,
): Promise<void> {
  await openThenShow(core, { ...who, otherwise: WORDS.notOpened }, LOADING, view);
}
