import type { ModalView } from '@slack/types';
import type { NewUser } from '../../service/create-user.ts';
import { context, section } from '../../slack/blocks.ts';
import { input, modal, textInput } from '../../slack/modal-blocks.ts';
import { TEXT_ATTRIBUTES } from '../attributes.ts';
import { FORMS, TITLE } from './actions.ts';
import { attributeInputs, blockOf } from './attribute-inputs.ts';

export const ADDRESS_MAX = 254;

const WHAT_HAPPENS =
  'Nothing is sent yet: next you see what would happen. What is left empty is not sent; without a name the service derives one from the address.';

/** The form for a new account. `key`: unique to this form. */
export function createView(key: string, entered: Partial<NewUser>, note?: string): ModalView {
  const { userName = '', active, ...texts } = entered;
  const address = textInput('people.userName', {
    max_length: ADDRESS_MAX,
    hint: 'ana@example.com',
    ...(userName !== '' && { initial_value: userName }),
  });
  return modal({
    callbackId: FORMS.create,
    title: TITLE,
    submit: 'Look first',
    close: 'Cancel',
    metadata: key,
    blocks: [
      ...(note === undefined ? [] : [section(note)]),
      input(blockOf('userName', key), 'E-mail (userName)', address),
      ...attributeInputs(TEXT_ATTRIBUTES, texts, key),
      context(WHAT_HAPPENS),
    ],
  });
}
