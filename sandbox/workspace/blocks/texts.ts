import * as z from 'zod';

/** Strings measured as Slack does: UTF-16 units, at least one. */
export const words = (most: number) =>
  z
    .string()
    .min(1, 'must be more than 0 characters')
    .max(most, `must be less than ${most + 1} characters`);

/** The same, but possibly empty. */
export const maybeWords = (most: number) =>
  z.string().max(most, `must be less than ${most + 1} characters`);

export const list = <Item extends z.ZodType>(item: Item, most: number) =>
  z
    .array(item)
    .min(1, 'no fewer than 1 items allowed')
    .max(most, `no more than ${most} items allowed`);

export const plain = (most: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: words(most),
    emoji: z.boolean().optional(),
  });

export const mrkdwn = (most: number) =>
  z.strictObject({
    type: z.literal('mrkdwn'),
    text: words(most),
    verbatim: z.boolean().optional(),
  });

export const either = (most: number) => z.discriminatedUnion('type', [plain(most), mrkdwn(most)]);

export const confirm = z.strictObject({
  title: plain(100),
  text: either(300),
  confirm: plain(30),
  deny: plain(30),
  style: z.enum(['primary', 'danger']).optional(),
});

export const blockId = words(255).optional();
