import type { Command } from 'commander';
import { ATTRIBUTES, TEXT_ATTRIBUTES, type TextAttributes } from '../../accounts/account.ts';
import { attributeProblem, userNameProblem } from './read-text.ts';

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
