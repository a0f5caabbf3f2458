import * as z from 'zod';
import { words } from './texts.ts';

const style = z
  .strictObject({
    bold: z.boolean().optional(),
    italic: z.boolean().optional(),
    strike: z.boolean().optional(),
    code: z.boolean().optional(),
    underline: z.boolean().optional(),
  })
  .optional();

const text = z.strictObject({ type: z.literal('text'), text: words(3000), style });
const link = z.strictObject({
  type: z.literal('link'),
  url: words(3000).refine(isAddress, 'Invalid URL'),
  text: words(3000).optional(),
  unsafe: z.boolean().optional(),
  style,
});

/** Whether Slack recognizes it as a link. */
function isAddress(url: string): boolean {
  return /^[a-z][a-z\d+.-]*:\S+$/i.test(url) && URL.canParse(url);
}

const piece = z.discriminatedUnion('type', [
  text,
  link,
  z.strictObject({ type: z.literal('emoji'), name: words(255), unicode: words(255).optional() }),
  z.strictObject({ type: z.literal('user'), user_id: idOf('UW'), style }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: idOf('S'), style }),
  z.strictObject({ type: z.literal('channel'), channel_id: idOf('CDG'), style }),
  z.strictObject({ type: z.literal('team'), team_id: idOf('TE'), style }),
  z.strictObject({
    type: z.literal('color'),
    value: z.string().regex(/^#[\da-f]{6}$/i, 'must be a colour as #1d9bd1'),
    style,
  }),
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

/** An id that starts with one of these letters. */
function idOf(letters: string) {
  return words(255).regex(new RegExp(`^[${letters}][A-Z0-9]+$`), 'Invalid id');
}

const border = z.int().min(0).max(1).optional();
const section = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(piece) });

/** Formatted text, as Slack's own editor writes it. */
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
    z.strictObject({
      type: z.literal('rich_text_preformatted'),
      // It contains only text and links.
      elements: z.array(z.discriminatedUnion('type', [text, link])),
      border,
    }),
    z.strictObject({ type: z.literal('rich_text_quote'), elements: z.array(piece), border }),
  ]),
);
