import { isObject } from '../exchange.ts';
import type { Attachment, Block, MessageMetadata } from '../wire.ts';
import { type Args, jsonArg, textArg } from './args.ts';
import { readAttachments } from './attachments.ts';
import { messageProblems, textLength } from './blocks/check-blocks.ts';
import { completeBlocks } from './complete-blocks.ts';
import { Refusal, refusalWith } from './refusal.ts';
import type { World } from './world.ts';

export interface MessageContent {
  readonly text: string;
  readonly blocks?: readonly Block[];
  readonly attachments?: readonly Attachment[];
  readonly metadata?: MessageMetadata;
}

/** Errors for content that no message can have, in addition to the one for too much of it. */
export const contentErrors = [
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_metadata_format',
  'metadata_too_large',
  'no_text',
  'too_many_attachments',
] as const;

/** Slack refused 13,200 characters in blocks, and accepted 10,000. */
const mostBlockText = 10_000;
/** How much is kept of a text whose method has no limit of its own. */
const keptText = 40_000;

/**
 * Reads and checks text, blocks, attachments and metadata of a message. @param limits the longest text, unless a longer
 * one is cut, and the error if it or the blocks are too long.
 */
export function readContent(
  args: Args,
  world: World,
  limits: { readonly mostText?: number; readonly tooMuch: string },
): MessageContent {
  const text = textArg(args, 'text');
  const blocks = readBlocks(args, limits.tooMuch);
  const attachments = readAttachments(args, world);
  if (text.trim() === '' && !blocks && !attachments?.length) throw new Refusal('no_text');
  if (text.length > (limits.mostText ?? text.length)) throw new Refusal(limits.tooMuch);
  const metadata = readMetadata(args);
  return {
    text: text.slice(0, keptText),
    ...(blocks && { blocks: completeBlocks(blocks, world) }),
    ...(attachments && { attachments }),
    ...(metadata && { metadata }),
  };
}

/** undefined: the message has none. @param tooMuch the error for too long ones */
export function readBlocks(args: Args, tooMuch: string): readonly Block[] | undefined {
  const value = jsonArg(args, 'blocks', 'invalid_blocks_format');
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw new Refusal('invalid_blocks_format');
  if (value.length === 0) return undefined;
  const problems = messageProblems(value);
  if (problems.length > 0) throw refusalWith('invalid_blocks', problems);
  if (textLength(value) > mostBlockText) throw new Refusal(tooMuch);
  return value;
}

/** undefined: the message has none. */
export function readMetadata(args: Args): MessageMetadata | undefined {
  const value = jsonArg(args, 'metadata', 'invalid_metadata_format');
  if (value === undefined) return undefined;
  if (!isObject(value) || typeof value.event_type !== 'string' || !isObject(value.event_payload)) {
    throw new Refusal('invalid_metadata_format');
  }
  if (JSON.stringify(value).length > 16_000) throw new Refusal('metadata_too_large');
  return { event_type: value.event_type, event_payload: value.event_payload };
}
