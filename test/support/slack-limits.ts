import * as z from 'zod';
import { charactersIn, MESSAGE_CHARACTERS } from '../../src/core/slack/limits.ts';

/** Slack's limits, in UTF-16 units: the strictest reading of "characters". */
const text = (max: number) => z.string().min(1).max(max);
const id = z.string().min(1).max(255);
const plainText = (max: number) =>
  z.looseObject({ type: z.literal('plain_text'), text: text(max) });
const anyText = (max: number) =>
  z.looseObject({ type: z.enum(['plain_text', 'mrkdwn']), text: text(max) });

const confirm = z.looseObject({
  title: plainText(100),
  text: anyText(300),
  confirm: plainText(30),
  deny: plainText(30),
});
const option = z.looseObject({
  text: anyText(75),
  value: text(75),
  description: anyText(75).optional(),
});
const options = z.array(option).min(1).max(100);
const common = { action_id: id, confirm: confirm.optional() };
const choice = {
  ...common,
  options: options.optional(),
  option_groups: z
    .array(z.looseObject({ label: plainText(75), options }))
    .max(100)
    .optional(),
  placeholder: plainText(150).optional(),
};

const element = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('button'),
    ...common,
    text: plainText(75),
    value: z.string().max(2000).optional(),
    url: text(3000).optional(),
    style: z.enum(['primary', 'danger']).optional(),
    accessibility_label: text(75).optional(),
  }),
  z.looseObject({ type: z.literal('overflow'), ...common, options: options.max(5) }),
  z.looseObject({
    type: z.literal('plain_text_input'),
    ...common,
    placeholder: plainText(150).optional(),
    initial_value: z.string().max(3000).optional(),
    max_length: z.int().min(1).max(3000).optional(),
  }),
  z.looseObject({ type: z.literal('static_select'), ...choice }),
  z.looseObject({
    type: z.literal('external_select'),
    ...choice,
    initial_option: option.optional(),
  }),
  z.looseObject({ type: z.literal('multi_static_select'), ...choice }),
  z.looseObject({ type: z.literal('users_select'), ...choice }),
  z.looseObject({ type: z.literal('conversations_select'), ...choice }),
  z.looseObject({ type: z.literal('radio_buttons'), ...common, options: options.max(10) }),
  z.looseObject({ type: z.literal('checkboxes'), ...common, options: options.max(10) }),
]);

/** Rich text elements that Gatepost sends; the limit on a message's text bounds them too. */
const style = z.strictObject({ bold: z.boolean().optional(), code: z.boolean().optional() });
const richWord = z.strictObject({
  type: z.literal('text'),
  text: text(3000),
  style: style.optional(),
});
const richPieces = z
  .array(
    z.discriminatedUnion('type', [
      richWord,
      z.strictObject({
        type: z.literal('link'),
        url: text(3000),
        text: text(3000).optional(),
        style: style.optional(),
      }),
      z.strictObject({ type: z.literal('user'), user_id: id }),
      z.strictObject({ type: z.literal('usergroup'), usergroup_id: id }),
    ]),
  )
  .min(1);
const richText = z
  .array(
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('rich_text_section'), elements: richPieces }),
      z.strictObject({ type: z.literal('rich_text_quote'), elements: richPieces }),
      z.strictObject({
        type: z.literal('rich_text_preformatted'),
        elements: z.array(richWord).min(1),
      }),
    ]),
  )
  .min(1);

const block_id = id.optional();
const block = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('header'), block_id, text: plainText(150) }),
  z.looseObject({ type: z.literal('divider'), block_id }),
  z
    .looseObject({
      type: z.literal('section'),
      block_id,
      text: anyText(3000).optional(),
      fields: z.array(anyText(2000)).min(1).max(10).optional(),
      accessory: element.optional(),
    })
    .refine((it) => it.text !== undefined || it.fields !== undefined, 'needs text or fields'),
  z.looseObject({ type: z.literal('rich_text'), block_id, elements: richText }),
  z.looseObject({
    type: z.literal('context'),
    block_id,
    elements: z.array(anyText(2000)).min(1).max(10),
  }),
  z.looseObject({
    type: z.literal('actions'),
    block_id,
    elements: z.array(element).min(1).max(25),
  }),
  z.looseObject({
    type: z.literal('input'),
    block_id,
    label: plainText(2000),
    hint: plainText(2000).optional(),
    element,
  }),
]);

const blocksUpTo = (max: number) =>
  z
    .array(block)
    .max(max)
    .refine((blocks) => areDistinct(blocks.flatMap((it) => it.block_id ?? [])), 'block_id repeats')
    .refine((blocks) => blocks.every((it) => areDistinct(actionIdsOf(it))), 'action_id repeats');

/** A message for `chat.postMessage` and `chat.update`. */
export const messageSchema = z.looseObject({
  text: text(4000),
  blocks: blocksUpTo(50)
    .refine((blocks) => charactersIn(blocks) <= MESSAGE_CHARACTERS, 'too much text in all')
    .optional(),
});

/** Above it Slack answers `view_too_large`. */
const VIEW_BYTES = 250_000;

/** A modal for `views.open` and `views.update`. */
export const viewSchema = z
  .looseObject({
    type: z.literal('modal'),
    callback_id: id,
    title: plainText(24),
    submit: plainText(24).optional(),
    close: plainText(24).optional(),
    private_metadata: z.string().max(3000).optional(),
    blocks: blocksUpTo(100),
  })
  .refine((view) => Buffer.byteLength(JSON.stringify(view)) <= VIEW_BYTES, 'too large in all');

/** The Home tab for `views.publish`. */
export const homeSchema = z
  .looseObject({
    type: z.literal('home'),
    private_metadata: z.string().max(3000).optional(),
    blocks: blocksUpTo(100),
  })
  .refine((view) => Buffer.byteLength(JSON.stringify(view)) <= VIEW_BYTES, 'too large in all');

function areDistinct(ids: readonly string[]): boolean {
  return new Set(ids).size === ids.length;
}

function actionIdsOf(it: z.infer<typeof block>): string[] {
  return it.type === 'actions' ? it.elements.map((one) => one.action_id) : [];
}
