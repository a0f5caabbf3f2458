import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { NewUser } from '../../service/create-user.ts';
import { actions, button, fields, section } from '../../slack/blocks.ts';
import { METADATA_MAX, modal } from '../../slack/modal-blocks.ts';
import { ATTRIBUTES, TEXT_ATTRIBUTES } from '../attributes.ts';
import type { Foreseen } from '../change/account-change.ts';
import { accountNamed } from '../change/account-named.ts';
import type { Provisioning } from '../provisioning.ts';
import { wouldSentence } from '../provisioning-sentences.ts';
import { shown } from './account-text.ts';
import { ACTIONS, FORMS, TITLE } from './actions.ts';
import { openButton } from './open-button.ts';

const text = z.string().optional();
/** Short names: it has to fit into what a modal carries. */
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

/** What the review carries; `foreseen` null: it cannot be created. */
export interface CarriedReview {
  readonly user: NewUser;
  readonly foreseen: Foreseen | null;
  readonly key: string;
}

export function carriedReviewIn(metadata: string): CarriedReview {
  const { user, foreseen, key } = carried.parse(JSON.parse(metadata));
  const given = Object.entries(user).filter(([, value]) => value !== undefined);
  // as: only members that are there are kept
  return { user: Object.fromEntries(given) as unknown as NewUser, foreseen, key };
}

const SUBMITS = { new: 'Create', link: 'Link', reactivate: 'Re-activate' } as const;

/** What creating would do, before it is done. */
export function reviewView(
  user: NewUser,
  provisioning: Provisioning,
  key: string,
  note?: string,
): ModalView {
  const whole = JSON.stringify({
    user,
    foreseen: foreseenIn(provisioning),
    key,
  } satisfies CarriedReview);
  // What cannot be carried cannot be held against what is there when it is done.
  const foreseen = whole.length <= METADATA_MAX ? foreseenIn(provisioning) : null;
  const would = wouldSentence(provisioning, user.userName, shown);
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
  return modal({
    callbackId: FORMS.review,
    title: TITLE,
    ...(foreseen !== null && { submit: SUBMITS[foreseen.kind] }),
    close: 'Cancel',
    metadata: JSON.stringify({ user, foreseen, key } satisfies CarriedReview),
    blocks,
  });
}

/** null: nothing of the kind should be sent. */
export function foreseenIn(provisioning: Provisioning): Foreseen | null {
  switch (provisioning.kind) {
    case 'new':
      return { kind: 'new', id: null };
    case 'link':
    case 'reactivate':
      return { kind: provisioning.kind, id: provisioning.account.id };
    default:
      return null;
  }
}
