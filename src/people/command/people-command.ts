import { Command, CommanderError, Option } from 'commander';
import type { NewUser } from '../../service/create-user.ts';
import { ATTRIBUTES, TEXT_ATTRIBUTES, type TextAttributes } from '../accounts/attributes.ts';
import { showPerson, switchPerson, updatePerson } from './change-person.ts';
import { createPerson } from './create-person.ts';
import { importPeople } from './import/import-people.ts';
import { findPeople, type ListOptions, listPeople } from './list-people.ts';
import type { ChangeOptions } from './make-change.ts';
import { attributeProblem, userNameProblem } from './read-text.ts';
import { inSession, type Session, type SessionOptions } from './session.ts';
import { EXIT, type ExitCode, type Terminal } from './terminal.ts';

/**
 * The command `people` with its verbs. `onEnd` hears what to end with. Throws CommanderError for what
 * it does not understand.
 */
export function peopleCommand(terminal: Terminal, onEnd: (code: ExitCode) => void): Command {
  const people = new Command('people')
    .description('look after the accounts of the service; needs SERVICE_URL and SCIM_TOKEN')
    .showHelpAfterError('Add --help to see what there is.')
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    })
    .exitOverride();
  const verb = (words: string, description: string) =>
    people.command(words).description(description).option('--json', 'write one array for programs');
  const changing = (words: string, description: string) =>
    verb(words, description)
      .option('--yes', 'do it without asking')
      .option('--dry-run', 'say what it would do, and change nothing');
  const listing = (words: string, description: string) =>
    verb(words, description)
      .addOption(new Option('--active', 'only accounts that are active').conflicts('deactivated'))
      .option('--deactivated', 'only accounts that are deactivated');
  const run = async (options: SessionOptions, action: (session: Session) => Promise<ExitCode>) =>
    onEnd(await inSession(terminal, options, action));

  listing('list', 'list all accounts').action((options: SessionOptions & ListOptions) =>
    run(options, (session) => listPeople(session, options)),
  );
  listing(
    'find <text>',
    'list accounts by a part of the user name or name, or by external id',
  ).action((text: string, options: SessionOptions & ListOptions) =>
    run(options, (session) => findPeople(session, text, options)),
  );
  verb('show <person>', 'show an account; a person is named by user name or id').action(
    (person: string, options: SessionOptions) =>
      run(options, (session) => showPerson(session, person)),
  );
  withAttributes(changing('create', 'create an account, or link or re-activate the one there is'))
    .requiredOption('--user-name <address>', 'e-mail address')
    .action((options: SessionOptions & ChangeOptions & NewUser, command: Command) => {
      const user = { userName: userNameIn(options, command), ...attributesIn(options, command) };
      return run(options, (session) => createPerson(session, user, options));
    });
  withAttributes(changing('update <person>', 'change attributes of an account'))
    .addOption(new Option('--user-name <address>').hideHelp())
    .action((person: string, options: SessionOptions & ChangeOptions & Given, command: Command) => {
      if (options.userName !== undefined) command.error(CANNOT_RENAME);
      const attributes = attributesIn(options, command);
      if (Object.keys(attributes).length === 0) command.error('error: name what is to change.');
      return run(options, (session) => updatePerson(session, person, { ...options, attributes }));
    });
  for (const [name, description] of [
    ['deactivate', 'take access away at once; documents and tasks stay'],
    ['activate', 'give access again'],
    ['delete', 'the same as deactivate, by DELETE: the service removes nothing'],
  ] as const) {
    changing(`${name} <person>`, description).action(
      (person: string, options: SessionOptions & ChangeOptions) =>
        run(options, (session) => switchPerson(session, person, { ...options, verb: name })),
    );
  }
  changing('import <file>', 'create and change accounts from a CSV file, a result for each row')
    .option('--per-minute <number>', 'requests to the service per minute at most', '240')
    .action(
      (
        file: string,
        options: ChangeOptions & Pace & Pick<SessionOptions, 'json'>,
        command: Command,
      ) => {
        const perMinute = Number(options.perMinute);
        if (!Number.isInteger(perMinute) || perMinute < 1) {
          command.error('error: --per-minute must be a whole number from 1.');
        }
        return run({ ...options, perMinute }, (session) => importPeople(session, file, options));
      },
    );
  return people;
}

/** As it stands on the command line. */
interface Pace {
  readonly perMinute: string;
}

/** What a command line that was not understood ends with. Throws again what is something else. */
export function usageExitCode(error: unknown): ExitCode {
  if (!(error instanceof CommanderError)) throw error;
  return error.exitCode === 0 ? EXIT.done : EXIT.usage;
}

const CANNOT_RENAME =
  'error: the user name cannot be changed here: change the e-mail address in the service itself.';

/** What stands on the command line. */
type Given = TextAttributes & { readonly userName?: string };

function withAttributes(command: Command): Command {
  for (const attribute of TEXT_ATTRIBUTES) {
    const { flag, name } = ATTRIBUTES[attribute];
    command.option(`--${flag} <text>`, name.toLowerCase());
  }
  return command;
}

function attributesIn(options: Given, command: Command): TextAttributes {
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

function userNameIn({ userName }: Pick<NewUser, 'userName'>, command: Command): string {
  const problem = userNameProblem(userName.trim());
  if (problem !== null) command.error(`error: --user-name ${problem}.`);
  return userName.trim();
}
