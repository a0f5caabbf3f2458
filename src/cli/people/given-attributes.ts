import type { Command } from 'commander';
import { cleanLine, isFit } from '../../core/lib/clean-line.ts';
import {
  ATTRIBUTES,
  TEXT_ATTRIBUTES,
  type TextAttribute,
  type TextAttributes,
} from '../../operations/accounts/account.ts';

/** What stands on the command line. */
export type Given = TextAttributes & { readonly userName?: string };

/** The attributes as flags. */
export function withAttributes(command: Command): Command {
  for (const attribute of TEXT_ATTRIBUTES) {
    const { flag, name } = ATTRIBUTES[attribute];
    command.option(`--${flag} <text>`, name.toLowerCase());
  }
  return command;
}

/** The attributes that were given. Ends the command with the flag of one that is not right. */
export function attributesIn(options: Given, command: Command): TextAttributes {
  const attributes: { -readonly [Name in keyof TextAttributes]: string } = {};
  for (const name of TEXT_ATTRIBUTES) {
    const value = options[name]?.trim();
    if (value === undefined) continue;
    const problem = attributeProblem(name, value);
    if (problem !== null) command.error(`error: --${ATTRIBUTES[name].flag} ${problem}.`);
    attributes[name] = value;
  }
  return attributes;
}

/** The user name that was given; ends the command when it is none. */
export function userNameIn({ userName = '' }: Given, command: Command): string {
  const problem = userNameProblem(userName.trim());
  if (problem !== null) command.error(`error: --user-name ${problem}.`);
  return userName.trim();
}

const MAX_LENGTH = 500;

/** The rule that a userName breaks; null: none. It is an e-mail address (Interface 2.5). */
export function userNameProblem(value: string): string | null {
  const isAddress = cleanLine(value) === value && /^[^\s@]+@[^\s@]+$/.test(value);
  return isAddress && value.length <= MAX_LENGTH ? null : 'must be an e-mail address';
}

/** The rule that the text of an attribute breaks; null: none. */
export function attributeProblem(name: TextAttribute, value: string): string | null {
  if (value === '' && name === 'externalId') return 'must not be empty';
  if (value.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  return isFit(value) ? null : 'must be one line without control characters';
}
