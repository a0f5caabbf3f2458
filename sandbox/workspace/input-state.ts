import { isObject } from '../exchange.ts';
import type { Block } from '../wire.ts';
import { wordsOf } from './elements.ts';
import type { Entered } from './user-actions.ts';

/** The value of an element, as in Slack's `state.values`. */
export interface ElementState {
  readonly type: string;
  readonly [member: string]: unknown;
}

interface Kind {
  /** The member of the state. */
  readonly holds: string;
  /** The member of the element with its initial value. */
  readonly begins: string;
  readonly many?: true;
  readonly picks?: 'option' | 'file';
}

const text: Kind = { holds: 'value', begins: 'initial_value' };
const option: Kind = { holds: 'selected_option', begins: 'initial_option', picks: 'option' };
const options: Kind = {
  holds: 'selected_options',
  begins: 'initial_options',
  many: true,
  picks: 'option',
};
const one = (what: string): Kind => ({ holds: `selected_${what}`, begins: `initial_${what}` });
const several = (what: string): Kind => ({ ...one(what), many: true });

const kinds: Readonly<Record<string, Kind>> = {
  plain_text_input: text,
  email_text_input: text,
  url_text_input: text,
  number_input: text,
  rich_text_input: { holds: 'rich_text_value', begins: 'initial_value' },
  static_select: option,
  external_select: option,
  radio_buttons: option,
  multi_static_select: options,
  multi_external_select: options,
  checkboxes: options,
  users_select: one('user'),
  multi_users_select: several('users'),
  conversations_select: one('conversation'),
  multi_conversations_select: several('conversations'),
  channels_select: one('channel'),
  multi_channels_select: several('channels'),
  datepicker: one('date'),
  timepicker: one('time'),
  datetimepicker: one('date_time'),
  file_input: { holds: 'files', begins: '', many: true, picks: 'file' },
};

/** The initial value of an element; undefined for one without a value, such as a button. */
export function initialState(element: Block): ElementState | undefined {
  const kind = kinds[element.type];
  if (kind === undefined) return undefined;
  const begun = element[kind.begins] ?? (kind.many ? [] : null);
  return { type: element.type, [kind.holds]: begun };
}

/** Whether a required input has been filled in. */
export function isFilled(state: ElementState): boolean {
  const value = state[kinds[state.type]?.holds ?? ''];
  return Array.isArray(value) ? value.length > 0 : value !== null && value !== '';
}

/**
 * The value after a person entered something: text, ids, names of files, or options by their value or their text.
 * Throws for what a person cannot enter there. @param loaded the options that an external select offered last.
 */
export function enteredState(
  element: Block,
  entered: Entered,
  loaded: readonly unknown[] | undefined,
): ElementState {
  const kind = kinds[element.type];
  if (kind === undefined) throw new Error(`Nothing can be entered in a ${element.type}.`);
  const offered = kind.picks === 'option' ? (loaded ?? optionsOf(element)) : undefined;
  const pick = (value: unknown): unknown => {
    if (kind.picks === 'file') return fileOf(String(value));
    return offered ? pickOption(offered, value, element) : value;
  };
  const cleared = entered === null || entered === '';
  if (kind.many) {
    const list = cleared ? [] : Array.isArray(entered) ? entered : [entered];
    return { type: element.type, [kind.holds]: list.map(pick) };
  }
  // Slack keeps typed numbers as text, too.
  const value = kind === text ? String(entered) : pick(entered);
  return { type: element.type, [kind.holds]: cleared ? null : value };
}

/** A file that a person attaches: it has a name, and no content. */
function fileOf(name: string) {
  const id = `F0${name.toUpperCase().replace(/[^A-Z0-9]/g, '')}`;
  const filetype = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return { id, name, title: name, filetype };
}

/** The options of an element, including those in groups. */
export function optionsOf({ options, option_groups }: Record<string, unknown>): readonly unknown[] {
  if (Array.isArray(options)) return options;
  if (!Array.isArray(option_groups)) return [];
  return option_groups.flatMap((group) => (isObject(group) ? optionsOf(group) : []));
}

function pickOption(offered: readonly unknown[], wanted: unknown, element: Block): unknown {
  const objects = offered.filter(isObject);
  const found =
    objects.find(({ value }) => value === wanted) ??
    objects.find((each) => wordsOf(each.text) === wanted);
  if (!found) throw new Error(`${element.action_id} does not offer ${JSON.stringify(wanted)}.`);
  return found;
}
