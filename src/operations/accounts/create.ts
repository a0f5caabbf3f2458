import type { KnownBlock, ModalView } from '@slack/types';
import * as z from 'zod';
import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { emailProblem, NO_EMAIL, readEmail } from '../../core/lib/read-email.ts';
import type { NewUser } from '../../core/service/create-user.ts';
import type { UsersClient } from '../../core/service/service-client.ts';
import { actions, button, context, fields, section } from '../../core/slack/blocks.ts';
import { defineForm, type Form } from '../../core/slack/form.ts';
import {
  input,
  METADATA_MAX,
  showError,
  showInstead,
  textInput,
} from '../../core/slack/modal-blocks.ts';
import { answerSoon, type FormAnswer } from '../../core/slack/show-form.ts';
import { inertText } from '../../core/slack/text.ts';
import { ATTRIBUTES, accountNamed, TEXT_ATTRIBUTES } from './account.ts';
import { attributeInputs, blockOf, recordSubmitted, textsIn } from './account-form.ts';
import { ACTIONS, NOT_OPENED, noticeView, openButton, shown, TITLES } from './account-modal.ts';
import { type Asking, asAdministrator } from './administrator.ts';
import { BEGINNING, writeBrowse } from './browse.ts';
import {
  foreseenIn,
  foreseeProvisioning,
  type Provisioning,
  provisioningSentence,
} from './provisioning.ts';
import { troubleOf, troubleSentence } from './trouble.ts';

/** The form for a new account. */
export function showCreate(core: Core, who: Asking, userName: string): Promise<ModalView> {
  return asAdministrator(core, who, BEGINNING, async () =>
    createView(core.random.uuid(), { userName: userName.slice(0, ADDRESS_MAX) }),
  );
}

const ADDRESS_MAX = 254;

const WHAT_HAPPENS =
  'Nothing is sent yet. The preview shows what would happen. Empty fields are not sent; without a name the service derives one from the address.';

/** key: unique to this form. */
export const CREATE_FORM = defineForm({
  id: 'people.create-form',
  title: TITLES.create,
  carried: z.strictObject({ key: z.string() }),
});

/** The form for a new account. `key`: unique to this form. */
export function createView(key: string, entered: Partial<NewUser>, note?: string): ModalView {
  const { userName = '', active, ...texts } = entered;
  const address = textInput('people.userName', {
    max_length: ADDRESS_MAX,
    hint: 'ana@example.com',
    ...(userName !== '' && { initial_value: userName }),
  });
  return CREATE_FORM.view(
    { key },
    {
      submit: 'Preview',
      blocks: [
        ...(note === undefined ? [] : [section(note)]),
        input(blockOf('userName', key), 'E-mail (userName)', address),
        ...attributeInputs(TEXT_ATTRIBUTES, texts, key),
        context(WHAT_HAPPENS),
      ],
    },
  );
}

/** Handles the submitted form: shows a preview of what creating would do. Nothing is sent. */
export async function submitCreate(core: Core, form: Form, user: string): Promise<FormAnswer> {
  const { key } = CREATE_FORM.carriedIn(form);
  const wanted = newUserIn(form, key);
  const problem = emailProblem(wanted.userName);
  if (problem !== null) {
    const sentence = problem === NO_EMAIL ? NO_ADDRESS : `The address ${problem}.`;
    return { ack: showError(blockOf('userName', key), sentence) };
  }
  const view = asAdministrator(core, { user, channel: '' }, BEGINNING, (users) =>
    review(users, wanted, () => core.random.uuid()),
  );
  const viewer = { user, responseUrl: null, otherwise: NOT_OPENED };
  return answerSoon(core, form, viewer, noticeView('Checking…', [], TITLES.create), view);
}

async function review(users: UsersClient, wanted: NewUser, newId: () => string) {
  try {
    return reviewView(wanted, await foreseeProvisioning(users, wanted), newId());
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    // What was entered stays.
    return createView(newId(), wanted, troubleSentence(troubleOf(error), inertText));
  }
}

/** Without empty values. */
function newUserIn(form: Form, key: string): NewUser {
  const texts = textsIn(form, key);
  const names = TEXT_ATTRIBUTES.filter((name) => texts[name] !== '');
  const userName = readEmail(form.values.get(blockOf('userName', key)) ?? '').address;
  return { ...Object.fromEntries(names.map((name) => [name, texts[name]])), userName };
}

/** Handles the submitted preview: recorded before the acknowledgement. */
export async function submitReview(core: Core, form: Form, user: string): Promise<FormAnswer> {
  const { user: wanted, foreseen, key } = REVIEW_FORM.carriedIn(form);
  if (foreseen === null) return { ack: showInstead(noticeView(FORM_OLD, [], TITLES.create)) };
  const change = { kind: 'create', user: wanted, foreseen } as const;
  const wish = { change, browse: writeBrowse(BEGINNING) };
  return recordSubmitted(core, { by: user, wish, key }, form, (sentence) =>
    showInstead(createView(core.random.uuid(), wanted, sentence)),
  );
}

const text = z.string().exactOptional();
/** Short names, because it has to fit into what a modal carries. */
const carried = z.strictObject({
  user: z.strictObject({
    userName: z.string(),
    displayName: text,
    formattedName: text,
    givenName: text,
    familyName: text,
    title: text,
    department: text,
    externalId: text,
  }),
  foreseen: z
    .strictObject({ kind: z.enum(['new', 'link', 'reactivate']), id: z.string().nullable() })
    .nullable(),
  key: z.string(),
});

/** Previews what creating would do; `foreseen` null: it cannot be created. */
export const REVIEW_FORM = defineForm({ id: 'people.review', title: TITLES.create, carried });

const SUBMITS = { new: 'Create', link: 'Link', reactivate: 'Re-activate' } as const;

/** A preview of what creating would do. */
export function reviewView(
  user: NewUser,
  provisioning: Provisioning,
  key: string,
  note?: string,
): ModalView {
  const whole = { user, foreseen: foreseenIn(provisioning), key };
  // If the preview does not fit into the modal, it could not be compared later, so nothing can be created.
  const isWhole = JSON.stringify(whole).length <= METADATA_MAX;
  const foreseen = isWhole ? whole.foreseen : null;
  const would = provisioningSentence(provisioning, user.userName, shown);
  const open =
    'account' in provisioning ? openButton(accountNamed(provisioning.account)) : undefined;
  const set = TEXT_ATTRIBUTES.filter((name) => user[name] !== undefined);
  const blocks: KnownBlock[] = [
    ...(note === undefined ? [] : [section(note)]),
    section(would),
    ...(set.length === 0
      ? []
      : [fields(set.map((name) => `*${ATTRIBUTES[name].name}*\n${shown(user[name] ?? '')}`))]),
    actions('people.review', [
      button(ACTIONS.change, 'Change it', 'form'),
      ...(open === undefined ? [] : [open]),
    ]),
  ];
  return REVIEW_FORM.view(
    { user, foreseen, key },
    {
      ...(foreseen !== null && { submit: SUBMITS[foreseen.kind] }),
      blocks,
    },
  );
}

const NO_ADDRESS = 'Enter an e-mail address, such as ana@example.com.';
const FORM_OLD = 'This form is no longer valid. Start over with /people create.';
