import { z } from 'zod';

/** Strings by Slack's count: UTF-16 units, at least one. */
const words = (most: number) =>
  z
    .string()
    .min(1, 'must be more than 0 characters')
    .max(most, `must be less than ${most + 1} characters`);

const list = <Item extends z.ZodType>(item: Item, most: number) =>
  z
    .array(item)
    .min(1, 'no fewer than 1 items allowed')
    .max(most, `no more than ${most} items allowed`);

const plain = (most: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: words(most),
    emoji: z.boolean().optional(),
  });

const mrkdwn = (most: number) =>
  z.strictObject({
    type: z.literal('mrkdwn'),
    text: words(most),
    verbatim: z.boolean().optional(),
  });

const either = (most: number) => z.discriminatedUnion('type', [plain(most), mrkdwn(most)]);

const blockId = words(255).optional();
const actionId = words(255).optional();

const confirm = z.strictObject({
  title: plain(100),
  text: either(300),
  confirm: plain(30),
  deny: plain(30),
  style: z.enum(['primary', 'danger']).optional(),
});

const option = z.strictObject({
  text: either(75),
  value: words(75),
  description: either(75).optional(),
});

const button = z.strictObject({
  type: z.literal('button'),
  text: plain(75),
  action_id: actionId,
  url: words(3000).optional(),
  value: words(2000).optional(),
  style: z.enum(['primary', 'danger'], 'must be primary or danger').optional(),
  confirm: confirm.optional(),
  accessibility_label: words(75).optional(),
});

const overflow = z.strictObject({
  type: z.literal('overflow'),
  action_id: actionId,
  options: list(option, 5),
  confirm: confirm.optional(),
});

const choice = {
  action_id: actionId,
  options: list(option, 100),
  confirm: confirm.optional(),
  focus_on_load: z.boolean().optional(),
};
const staticSelect = z.strictObject({
  ...choice,
  type: z.literal('static_select'),
  placeholder: plain(150).optional(),
  initial_option: option.optional(),
});
const radioButtons = z.strictObject({
  ...choice,
  type: z.literal('radio_buttons'),
  options: list(option, 10),
  initial_option: option.optional(),
});
const usersSelect = z.strictObject({
  type: z.literal('users_select'),
  action_id: actionId,
  placeholder: plain(150).optional(),
  initial_user: words(255).optional(),
  confirm: confirm.optional(),
  focus_on_load: z.boolean().optional(),
});
const plainTextInput = z.strictObject({
  type: z.literal('plain_text_input'),
  action_id: actionId,
  placeholder: plain(150).optional(),
  initial_value: z.string().max(3000, 'must be less than 3001 characters').optional(),
  multiline: z.boolean().optional(),
  min_length: z.int().min(0).max(3000).optional(),
  max_length: z.int().min(1).max(3000).optional(),
  focus_on_load: z.boolean().optional(),
});
const image = z.strictObject({
  type: z.literal('image'),
  image_url: words(3000),
  alt_text: words(2000),
});

const interactive = [button, overflow, staticSelect, radioButtons, usersSelect] as const;

const section = z
  .strictObject({
    type: z.literal('section'),
    block_id: blockId,
    text: either(3000).optional(),
    fields: list(either(2000), 10).optional(),
    accessory: z.discriminatedUnion('type', [...interactive, image]).optional(),
    expand: z.boolean().optional(),
  })
  .refine((block) => block.text || block.fields, 'missing required field: text or fields');

const block = z.discriminatedUnion('type', [
  section,
  z.strictObject({ type: z.literal('header'), block_id: blockId, text: plain(150) }),
  z.strictObject({ type: z.literal('divider'), block_id: blockId }),
  z.strictObject({
    type: z.literal('context'),
    block_id: blockId,
    elements: list(z.discriminatedUnion('type', [plain(2000), mrkdwn(2000), image]), 10),
  }),
  z.strictObject({
    type: z.literal('actions'),
    block_id: blockId,
    elements: list(z.discriminatedUnion('type', [...interactive]), 25),
  }),
  z.strictObject({
    type: z.literal('input'),
    block_id: blockId,
    label: plain(2000),
    hint: plain(2000).optional(),
    optional: z.boolean().optional(),
    dispatch_action: z.boolean().optional(),
    element: z.discriminatedUnion('type', [
      plainTextInput,
      staticSelect,
      radioButtons,
      usersSelect,
    ]),
  }),
]);

export const messageBlocks = z.array(block).max(50, 'no more than 50 items allowed');
const viewBlocks = z.array(block).max(100, 'no more than 100 items allowed');

const viewParts = {
  blocks: viewBlocks,
  private_metadata: z.string().max(3000, 'must be less than 3001 characters').optional(),
  callback_id: z.string().max(255, 'must be less than 256 characters').optional(),
  external_id: z.string().max(255, 'must be less than 256 characters').optional(),
};

export const view = z.discriminatedUnion('type', [
  z.strictObject({
    ...viewParts,
    type: z.literal('modal'),
    title: plain(24),
    submit: plain(24).optional(),
    close: plain(24).optional(),
    clear_on_close: z.boolean().optional(),
    notify_on_close: z.boolean().optional(),
    submit_disabled: z.boolean().optional(),
  }),
  z.strictObject({ ...viewParts, type: z.literal('home') }),
]);
