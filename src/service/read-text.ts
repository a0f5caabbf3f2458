import { readMember } from './read-member.ts';

/** A member that is text and not blank, to the letter; null for anything else. */
export function readText(value: unknown, name: string): string | null {
  const text = readMember(value, name);
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}
