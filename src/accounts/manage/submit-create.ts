import { cleanLine } from '../../lib/clean-line.ts';
import { RemoteFailure } from '../../lib/failure.ts';
import type { NewUser } from '../../service/create-user.ts';
import type { UsersClient } from '../../service/service-client.ts';
import type { Form } from '../../slack/form.ts';
import { showError, showInstead } from '../../slack/modal-blocks.ts';
import { type AnswerSoonNeeds, answerSoon, type FormAnswer } from '../../slack/show-form.ts';
import { escapeMrkdwn } from '../../slack/text.ts';
import { TEXT_ATTRIBUTES } from '../attributes.ts';
import type { RecordNeeds } from '../change/record-change.ts';
import { foreseeProvisioning } from '../provisioning.ts';
import { troubleOf, troubleSentence } from '../trouble.ts';
import { type AdministratorNeeds, asAdministrator } from './as-administrator.ts';
import { blockOf, textsIn } from './attribute-inputs.ts';
import { BEGINNING, writeBrowse } from './browse.ts';
import { createView } from './create-view.ts';
import { noticeView } from './notice-view.ts';
import { recordSubmitted, type Submitted } from './record-submitted.ts';
import { carriedReviewIn, reviewView } from './review-view.ts';
import { FORM_OLD, NO_ADDRESS, NOT_OPENED } from './sentences.ts';

export interface CreateNeeds extends AdministratorNeeds, AnswerSoonNeeds {
  readonly newId: () => string;
}

const ADDRESS = /^[^\s@]+@[^\s@]+$/u;

/** The form was submitted: what creating would do is looked up and shown. Nothing is sent. */
export async function submitCreate(
  needs: CreateNeeds,
  form: Form,
  user: string,
): Promise<FormAnswer> {
  const key = form.metadata;
  const wanted = newUserIn(form, key);
  if (!ADDRESS.test(wanted.userName))
    return { ack: showError(blockOf('userName', key), NO_ADDRESS) };
  const view = asAdministrator(needs, { user, channel: '' }, BEGINNING, (users) =>
    review(users, wanted, needs.newId),
  );
  const viewer = { user, responseUrl: null, otherwise: NOT_OPENED };
  return answerSoon(needs, form, viewer, noticeView('Looking…'), view);
}

async function review(users: UsersClient, wanted: NewUser, newId: () => string) {
  try {
    return reviewView(wanted, await foreseeProvisioning(users, wanted), newId());
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    // What was entered stays.
    return createView(newId(), wanted, troubleSentence(troubleOf(error), escapeMrkdwn));
  }
}

/** Only what was entered. */
function newUserIn(form: Form, key: string): NewUser {
  const texts = textsIn(form, key);
  const names = TEXT_ATTRIBUTES.filter((name) => texts[name] !== '');
  const userName = cleanLine(form.values.get(blockOf('userName', key)) ?? '');
  return { ...Object.fromEntries(names.map((name) => [name, texts[name]])), userName };
}

/** What would happen was read and is wanted: recorded before Slack hears of it. */
export async function submitReview(
  needs: RecordNeeds & Pick<CreateNeeds, 'newId'>,
  form: Form,
  user: string,
): Promise<Submitted> {
  const { user: wanted, foreseen, key } = carriedReviewIn(form.metadata);
  if (foreseen === null) return { ack: showInstead(noticeView(FORM_OLD)), carryOn() {} };
  const wish = { kind: 'create', user: wanted, foreseen } as const;
  const browse = writeBrowse(BEGINNING);
  const asked = { by: user, wish, browse, modal: form.id, isShown: true };
  return recordSubmitted(needs, asked, key, (sentence) =>
    showInstead(createView(needs.newId(), wanted, sentence)),
  );
}
