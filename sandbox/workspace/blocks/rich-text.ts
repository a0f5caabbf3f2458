import { z } from 'zod';
import { words } from './texts.ts';

const style = z
  .strictObject({
    bold: z.boolean().optional(),
    italic: z.boolean().optional(),
    strike: z.boolean().optional(),
    code: z.boolean().optional(),
  })
  .optional();

const piece = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: words(3000), style }),
  z.strictObject({
    type: z.literal('link'),
    url: words(3000),
    text: words(3000).optional(),
    unsafe: z.boolean().optional(),
    style,
  }),
  z.strictObject({ type: z.literal('emoji'), name: words(255), unicode: words(255).optional() }),
  z.strictObject({ type: z.literal('user'), user_id: words(255), style }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: words(255), style }),
  z.strictObject({ type: z.literal('channel'), channel_id: words(255), style }),
  z.strictObject({
    type: z.literal('broadcast'),
    range: z.enum(['here', 'channel', 'everyone']),
    style,
  }),
  z.strictObject({
    type: z.literal('date'),
    timestamp: z.int(),
    format: words(255),
    url: words(3000).optional(),
    fallback: words(255).optional(),
    style,
  }),
]);

const border = z.int().min(0).max(1).optional();
const section = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(piece) });

/** A block of formatted text, as Slack's own editor writes it. */
export const richTextElements = z.array(
  z.discriminatedUnion('type', [
    section,
    z.strictObject({
      type: z.literal('rich_text_list'),
      style: z.enum(['bullet', 'ordered']),
      elements: z.array(section),
      indent: z.int().min(0).max(8).optional(),
      offset: z.int().min(0).optional(),
      border,
    }),
    z.strictObject({ type: z.literal('rich_text_preformatted'), elements: z.array(piece), border }),
    z.strictObject({ type: z.literal('rich_text_quote'), elements: z.array(piece), border }),
  ]),
);
