import type { InputBlock, KnownBlock } from '@slack/types';
import type { Block } from '../../../wire.ts';
import { type Held, heldAtFirst, wordsIn } from '../elements/held.ts';
import { elementKey } from '../elements/surface.ts';

/** Errors that Slack itself reports before it sends a modal, by block id. */
export function problemsIn(
  blocks: readonly Block[],
  heldBy: (key: string) => Held | undefined,
): Record<string, string> {
  // The workspace validated every block before storing it.
  const inputs = (blocks as readonly Block[] as readonly KnownBlock[]).filter(
    (block): block is InputBlock => block.type === 'input',
  );
  const entries = inputs.flatMap((block) => {
    const { element, block_id = '' } = block;
    const actionId = 'action_id' in element ? element.action_id : undefined;
    const held = heldBy(elementKey(block_id, actionId)) ?? heldAtFirst(element);
    const problem = problemWith(block, held);
    return problem === null ? [] : [[block_id, problem] as const];
  });
  return Object.fromEntries(entries);
}

function problemWith({ element, optional = false }: InputBlock, held: Held): string | null {
  if (held.length === 0) return optional ? null : 'Please complete this required field.';
  const words = wordsIn(held);
  switch (element.type) {
    case 'plain_text_input': {
      const least = element.min_length ?? 0;
      return words.length < least ? `Please write at least ${least} characters.` : null;
    }
    case 'email_text_input':
      return /^\S+@\S+\.\S+$/.test(words) ? null : 'Please enter a valid email address.';
    case 'url_text_input':
      return /^https?:\/\/\S+$/i.test(words) ? null : 'Please enter a valid URL.';
    case 'number_input':
      return problemWithNumber(words, element);
    default:
      return null;
  }
}

function problemWithNumber(
  words: string,
  limits: { is_decimal_allowed: boolean; min_value?: string; max_value?: string },
): string | null {
  const number = Number(words);
  if (Number.isNaN(number)) return 'Please enter a number.';
  if (!limits.is_decimal_allowed && !Number.isInteger(number))
    return 'Please enter a whole number.';
  const { min_value: least, max_value: most } = limits;
  if (least !== undefined && number < Number(least)) return `Please enter ${least} or more.`;
  if (most !== undefined && number > Number(most)) return `Please enter ${most} or less.`;
  return null;
}
