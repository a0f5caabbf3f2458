import type { TextAttribute } from '../../accounts/account.ts';
import { cleanLine, isFit } from '../../lib/clean-line.ts';

const MAX_LENGTH = 500;

/** The rule that a userName breaks; null: none. It is an e-mail address (Interface 2.5). */
export function userNameProblem(value: string): string | null {
  const isAddress = cleanLine(value) === value && /^[^\s@]+@[^\s@]+$/.test(value);
  return isAddress && value.length <= MAX_LENGTH ? null : 'must be an e-mail address';
}

/** The rule that the text of an attribute breaks; null: none. */
export function attributeProblem(name: TextAttribute, value: string): string | null {
  if (value === '' && name === 'externalId') return 'must not be empty';
  if (value.length > MAX_LENGTH) return `must not be longer than ${MAX_LENGTH} characters`;
  return isFit(value) ? null : 'must be one line without control characters';
}
