import type { ModalView } from '@slack/types';
import * as z from 'zod';
import type { Core } from '../../core/core.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import { context, section } from '../../core/slack/blocks.ts';
import { defineForm, type Form } from '../../core/slack/form.ts';
import { METADATA_MAX, showError } from '../../core/slack/modal-blocks.ts';
import type { FormAnswer } from '../../core/slack/show-form.ts';
import {
  type AccountNamed,
  ATTRIBUTES,
  accountNamed,
  accountNamedSchema,
  TEXT_ATTRIBUTES,
  type TextAttributes,
} from './account.ts';
import { attributeInputs, blockOf, fits, recordSubmitted, textsIn } from './account-form.ts';
import { shown, TITLES } from './account-modal.ts';
import type { Asking } from './administrator.ts';
import { BEGINNING, type Browse, writeBrowse } from './browse.ts';
import { showOne } from './card.ts';
import type { Change } from './change.ts';
import { digestOf } from './compare-accounts.ts';

/** The form to change an account. */
export function showEdit(
  core: Core,
  who: Asking,
  account: AccountNamed | undefined,
  browse: Browse,
): Promise<ModalView> {
  return showOne(core, who, { account, browse }, (user) =>
    editView(user, { browse, key: core.random.uuid() }),
  );
}

/** What the form carries: the account, digests of the values it offers, and where the person goes back to. */
const carried = z.strictObject({
  account: accountNamedSchema,
  base: z.record(z.string(), z.string()),
  key: z.string(),
  browse: z.string(),
});
type CarriedEdit = z.infer<typeof carried>;

export const EDIT_FORM = defineForm({ id: 'people.edit-form', title: TITLES.edit, carried });

const FIXED =
  'The e-mail address can only be changed in the service itself. To deactivate or re-activate the account, use the buttons of its card.';

/** The form to change an account. `entered`: values entered before. `key`: unique to this form. */
export function editView(
  user: UserProfile,
  { browse, key, entered = {}, note }: EditOptions,
): ModalView {
  const offered = TEXT_ATTRIBUTES.filter((name) => fits(user[name]));
  const base = Object.fromEntries(offered.map((name) => [name, digestOf(user[name])]));
  const carry = { account: accountNamed(user), base, key };
  const tooLong = TEXT_ATTRIBUTES.filter((name) => !offered.includes(name));
  const now = Object.fromEntries(TEXT_ATTRIBUTES.map((name) => [name, user[name]]));
  return EDIT_FORM.view(carryOf(carry, browse), {
    submit: 'Save',
    blocks: [
      ...(note === undefined ? [] : [section(note)]),
      section(`*E-mail (userName)*\n${shown(user.userName)}`),
      context(FIXED),
      ...attributeInputs(offered, { ...now, ...entered }, key),
      ...tooLong.map((name) => context(`${ATTRIBUTES[name].name} is too long to be changed here.`)),
    ],
  });
}

interface EditOptions {
  readonly browse: Browse;
  readonly key: string;
  readonly entered?: TextAttributes;
  /** Shown above the form, in mrkdwn. */
  readonly note?: string;
}

/** Leaves out the way back if it is too long. */
function carryOf(carry: Omit<CarriedEdit, 'browse'>, browse: Browse): CarriedEdit {
  const whole = { ...carry, browse: writeBrowse(browse) };
  const isWhole = JSON.stringify(whole).length <= METADATA_MAX;
  return isWhole ? whole : { ...carry, browse: writeBrowse(BEGINNING) };
}

/** Handles the submitted form: changes are recorded before the acknowledgement. */
export async function submitEdit(core: Core, form: Form, user: string): Promise<FormAnswer> {
  const { account, base, key, browse } = EDIT_FORM.carriedIn(form);
  const values = changedIn(form, { base, key });
  const [first = 'displayName'] = TEXT_ATTRIBUTES.filter((name) => base[name] !== undefined);
  const wrong = (name: typeof first, sentence: string) => showError(blockOf(name, key), sentence);
  if (values.externalId === '') return { ack: wrong('externalId', NOT_EMPTY) };
  if (Object.keys(values).length === 0) return { ack: wrong(first, NO_CHANGE) };
  const change: Change = { kind: 'edit', account, values, base };
  // The form stays if it is not known whether it was recorded: other values would be another change.
  const asked = {
    by: user,
    wish: { change, browse },
    key: `${key}\0${digestOf(JSON.stringify(values))}`,
  };
  return recordSubmitted(core, asked, form, (sentence) => wrong(first, sentence));
}

/** Only values that the form offered and that were changed. */
function changedIn(form: Form, { base, key }: Pick<CarriedEdit, 'base' | 'key'>): TextAttributes {
  const texts = textsIn(form, key);
  const isChanged = (name: keyof typeof texts) =>
    base[name] !== undefined && digestOf(texts[name]) !== base[name];
  const names = TEXT_ATTRIBUTES.filter(isChanged);
  return Object.fromEntries(names.map((name) => [name, texts[name]]));
}

const NO_CHANGE = 'Change something first.';
const NOT_EMPTY = 'The external id can be changed but not removed.';
