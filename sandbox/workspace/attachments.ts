import * as z from 'zod';
import type { Attachment, Block, Message } from '../wire.ts';
import { type Args, jsonArg } from './args.ts';
import { messageProblems, problemsOf } from './blocks/check-blocks.ts';
import { completeBlocks } from './complete-blocks.ts';
import { Refusal, refusalWith } from './refusal.ts';
import type { World } from './world.ts';

/** The most that one message can have. */
const mostAttachments = 100;

const words = z.string().optional();
const action = z.strictObject({
  type: z.literal('button', 'the sandbox imitates only buttons in attachments'),
  text: z.string(),
  id: words,
  name: words,
  value: words,
  url: words,
  style: z.enum(['default', 'primary', 'danger']).optional(),
  confirm: z
    .strictObject({ text: z.string(), title: words, ok_text: words, dismiss_text: words })
    .optional(),
});
const attachment = z.strictObject({
  blocks: z.array(z.unknown()).optional(),
  fallback: words,
  color: words,
  pretext: words,
  author_name: words,
  author_link: words,
  author_icon: words,
  author_subname: words,
  title: words,
  title_link: words,
  text: words,
  fields: z
    .array(z.strictObject({ title: z.string(), value: z.string(), short: z.boolean().optional() }))
    .optional(),
  image_url: words,
  thumb_url: words,
  footer: words,
  footer_icon: words,
  ts: z.union([z.string(), z.number()]).optional(),
  actions: z.array(action).max(5, 'no more than 5 items allowed').optional(),
  callback_id: words,
  attachment_type: words,
  mrkdwn_in: z.array(z.string()).optional(),
});

/** Attachments of a call, as Slack keeps them; undefined: not given. Throws `invalid_arguments`. */
export function readAttachments(args: Args, world: World): readonly Attachment[] | undefined {
  const value = jsonArg(args, 'attachments', 'invalid_arguments') ?? undefined;
  if (value === undefined) return undefined;
  const { data, error } = z.array(attachment).safeParse(value);
  if (error)
    throw refusalWith('invalid_arguments', problemsOf(z.array(attachment), value, '/attachments'));
  if (data.length > mostAttachments) throw new Refusal('too_many_attachments');
  return data.map(({ actions, blocks, ...parts }, place) => ({
    id: place + 1,
    fallback: parts.text ?? parts.title ?? '[no preview available]',
    ...parts,
    ...(blocks && { blocks: completeBlocks(readBlocks(blocks, place), world) }),
    ...(actions && { actions: actions.map((each, at) => ({ ...each, id: String(at + 1) })) }),
  }));
}

function readBlocks(blocks: readonly unknown[], place: number): readonly Block[] {
  const problems = messageProblems(blocks, `/attachments/${place}/blocks`);
  if (problems.length > 0) throw refusalWith('invalid_blocks', problems);
  // They passed the schema.
  return blocks as Block[];
}

/** The blocks of a message, and those of its attachments, whose older buttons are an actions block. */
export function allBlocks({
  blocks = [],
  attachments = [],
}: Pick<Message, 'blocks' | 'attachments'>): Block[] {
  return [...blocks, ...attachments.flatMap(blocksOf)];
}

/** Everything of an attachment that a person can use. */
export function blocksOf({ id, blocks = [], actions = [] }: Attachment): Block[] {
  return actions.length === 0
    ? [...blocks]
    : [
        ...blocks,
        { type: 'actions', block_id: `attachment ${id}`, elements: actions.map(buttonOf) },
      ];
}

function buttonOf({
  id,
  text,
  value,
  url,
  style,
  confirm,
}: NonNullable<Attachment['actions']>[number]) {
  const plain = (words: string) => ({ type: 'plain_text', text: words });
  return {
    type: 'button',
    action_id: id,
    text: plain(text),
    ...(value !== undefined && { value }),
    ...(url !== undefined && { url }),
    ...(style !== undefined && style !== 'default' && { style }),
    ...(confirm && {
      confirm: {
        title: plain(confirm.title ?? 'Are you sure?'),
        text: plain(confirm.text),
        confirm: plain(confirm.ok_text ?? 'Okay'),
        deny: plain(confirm.dismiss_text ?? 'Cancel'),
      },
    }),
  };
}

/** The attachment of a block, if it has one, and the older button that an element stands for. */
export function attachmentOf(
  { blocks = [], attachments = [] }: Message,
  block: Block,
  element: Block,
) {
  if (blocks.some(({ block_id }) => block_id === block.block_id)) return undefined;
  const found = attachments.find((each) =>
    blocksOf(each).some(({ block_id }) => block_id === block.block_id),
  );
  if (found === undefined) return undefined;
  const isOlder = block.block_id === `attachment ${found.id}`;
  return {
    attachment: found,
    action: isOlder ? found.actions?.find(({ id }) => id === element.action_id) : undefined,
  };
}
