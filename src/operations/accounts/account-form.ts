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

/** All of them, and an address, fit into what a modal carries. */
const ATTRIBUTE_MAX = 150;

type Texts = Readonly<Partial<Record<TextAttribute, string | null>>>;

/** A text that is longer is not offered: it could not be kept as it is. */
export function fits(text: string | null | undefined): boolean {
  return (text ?? '').length <= ATTRIBUTE_MAX;
}

/** `key`: a form's own, so that nothing that was entered in another stays. */
export function blockOf(name: TextAttribute | 'userName', key: string): string {
  return `people.${name}:${key}`;
}

/** Inputs for what can be set of an account. */
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

/** What is entered, as one line each; empty where it was left empty. */
export function textsIn({ values }: Form, key: string): Record<TextAttribute, string> {
  const entries = TEXT_ATTRIBUTES.map((name) => [
    name,
    cleanLine(values.get(blockOf(name, key)) ?? ''),
  ]);
  // as: one entry for each of the names
  return Object.fromEntries(entries) as Record<TextAttribute, string>;
}

/** Records what was submitted in a form, and shows it in its place. `otherwise`: the form stays, and says why. */
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
