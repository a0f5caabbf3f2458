import type {
  BlockAction,
  SlackActionMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { type Form, readForm } from '../../../slack/form.ts';
import { pressedIn, showWhere } from '../../../slack/pressed.ts';
import type { Listeners } from '../../../slack/register.ts';
import { type AnswerSoonNeeds, answerSoon, showIn } from '../../../slack/show-form.ts';
import { readAccountNamed } from '../../change/account-named.ts';
import type { RecordNeeds } from '../../change/record-change.ts';
import { ACTIONS, FORMS } from '../actions.ts';
import type { Asking } from '../as-administrator.ts';
import { readBrowse, searchFor } from '../browse.ts';
import { createView } from '../create-view.ts';
import { type GoOnNeeds, revise, tryAgain } from '../go-on.ts';
import { FIND } from '../list-view.ts';
import { LOADING } from '../notice-view.ts';
import { pressActive } from '../press-active.ts';
import { carriedReviewIn } from '../review-view.ts';
import { NOT_OPENED } from '../sentences.ts';
import {
  type ShowNeeds,
  showAccount,
  showAccounts,
  showCreate,
  showEdit,
} from '../show-accounts.ts';
import { submitCreate, submitReview } from '../submit-create.ts';
import { submitEdit } from '../submit-edit.ts';

export type ModalNeeds = ShowNeeds & AnswerSoonNeeds & GoOnNeeds & RecordNeeds;

type ActionArgs = SlackActionMiddlewareArgs<BlockAction>;
type SubmitArgs = SlackViewMiddlewareArgs<ViewSubmitAction>;

/** Everything in the modal of `/people`. */
export function modalListeners(needs: ModalNeeds): Listeners {
  const page = onPress(needs, (who, { value }) => showAccounts(needs, who, readBrowse(value)));
  return {
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
        revise(needs, { value, press, user }),
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

/** A press in a modal: its value, and what the modal carries. */
interface Pressed {
  readonly value: string;
  readonly form: Form;
  /** Unique to this press. */
  readonly press: string;
}

/** A press that shows something else in the same modal. */
function onPress(needs: ModalNeeds, view: (who: Asking, pressed: Pressed) => Promise<ModalView>) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const form = readForm(body.view);
    const { value, press } = pressedIn(body);
    const pressed = { value, form, press };
    await showIn(needs, { id: form.id }, viewerOf(body), await view(whoIn(body), pressed));
  };
}

/** It is recorded before it is acknowledged; the record shows what comes of it. */
function onActive(needs: ModalNeeds, kind: 'deactivate' | 'activate') {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    const { id, hash, metadata } = readForm(body.view);
    const { view, carryOn } = await pressActive(needs, kind, {
      user: body.user.id,
      modal: { id, hash },
      browse: readBrowse(metadata),
      account: readAccountNamed(pressedIn(body).value),
    });
    // What is not recorded is acknowledged once its person was told.
    if (view !== undefined) await showIn(needs, { id }, viewerOf(body), view);
    await ack();
    carryOn();
  };
}

/**
 * In a modal, or in the direct message that took its place; stored, or told to its person, before it is
 * acknowledged.
 */
function onAgain(needs: ModalNeeds) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    const { value, press, user } = pressedIn(body);
    const view = await tryAgain(needs, { value, press, user });
    if (view !== undefined) await showWhere(needs, body, MEANWHILE, async () => view);
    await ack();
  };
}

function onFind(needs: ModalNeeds) {
  return async ({ body, view, ack }: SubmitArgs): Promise<void> => {
    const form = readForm(view);
    const browse = searchFor(form.values.get(FIND) ?? '');
    const found = showAccounts(needs, whoIn(body), browse);
    const answer = await answerSoon(needs, form, viewerOf(body), LOADING, found);
    await ack(answer.ack);
    await answer.later?.();
  };
}

function onCreate(needs: ModalNeeds) {
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

function whoIn({ user }: { readonly user: { readonly id: string } }): Asking {
  return { user: user.id, channel: '' };
}

function viewerOf(body: Parameters<typeof whoIn>[0] & { readonly response_url?: string }) {
  const responseUrl = body.response_url || null;
  return { user: body.user.id, responseUrl, otherwise: NOT_OPENED };
}

const MEANWHILE = { loading: LOADING, otherwise: NOT_OPENED };
