import type {
  BlockAction,
  SlackActionMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { type Form, readForm } from '../../slack/form.ts';
import { pressedIn, showWhere, viewerIn } from '../../slack/pressed.ts';
import type { Listeners } from '../../slack/register.ts';
import { showIn } from '../../slack/show-form.ts';
import { ACTIONS, FORMS } from '../actions.ts';
import type { TestPlaces } from '../catalogue.ts';
import { MEANWHILE, noticeView } from '../result-view.ts';
import { NOT_OPENED } from '../sentences.ts';
import type { CaseListenerNeeds } from '../slack.ts';
import { moreLines, severalInstead } from './lines-form.ts';
import { changeFailed, pressBatch } from './press-batch.ts';
import { submitLines } from './submit-lines.ts';

/** What creating several test cases listens to: everything in its form and in its message. */
export function severalListeners(needs: CaseListenerNeeds): Listeners {
  const press = onPress(needs);
  return {
    actions: {
      [ACTIONS.several]: onForm(needs, severalInstead),
      [ACTIONS.moreLines]: onForm(needs, moreLines),
      [ACTIONS.againFailed]: press,
      [ACTIONS.againOne]: press,
      [ACTIONS.pageBefore]: press,
      [ACTIONS.pageAfter]: press,
      [ACTIONS.changeLines]: onChange(needs),
    },
    views: { [FORMS.several]: onSubmit(needs) },
  };
}

type ActionArgs = SlackActionMiddlewareArgs<BlockAction>;

/** Another form, with what is entered. */
function onForm(needs: CaseListenerNeeds, change: (places: TestPlaces, form: Form) => ModalView) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const form = readForm(body.view);
    await showIn(needs, form, viewerIn(body, NOT_OPENED), change(needs.places, form));
  };
}

/** Stored before it is acknowledged; the message shows what comes of it. */
function onPress(needs: CaseListenerNeeds) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    const said = await pressBatch(needs, pressedIn(body));
    // What is not stored is acknowledged once its person was told.
    if (said !== undefined) await showWhere(needs, body, MEANWHILE, async () => noticeView(said));
    await ack();
  };
}

function onChange(needs: CaseListenerNeeds) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    await showWhere(needs, body, MEANWHILE, () => changeFailed(needs, pressedIn(body)));
  };
}

function onSubmit(needs: CaseListenerNeeds) {
  return async ({ body, view, ack }: SlackViewMiddlewareArgs<ViewSubmitAction>): Promise<void> => {
    const submitted = await submitLines(needs, readForm(view), body.user.id);
    await ack(submitted.ack);
    await submitted.carryOn();
  };
}
