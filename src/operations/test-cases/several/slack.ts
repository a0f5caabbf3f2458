/**
 * Several test cases at once, from pasted lines: read (`read-lines.ts`), previewed (`lines-form.ts`), then
 * one record whose lines are sent one after the other (`batch-flow.ts`), each with an end of its own.
 */

import type {
  App,
  BlockAction,
  SlackActionMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { type Form, readForm } from '../../../core/slack/form.ts';
import { pressedIn, showWhere, viewerIn } from '../../../core/slack/pressed.ts';
import { showIn } from '../../../core/slack/show-form.ts';
import { ACTIONS, FORMS } from '../actions.ts';
import type { TestPlaces } from '../catalogue.ts';
import type { NewCaseDependencies } from '../first-form.ts';
import { LOADING, noticeView } from '../result-view.ts';
import { NOT_OPENED } from '../sentences.ts';
import { moreLines, severalInstead } from './lines-form.ts';
import { changeFailed, pressBatch } from './press-batch.ts';
import { submitLines } from './submit-lines.ts';

/** Several test cases at once: everything in their form and in their message. */
export function listenToSeveralTestCases(app: App, needs: NewCaseDependencies): void {
  app.action(ACTIONS.several, onForm(needs, severalInstead));
  app.action(ACTIONS.moreLines, onForm(needs, moreLines));
  app.action(ACTIONS.againFailed, onPress(needs));
  app.action(ACTIONS.againOne, onPress(needs));
  app.action(ACTIONS.pageBefore, onPress(needs));
  app.action(ACTIONS.pageAfter, onPress(needs));
  app.action(ACTIONS.changeLines, onChange(needs));
  app.view(FORMS.several, onSubmit(needs));
}

type ActionArgs = SlackActionMiddlewareArgs<BlockAction>;

/** Another form, with what is entered. */
function onForm(needs: NewCaseDependencies, change: (places: TestPlaces, form: Form) => ModalView) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const form = readForm(body.view);
    await showIn(needs, form, viewerIn(body, NOT_OPENED), change(needs.places, form));
  };
}

/** Stored before it is acknowledged; the message shows what comes of it. */
function onPress(needs: NewCaseDependencies) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    const said = await pressBatch(needs, pressedIn(body));
    // What is not stored is acknowledged once its person was told.
    if (said !== undefined) await showWhere(needs, body, LOADING, async () => noticeView(said));
    await ack();
  };
}

function onChange(needs: NewCaseDependencies) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    await showWhere(needs, body, LOADING, () => changeFailed(needs, pressedIn(body)));
  };
}

function onSubmit(needs: NewCaseDependencies) {
  return async ({ body, view, ack }: SlackViewMiddlewareArgs<ViewSubmitAction>): Promise<void> => {
    const submitted = await submitLines(needs, readForm(view), body.user.id);
    await ack(submitted.ack);
    await submitted.carryOn();
  };
}
