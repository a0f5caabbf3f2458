import type {
  ExternalSelect,
  InputBlock,
  ModalView,
  PlainTextInput,
  PlainTextOption,
  StaticSelect,
} from '@slack/types';
import { cleanLine } from '../lib/clean-line.ts';
import { section } from './blocks.ts';
import { cutPlain, plain } from './text.ts';

/** Slack's limit for a list that comes with the modal; longer lists are loaded as a person types. */
const OPTIONS_MAX = 100;
/** All lists of a modal together; Slack allows 250 KB for a modal. */
const LISTS_BYTES = 100_000;
const LABEL_MAX = 75;
/** Slack's limit on what a modal carries. */
export const METADATA_MAX = 3_000;

/** An option. `value` comes back, up to 75 characters. */
export interface Choosable {
  readonly value: string;
  readonly label: string;
  /** Offered whatever somebody types. */
  readonly isAlways?: true;
}

export interface ModalParts {
  readonly callbackId: string;
  /** Up to 24 characters. */
  readonly title: string;
  readonly submit?: string;
  readonly close: string;
  /** Comes back with every interaction in the modal; up to 3000 characters. */
  readonly metadata?: string;
  readonly blocks: ModalView['blocks'];
}

export function modal({
  callbackId,
  title,
  submit,
  close,
  metadata,
  blocks,
}: ModalParts): ModalView {
  return {
    type: 'modal',
    callback_id: callbackId,
    title: plain(title),
    ...(submit !== undefined && { submit: plain(submit) }),
    close: plain(close),
    ...(metadata !== undefined && { private_metadata: metadata }),
    blocks,
  };
}

/** Creates a feature's modals that only show something, perhaps with buttons; nothing in them is submitted. */
export function noticesOf(callbackId: string, title: string) {
  return (text: string, more: ModalView['blocks'] = [], of = title): ModalView =>
    modal({ callbackId, title: of, close: 'Close', blocks: [section(text), ...more] });
}

/** A response to a submitted modal: replaces it with this one. */
export function showInstead(view: ModalView) {
  return { response_action: 'update' as const, view };
}

/** A response to a submitted modal: keeps it open, with an error at an input. */
export function showError(blockId: string, sentence: string) {
  return { response_action: 'errors' as const, errors: { [blockId]: sentence } };
}

interface InputOptions {
  readonly hint?: string;
  readonly optional?: boolean;
  /** Dispatch on selection. */
  readonly speaks?: boolean;
}

/** An input with its label. What was entered survives an update while the block's id stays the same. */
export function input(
  blockId: string,
  label: string,
  element: InputBlock['element'],
  { hint, optional = false, speaks = false }: InputOptions = {},
): InputBlock {
  return {
    type: 'input',
    block_id: blockId,
    label: plain(label),
    element,
    optional,
    ...(hint !== undefined && { hint: plain(hint) }),
    ...(speaks && { dispatch_action: true }),
  };
}

export function textInput(
  actionId: string,
  options: Omit<PlainTextInput, 'type' | 'action_id' | 'placeholder'> & {
    readonly hint?: string;
  } = {},
): PlainTextInput {
  const { hint, ...rest } = options;
  return {
    type: 'plain_text_input',
    action_id: actionId,
    ...rest,
    ...(hint !== undefined && { placeholder: plain(hint) }),
  };
}

interface SelectOptions {
  readonly chosen?: string | undefined;
  readonly hint: string;
  /** How many lists in the modal offer these choices. */
  readonly times?: number;
}

/** A choice of one. If there are too many for a list, Slack asks for those that match what is typed. */
export function select(
  actionId: string,
  choices: readonly Choosable[],
  { chosen, hint, times = 1 }: SelectOptions,
): StaticSelect | ExternalSelect {
  const initial = choices.find(({ value }) => value === chosen);
  const begun = initial === undefined ? {} : { initial_option: optionOf(initial) };
  const common = { action_id: actionId, ...begun };
  if (choices.length > OPTIONS_MAX || bytesOf(choices) * times > LISTS_BYTES) {
    const placeholder = plain('Type to search');
    return { type: 'external_select', min_query_length: 1, placeholder, ...common };
  }
  const options = choices.map(optionOf);
  return { type: 'static_select', options, placeholder: plain(hint), ...common };
}

function bytesOf(choices: readonly Choosable[]): number {
  return Buffer.byteLength(JSON.stringify(choices.map(optionOf)));
}

/** Choices whose label contains what was typed, as many as Slack allows, and those that are always offered. */
export function matching(choices: readonly Choosable[], typed: string): PlainTextOption[] {
  const wanted = fold(typed);
  const always = choices.filter(({ isAlways }) => isAlways);
  const found = choices.filter((each) => !each.isAlways && fold(each.label).includes(wanted));
  return [...found.slice(0, OPTIONS_MAX - always.length), ...always].map(optionOf);
}

function optionOf({ value, label }: Choosable): PlainTextOption {
  const text = cleanLine(label) || cleanLine(value) || '…';
  return { text: plain(cutPlain(text, LABEL_MAX)[0]), value };
}

/** A label that always shows the whole id: names that differ only in what was cut can be told apart. */
export function labelWithId(name: string, id: string): string {
  const room = LABEL_MAX - ID_MARK.length - id.length;
  const shown = room < NAME_MIN ? '' : cutPlain(cleanLine(name), room)[0];
  return shown === '' ? id : `${shown}${ID_MARK}${id}`;
}

const ID_MARK = ' · ';
/** Less of a name says nothing. */
const NAME_MIN = 8;

function fold(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}
