import { type Command, Option } from 'commander';
import type { System } from '../../core/lib/system.ts';
import { type Timing, TRUE_TIME } from '../../core/lib/timing.ts';
import type { ExitCode, Terminal } from '../terminal.ts';
import {
  type ChangeOptions,
  createPerson,
  showPerson,
  switchPerson,
  updatePerson,
} from './change-person.ts';
import { attributesIn, type Given, userNameIn, withAttributes } from './given-attributes.ts';
import { importPeople } from './import-people.ts';
import { findPeople, type ListOptions, listPeople } from './list-people.ts';
import { inSession, type Session, type SessionOptions } from './session.ts';

/** The verbs of `people`. `onEnd` gets the exit code. */
export function addPeople(
  people: Command,
  terminal: Terminal,
  system: System,
  onEnd: (code: ExitCode) => void,
  timing: Timing = TRUE_TIME,
): void {
  const run: Run = async (options, action) =>
    onEnd(await inSession(terminal, { ...options, system, timing }, action));
  addLooking(people, run);
  addAttributes(people, run);
  addAccess(people, run);
  addImport(people, run);
}

type Run = (
  options: SessionOptions,
  action: (session: Session) => Promise<ExitCode>,
) => Promise<void>;

type Listing = SessionOptions & ListOptions;
type Changing = Pick<SessionOptions, 'json'> & ChangeOptions;

function addLooking(people: Command, run: Run): void {
  listing(people, 'list', 'list all accounts').action((options: Listing) =>
    run(options, (session) => listPeople(session, options)),
  );
  listing(
    people,
    'find <text>',
    'find accounts by part of the user name or name, or by external id',
  ).action((text: string, options: Listing) =>
    run(options, (session) => findPeople(session, text, options)),
  );
  verb(people, 'show <person>', 'show an account, by user name or id').action(
    (person: string, options: SessionOptions) =>
      run(options, (session) => showPerson(session, person)),
  );
}

const CANNOT_RENAME =
  'error: the user name cannot be changed here: change the e-mail address in the service itself.';

function addAttributes(people: Command, run: Run): void {
  const create = changing(
    people,
    'create',
    'create an account, or link or re-activate an existing one',
  );
  withAttributes(create)
    .requiredOption('--user-name <address>', 'e-mail address')
    .action((options: Changing & Given, command: Command) => {
      const user = { userName: userNameIn(options, command), ...attributesIn(options, command) };
      return run(options, (session) => createPerson(session, user, options));
    });
  withAttributes(changing(people, 'update <person>', 'change attributes of an account'))
    .addOption(new Option('--user-name <address>').hideHelp())
    .action((person: string, options: Changing & Given, command: Command) => {
      if (options.userName !== undefined) command.error(CANNOT_RENAME);
      const attributes = attributesIn(options, command);
      if (Object.keys(attributes).length === 0)
        command.error('error: give at least one attribute to change.');
      return run(options, (session) => updatePerson(session, person, { ...options, attributes }));
    });
}

const ACCESS = {
  deactivate: 'remove access immediately; documents and tasks stay',
  activate: 'restore access',
  delete: 'deactivate with a DELETE request; the service removes nothing',
} as const;

function addAccess(people: Command, run: Run): void {
  for (const name of ['deactivate', 'activate', 'delete'] as const) {
    changing(people, `${name} <person>`, ACCESS[name]).action((person: string, options: Changing) =>
      run(options, (session) => switchPerson(session, person, { ...options, verb: name })),
    );
  }
}

function addImport(people: Command, run: Run): void {
  changing(
    people,
    'import <file>',
    'create and change accounts from a CSV file, with a result for each row',
  )
    .option('--per-minute <number>', 'maximum requests to the service per minute', '240')
    .action((file: string, options: Changing & { perMinute: string }, command: Command) => {
      const perMinute = Number(options.perMinute);
      if (!Number.isInteger(perMinute) || perMinute < 1) {
        command.error('error: --per-minute must be a whole number of at least 1.');
      }
      return run({ ...options, perMinute }, (session) => importPeople(session, file, options));
    });
}

function verb(people: Command, words: string, description: string): Command {
  return people.command(words).description(description).option('--json', 'print one JSON array');
}

function listing(people: Command, words: string, description: string): Command {
  return verb(people, words, description)
    .addOption(new Option('--active', 'only accounts that are active').conflicts('deactivated'))
    .option('--deactivated', 'only accounts that are deactivated');
}

function changing(people: Command, words: string, description: string): Command {
  return verb(people, words, description)
    .option('--yes', 'do it without asking')
    .option('--dry-run', 'show what it would do, and change nothing');
}
