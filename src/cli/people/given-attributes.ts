import type { Command } from 'commander';
import { isCleanLine } from '../../core/lib/clean-line.ts';
import { emailProblem, NO_EMAIL, readEmail } from '../../core/lib/read-email.ts';
import {
  ATTRIBUTES,
  TEXT_ATTRIBUTES,
  type TextAttribute,
  type TextAttributes,
} from '../../operations/accounts/account.ts';

/** The values on the command line. */
export type Given = TextAttributes & { readonly userName?: string };

/** Adds the attributes as flags. */
export function withAttributes(command: Command): Command {
  for (const attribute of TEXT_ATTRIBUTES) {
    const { flag, name } = ATTRIBUTES[attribute];
    command.option(`--${flag} <text>`, name.toLowerCase());
  }
  return command;
}

/** The given attributes. Ends the command with the name of an invalid flag. */
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

/** The given user name; ends the command if it is invalid. */
export function userNameIn({ userName = '' }: Given, command: Command): string {
  const { address } = readEmail(userName);
  const problem = userNameProblem(address);
  if (problem !== null) command.error(`error: --user-name ${problem}.`);
  return address;
}

const MAX_LENGTH = 500;

/** The rule that a userName breaks; null: none. It is an e-mail address that never changes (Interface 2.5, 4.5). */
export function userNameProblem(address: string): string | null {
  if (address.length > MAX_LENGTH) return NO_EMAIL;
  return emailProblem(address);
}

/** The rule that an attribute's text breaks; null: none. */
export function attributeProblem(name: TextAttribute, value: string): string | null {
  if (value === '' && name === 'externalId') return 'must not be empty';
  if (value.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  return isCleanLine(value) ? null : 'must be one line without control characters';
}
