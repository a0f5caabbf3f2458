import * as z from 'zod';
import {
  accessory,
  action,
  contextAction,
  hasOneImage,
  image,
  imageParts,
  input,
} from './elements.ts';
import { richTextElements } from './rich-text.ts';
import { blockId, either, list, maybeWords, mrkdwn, plain } from './texts.ts';

const section = z
  .strictObject({
    type: z.literal('section'),
    block_id: blockId,
    text: either(3000).optional(),
    fields: list(either(2000), 10).optional(),
    accessory: accessory.optional(),
    expand: z.boolean().optional(),
  })
  .refine((block) => block.text || block.fields, 'missing required field: text or fields');

const common = [
  section,
  z.strictObject({ type: z.literal('header'), block_id: blockId, text: plain(150) }),
  z.strictObject({ type: z.literal('divider'), block_id: blockId }),
  z.strictObject({
    type: z.literal('context'),
    block_id: blockId,
    elements: list(z.discriminatedUnion('type', [plain(2000), mrkdwn(2000), image]), 10),
  }),
  z.strictObject({ type: z.literal('actions'), block_id: blockId, elements: list(action, 25) }),
  z
    .strictObject({ ...imageParts, block_id: blockId, title: plain(2000).optional() })
    .refine(...hasOneImage),
  z.strictObject({ type: z.literal('rich_text'), block_id: blockId, elements: richTextElements }),
  z.strictObject({
    type: z.literal('input'),
    block_id: blockId,
    label: plain(2000),
    hint: plain(2000).optional(),
    optional: z.boolean().optional(),
    dispatch_action: z.boolean().optional(),
    element: input,
  }),
] as const;

const block = z.discriminatedUnion('type', common);

const messageBlock = z.discriminatedUnion('type', [
  ...common,
  z.strictObject({
    type: z.literal('context_actions'),
    block_id: blockId,
    elements: list(contextAction, 5),
  }),
]);

export const messageBlocks = z.array(messageBlock).max(50, 'no more than 50 items allowed');

const viewParts = {
  blocks: z.array(block).max(100, 'no more than 100 items allowed'),
  private_metadata: maybeWords(3000).optional(),
  callback_id: maybeWords(255).optional(),
  external_id: maybeWords(255).optional(),
};

const modal = z
  .strictObject({
    ...viewParts,
    type: z.literal('modal'),
    title: plain(24),
    submit: plain(24).optional(),
    close: plain(24).optional(),
    clear_on_close: z.boolean().optional(),
    notify_on_close: z.boolean().optional(),
  })
  .refine(
    ({ blocks, submit }) => submit || !blocks.some(({ type }) => type === 'input'),
    'missing required field: submit',
  );

export const view = z.discriminatedUnion('type', [
  modal,
  z.strictObject({ ...viewParts, type: z.literal('home') }),
]);
