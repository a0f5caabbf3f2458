import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { UserProfile } from '../../service/service-user.ts';
import { context, section } from '../../slack/blocks.ts';
import { METADATA_MAX, modal } from '../../slack/modal-blocks.ts';
import { ATTRIBUTES, TEXT_ATTRIBUTES, type TextAttributes } from '../attributes.ts';
import { accountNamed, accountNamedSchema } from '../change/account-named.ts';
import { digestOf } from '../change/digest.ts';
import { shown } from './account-text.ts';
import { FORMS, TITLE } from './actions.ts';
import { attributeInputs, fits } from './attribute-inputs.ts';
import { BEGINNING, type Browse, writeBrowse } from './browse.ts';

/** What the form carries: of which account, what stood in what it offers, and where the person goes back to. */
const carried = z.strictObject({
  account: accountNamedSchema,
  base: z.record(z.string(), z.string()),
  key: z.string(),
  browse: z.string(),
});
export type CarriedEdit = z.infer<typeof carried>;

export function carriedEditIn(metadata: string): CarriedEdit {
  return carried.parse(JSON.parse(metadata));
}

const FIXED =
  'The e-mail address cannot be changed here: the service takes that in its own settings alone. *Active* is changed by the buttons of the card.';

/** The form with what can be changed. `entered`: what was entered before. `key`: unique to this form. */
export function editView(
  user: UserProfile,
  { browse, key, entered = {}, note }: EditOptions,
): ModalView {
  const offered = TEXT_ATTRIBUTES.filter((name) => fits(user[name]));
  const base = Object.fromEntries(offered.map((name) => [name, digestOf(user[name])]));
  const carry = { account: accountNamed(user), base, key };
  const tooLong = TEXT_ATTRIBUTES.filter((name) => !offered.includes(name));
  const now = Object.fromEntries(TEXT_ATTRIBUTES.map((name) => [name, user[name]]));
  return modal({
    callbackId: FORMS.edit,
    title: TITLE,
    submit: 'Save',
    close: 'Cancel',
    metadata: metadataOf(carry, browse),
    blocks: [
      ...(note === undefined ? [] : [section(note)]),
      section(`*E-mail (userName)*\n${shown(user.userName)}`),
      context(FIXED),
      ...attributeInputs(offered, { ...now, ...entered }, key),
      ...tooLong.map((name) => context(`${ATTRIBUTES[name].name} is too long to be changed here.`)),
    ],
  });
}

export interface EditOptions {
  readonly browse: Browse;
  readonly key: string;
  readonly entered?: TextAttributes;
  /** What is said above the form, in mrkdwn. */
  readonly note?: string;
}

/** Without the way back where that is too long. */
function metadataOf(carry: Omit<CarriedEdit, 'browse'>, browse: Browse): string {
  const withWay = (way: Browse) =>
    JSON.stringify({ ...carry, browse: writeBrowse(way) } satisfies CarriedEdit);
  const whole = withWay(browse);
  return whole.length <= METADATA_MAX ? whole : withWay(BEGINNING);
}
