/**
 * Several test cases from pasted lines: parsed (`read-lines.ts`), previewed (`lines-form.ts`), then one record whose
 * lines are sent one after the other (`case-batch.ts`), each with its own outcome.
 */

import type { ModalView } from '@slack/types';
import type { Core } from '../../../core/core.ts';
import type { Form } from '../../../core/slack/form.ts';
import type { Listeners } from '../../../core/slack/listeners.ts';
import { changedIn, recordedAt, shownAt, submitted } from '../../../core/slack/modal-listeners.ts';
import { unlessAway } from '../../../core/store/unless-away.ts';
import { ownBatch, pressBatch } from '../../batch/press-batch.ts';
import type { Press } from '../../flow/ask.ts';
import { NOT_STORED, NOT_YOURS } from '../../flow/words.ts';
import { ACTIONS } from '../actions.ts';
import type { TestPlaces } from '../catalogue.ts';
import { whereOf } from '../form-view.ts';
import { placesOf } from '../last-choices.ts';
import { LOADING, noticeView } from '../result-view.ts';
import { WORDS } from '../sentences.ts';
import { CASE_BATCH } from './case-batch.ts';
import { formOfLines, LINES_FORM, moreLines, severalInstead } from './lines-form.ts';
import { PRESS_WORDS } from './sentences.ts';
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
    const said = await pressBatch(core, CASE_BATCH, PRESS_WORDS, press);
    return said === undefined ? undefined : noticeView(said);
  });
}

/** A form to change the lines that were certainly not created. */
export function changeFailed(
  { store, config: places }: Core,
  { value, user }: Press,
): Promise<ModalView> {
  const form = async () => {
    const found = await ownBatch(store, CASE_BATCH, value, user);
    if (found === 'gone') return noticeView(WORDS.gone);
    if (found === 'not-theirs') return noticeView(NOT_YOURS);
    const { phase, place } = found;
    // Lines in flight would be created twice.
    if (phase.name !== 'done') return noticeView(PRESS_WORDS.underWay);
    const lines = found.lines.filter((line) => CASE_BATCH.repeats(line).includes('again'));
    return formOfLines(places, whereOf(found), { ...place, lines });
  };
  return unlessAway(form(), noticeView(NOT_STORED));
}
