/**
 * Several test cases from pasted lines: parsed (`read-lines.ts`), previewed (`lines-form.ts`), then one record whose
 * lines are sent one after the other (`batch-flow.ts`), each with its own outcome.
 */

import type { ModalView } from '@slack/types';
import type { Core } from '../../../core/core.ts';
import type { Form } from '../../../core/slack/form.ts';
import type { Listeners } from '../../../core/slack/listeners.ts';
import { changedIn, recordedAt, shownAt, submitted } from '../../../core/slack/modal-listeners.ts';
import { ACTIONS } from '../actions.ts';
import type { TestPlaces } from '../catalogue.ts';
import { placesOf } from '../last-choices.ts';
import { LOADING, noticeView } from '../result-view.ts';
import { WORDS } from '../sentences.ts';
import { LINES_FORM, moreLines, severalInstead } from './lines-form.ts';
import { changeFailed, pressBatch } from './press-batch.ts';
import { submitLines } from './submit-lines.ts';

/** The buttons of the form and the message for several test cases. */
export function listenToSeveralTestCases(app: Listeners, core: Core): void {
  app.action(ACTIONS.several, onForm(core, severalInstead));
  app.action(ACTIONS.moreLines, onForm(core, moreLines));
  const { againFailed, againOne, pageBefore, pageAfter } = ACTIONS;
  for (const action of [againFailed, againOne, pageBefore, pageAfter]) {
    app.action(action, onPress(core));
  }
  app.action(ACTIONS.changeLines, shownAt(core, LOADING, changeFailed));
  app.view(LINES_FORM.id, submitted(core, submitLines));
}

/** Another form with the entered values. */
function onForm(core: Core, change: (places: TestPlaces, form: Form) => ModalView) {
  return changedIn(core, WORDS.notOpened, async (form) => change(await placesOf(core, form), form));
}

/** Stored before the acknowledgement; the message shows the result. */
function onPress(core: Core) {
  return recordedAt(core, LOADING, async (_core, press) => {
    const said = await pressBatch(core, press);
    return said === undefined ? undefined : noticeView(said);
  });
}
