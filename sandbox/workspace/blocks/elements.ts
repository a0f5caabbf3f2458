import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import {
  common,
  formattedOption,
  menuOption,
  multiSelects,
  placeholder,
  selects,
} from './selects.ts';
import { list, maybeWords, plain, words } from './texts.ts';

const style = z.enum(['primary', 'danger'], 'must be primary or danger').optional();
const { focus_on_load: _, ...unfocused } = common;

const button = z.strictObject({
  ...unfocused,
  type: z.literal('button'),
  text: plain(75),
  url: words(3000).optional(),
  value: words(2000).optional(),
  style,
  accessibility_label: words(75).optional(),
});

const overflow = z.strictObject({
  ...unfocused,
  type: z.literal('overflow'),
  options: list(menuOption, 5),
});

const notThere = 'initial options must be among the options';

const radioButtons = z
  .strictObject({
    ...common,
    type: z.literal('radio_buttons'),
    options: list(formattedOption, 10),
    initial_option: formattedOption.optional(),
  })
  .refine(
    ({ options, initial_option }) => !initial_option || has(options, initial_option),
    notThere,
  );

const checkboxes = z
  .strictObject({
    ...common,
    type: z.literal('checkboxes'),
    options: list(formattedOption, 10),
    initial_options: list(formattedOption, 10).optional(),
  })
  .refine(
    ({ options, initial_options = [] }) => initial_options.every((one) => has(options, one)),
    notThere,
  );

function has(options: readonly unknown[], wanted: unknown): boolean {
  return options.some((each) => isDeepStrictEqual(each, wanted));
}

const datepicker = z.strictObject({
  ...common,
  type: z.literal('datepicker'),
  placeholder,
  initial_date: z.iso.date('must be a date as 2026-11-20').optional(),
});
const timepicker = z.strictObject({
  ...common,
  type: z.literal('timepicker'),
  placeholder,
  initial_time: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time as 23:59')
    .optional(),
  timezone: words(255).optional(),
});
const tenDigits = z
  .int()
  .min(1_000_000_000, 'must be 10 digits')
  .max(9_999_999_999, 'must be 10 digits');
const datetimepicker = z.strictObject({
  ...common,
  type: z.literal('datetimepicker'),
  initial_date_time: tenDigits.optional(),
});

const dispatch_action_config = z
  .strictObject({
    trigger_actions_on: list(z.enum(['on_enter_pressed', 'on_character_entered']), 2).optional(),
  })
  .optional();
const { confirm: __, ...unconfirmed } = common;
const typed = { ...unconfirmed, placeholder, dispatch_action_config };
const typedWords = { ...typed, initial_value: maybeWords(3000).optional() };
const plainTextInput = z
  .strictObject({
    ...typedWords,
    type: z.literal('plain_text_input'),
    multiline: z.boolean().optional(),
    min_length: z.int().min(0).max(3000, 'must be less than 3001').optional(),
    max_length: z.int().min(1).max(3000, 'must be less than 3001').optional(),
  })
  .refine(
    ({ min_length = 0, max_length = min_length }) => min_length <= max_length,
    'min_length must not be more than max_length',
  );

const lines = z.int().min(1).max(100, 'must be less than 101').optional();

const inputs = [
  plainTextInput,
  z.strictObject({ ...typedWords, type: z.literal('email_text_input') }),
  z.strictObject({ ...typedWords, type: z.literal('url_text_input') }),
  z.strictObject({
    ...typedWords,
    type: z.literal('number_input'),
    is_decimal_allowed: z.boolean(),
    min_value: words(255).optional(),
    max_value: words(255).optional(),
  }),
  z.strictObject({
    ...typed,
    type: z.literal('rich_text_input'),
    initial_value: z.looseObject({ type: z.literal('rich_text') }).optional(),
    min_lines: lines,
    max_lines: lines,
  }),
  z.strictObject({
    action_id: common.action_id,
    type: z.literal('file_input'),
    filetypes: list(words(255), 100).optional(),
    max_files: z.int().min(1).max(10, 'must be less than 11').optional(),
  }),
] as const;

/** An image at an address, or a file of Slack. */
export const imageParts = {
  type: z.literal('image'),
  image_url: words(3000).optional(),
  slack_file: z
    .union([z.strictObject({ id: words(255) }), z.strictObject({ url: words(3000) })])
    .optional(),
  alt_text: words(2000),
};

export const hasOneImage = [
  ({ image_url, slack_file }: { image_url?: unknown; slack_file?: unknown }) =>
    (image_url === undefined) !== (slack_file === undefined),
  'must have either image_url or slack_file',
] as const;

export const image = z.strictObject(imageParts).refine(...hasOneImage);

const choices = [...selects, radioButtons, checkboxes, datepicker, timepicker] as const;

/** Allowed as the accessory of a section. */
export const accessory = z.discriminatedUnion('type', [
  button,
  overflow,
  image,
  ...choices,
  ...multiSelects,
]);

/** Allowed in an actions block. */
export const action = z.discriminatedUnion('type', [button, overflow, ...choices, datetimepicker]);

const opinion = z.strictObject({
  text: plain(75),
  value: words(2000),
  accessibility_label: words(75).optional(),
});

/** Allowed in a block of context actions. */
export const contextAction = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('feedback_buttons'),
    action_id: common.action_id,
    positive_button: opinion,
    negative_button: opinion,
  }),
  z.strictObject({
    ...unfocused,
    type: z.literal('icon_button'),
    icon: z.literal('trash', 'must be trash'),
    text: plain(75),
    value: words(2000).optional(),
    accessibility_label: words(75).optional(),
    visible_to_user_ids: z.array(words(255)).optional(),
  }),
]);

/** Allowed in an input block. */
export const input = z.discriminatedUnion('type', [
  ...inputs,
  ...choices,
  ...multiSelects,
  datetimepicker,
]);
