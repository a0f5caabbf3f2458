import type { KnownBlock } from '@slack/types';

/** Measured: Slack refuses 13,200 characters in one message. */
export const MESSAGE_CHARACTERS = 10_000;

/** How many more characters of text and addresses a message with these blocks can hold. */
export function remainingCharacters(blocks: readonly KnownBlock[]): number {
  return MESSAGE_CHARACTERS - charactersIn(blocks);
}

/** The length of all texts and addresses, at any depth. */
export function charactersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum, each) => sum + charactersIn(each), 0);
  let sum = 0;
  // With `Object.entries` this took a quarter of the time of building a message.
  for (const name in value) {
    const member: unknown = value[name as keyof typeof value]; // as: blocks inherit no members
    const isShown = name === 'text' || name === 'url';
    sum += isShown && typeof member === 'string' ? member.length : charactersIn(member);
  }
  return sum;
}
