import type { InputBlock } from '@slack/types';
import { cleanLine } from '../../lib/clean-line.ts';
import type { Form } from '../../slack/form.ts';
import { input, textInput } from '../../slack/modal-blocks.ts';
import { ATTRIBUTES, TEXT_ATTRIBUTES, type TextAttribute } from '../attributes.ts';

/** Inputs for what can be set of an account. */

/** All of them, and an address, fit into what a modal carries. */
const ATTRIBUTE_MAX = 150;

export type Texts = Readonly<Partial<Record<TextAttribute, string | null>>>;

/** A text that is longer is not offered: it could not be kept as it is. */
export function fits(text: string | null | undefined): boolean {
  return (text ?? '').length <= ATTRIBUTE_MAX;
}

/** `key`: a form's own, so that nothing that was entered in another stays. */
export function blockOf(name: TextAttribute | 'userName', key: string): string {
  return `people.${name}:${key}`;
}

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
export function textsIn(
  { values }: Pick<Form, 'values'>,
  key: string,
): Record<TextAttribute, string> {
  const entries = TEXT_ATTRIBUTES.map((name) => [
    name,
    cleanLine(values.get(blockOf(name, key)) ?? ''),
  ]);
  // as: one entry for each of the names
  return Object.fromEntries(entries) as Record<TextAttribute, string>;
}
