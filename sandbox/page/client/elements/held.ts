import type { HeldState } from '../../page-state.ts';
import { withEmoji } from '../text/emoji.ts';

/** The value of an input while a person fills it in: text, or choices. */
export type Held = string | readonly Chosen[];

export interface Chosen {
  /** An option's value, or an id. */
  readonly value: string;
  /** Empty for ids: their names are looked up. */
  readonly label: string;
}

/** The submitted value. */
export type Entered = string | number | readonly string[] | null;

/** Members of a state that hold a choice. */
const choices = ['option', 'user', 'conversation', 'channel', 'date', 'time', 'date_time'] as const;

/** The value of an input according to the workspace. */
export function heldIn(state: HeldState): Held {
  if (typeof state.value === 'string') return state.value;
  // The workspace stores files in this format.
  if (state.type === 'file_input')
    return (state.files as { name: string }[]).map(({ name }) => ({ value: name, label: name }));
  for (const name of choices) {
    const one = state[`selected_${name}`];
    const many = state[`selected_${name}s`];
    if (Array.isArray(many)) return many.map(chosenOf);
    if (one !== null && one !== undefined) return [chosenOf(one)];
  }
  return [];
}

/** The initial value of an element. */
export function heldAtFirst(element: object): Held {
  const begun = Object.entries(element).flatMap(([name, value]) => {
    if (name === 'initial_value') return [['value', value]];
    return name.startsWith('initial_') ? [[name.replace('initial_', 'selected_'), value]] : [];
  });
  return heldIn({ type: '', ...Object.fromEntries(begun) });
}

/** The text of a text input. */
export function wordsIn(held: Held): string {
  return typeof held === 'string' ? held : '';
}

/** The choices of a choice input. */
export function chosenIn(held: Held): readonly Chosen[] {
  return typeof held === 'string' ? [] : held;
}

function chosenOf(given: unknown): Chosen {
  if (typeof given !== 'object' || given === null) return { value: String(given), label: '' };
  // The workspace stores options in this format.
  const { value, text } = given as { value: string; text: { text: string } };
  return { value, label: withEmoji(text.text) };
}

/** @param type of the element: whether one value or a list is sent. */
export function enteredOf(held: Held, type: string): Entered {
  if (typeof held === 'string') return held;
  const values = held.map(({ value }) => value);
  if (type.startsWith('multi_') || type === 'checkboxes' || type === 'file_input') return values;
  const [value = null] = values;
  return type === 'datetimepicker' && value !== null ? Number(value) : value;
}
