import type { Form } from '../../slack/form.ts';
import { showError } from '../../slack/modal-blocks.ts';
import { TEXT_ATTRIBUTES, type TextAttributes } from '../attributes.ts';
import type { Wish } from '../change/account-change.ts';
import { digestOf } from '../change/digest.ts';
import type { RecordNeeds } from '../change/record-change.ts';
import { blockOf, textsIn } from './attribute-inputs.ts';
import { type CarriedEdit, carriedEditIn } from './edit-view.ts';
import { recordSubmitted, type Submitted } from './record-submitted.ts';
import { NO_CHANGE, NOT_EMPTY } from './sentences.ts';

/** The form was submitted: what was changed in it is recorded before Slack hears of it. */
export async function submitEdit(needs: RecordNeeds, form: Form, user: string): Promise<Submitted> {
  const { account, base, key, browse } = carriedEditIn(form.metadata);
  const values = changedIn(form, { base, key });
  const [first = 'displayName'] = TEXT_ATTRIBUTES.filter((name) => base[name] !== undefined);
  const wrong = (name: typeof first, sentence: string) => showError(blockOf(name, key), sentence);
  if (values.externalId === '') return { ack: wrong('externalId', NOT_EMPTY), carryOn() {} };
  if (Object.keys(values).length === 0) return { ack: wrong(first, NO_CHANGE), carryOn() {} };
  const wish: Wish = { kind: 'edit', account, values, base };
  const asked = { by: user, wish, browse, modal: form.id, isShown: true };
  return recordSubmitted(needs, asked, key, (sentence) => wrong(first, sentence));
}

/** Only what was offered, and is not what stood there. */
function changedIn(form: Form, { base, key }: Pick<CarriedEdit, 'base' | 'key'>): TextAttributes {
  const texts = textsIn(form, key);
  const isChanged = (name: keyof typeof texts) =>
    base[name] !== undefined && digestOf(texts[name]) !== base[name];
  const names = TEXT_ATTRIBUTES.filter(isChanged);
  return Object.fromEntries(names.map((name) => [name, texts[name]]));
}
