import type { InputBlock } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { cleanLine } from '../../core/lib/clean-line.ts';
import type { Form } from '../../core/slack/form.ts';
import { input, showInstead, textInput } from '../../core/slack/modal-blocks.ts';
import type { FormAnswer } from '../../core/slack/show-form.ts';
import type { Ask } from '../flow/ask.ts';
import { stateOf } from '../flow/operation.ts';
import { notRecorded } from '../flow/store-away.ts';
import { ATTRIBUTES, TEXT_ATTRIBUTES, type TextAttribute } from './account.ts';
import type { ChangeTypes } from './change.ts';
import { askForChange } from './change-operation.ts';
import { resultView } from './change-result.ts';

/** All attributes and an address have to fit into what a modal carries. */
const ATTRIBUTE_MAX = 150;

type Texts = Readonly<Partial<Record<TextAttribute, string | null>>>;

/** Longer values are not offered for editing, because they could not be kept unchanged. */
export function fits(text: string | null | undefined): boolean {
  return (text ?? '').length <= ATTRIBUTE_MAX;
}

/** `key`: unique to a form, so that nothing entered in another one stays. */
export function blockOf(name: TextAttribute | 'userName', key: string): string {
  return `people.${name}:${key}`;
}

/** Inputs for the attributes of an account. */
export function attributeInputs(
  names: readonly TextAttribute[],
  texts: Texts,
  key: string,
): InputBlock[] {
  return names.map((name) => {
    const text = cleanLine(texts[name] ?? '');
    const begun = text === '' ? {} : { initial_value: text };
    const element = textInput(`people.${name}`, { max_length: ATTRIBUTE_MAX, ...begun });
    return input(blockOf(name, key), ATTRIBUTES[name].name, element, {
      optional: true,
      ...(HINTS[name] !== undefined && { hint: HINTS[name] }),
    });
  });
}

const HINTS: Readonly<Partial<Record<TextAttribute, string>>> = {
  externalId: "The identity provider's id of the person",
};

/** What was entered, each as one line; empty if left empty. */
export function textsIn({ values }: Form, key: string): Record<TextAttribute, string> {
  const entries = TEXT_ATTRIBUTES.map((name) => [
    name,
    cleanLine(values.get(blockOf(name, key)) ?? ''),
  ]);
  // as: has an entry for each name
  return Object.fromEntries(entries) as Record<TextAttribute, string>;
}

/** Records a submitted form, and shows it instead. `otherwise`: an error that keeps the form open. */
export async function recordSubmitted(
  core: Core,
  asked: Pick<Ask<ChangeTypes>, 'by' | 'wish' | 'key'>,
  { id: modal, hash: delivery }: Form,
  otherwise: (sentence: string) => FormAnswer['ack'],
): Promise<FormAnswer> {
  try {
    const { id, record, carryOn } = await askForChange(core, { ...asked, modal, delivery });
    return { ack: showInstead(resultView(id, record, stateOf(record))), later: carryOn };
  } catch (error) {
    return { ack: otherwise(notRecorded(error)) };
  }
}
