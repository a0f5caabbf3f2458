import { createInterface } from 'node:readline/promises';
import { cleanLine } from '../../core/lib/clean-line.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import { ATTRIBUTES, TEXT_ATTRIBUTES } from '../../operations/accounts/account.ts';
import { createJson, safeJson } from '../output.ts';
import { type Column, createTable, tableText } from '../table.ts';
import { print, type Terminal } from '../terminal.ts';

export interface Output {
  /** Results: standard output, unless that is for programs. */
  tell(sentence: string): void;
  /** Notes: standard error. */
  note(sentence: string): void;
  /** One line for each account; for programs one array. */
  table(accounts: readonly UserProfile[]): void;
  /** The same, for accounts that arrive in parts. Both reject with OutputError. */
  list(): {
    rows(accounts: readonly UserProfile[]): Promise<void>;
    end(): Promise<void>;
  };
  /** For programs one array; for people everything about each account. */
  cards(accounts: readonly UserProfile[]): void;
  readonly isJson: boolean;
  /** Only for programs. */
  json(rows: readonly object[]): void;
}

/** A command's output. `json`: standard output has one array and nothing else. */
export function createOutput(
  terminal: Terminal,
  { json: isJson = false }: { readonly json?: boolean },
): Output {
  const { stdout, stderr } = terminal;
  const line = (stream: NodeJS.WritableStream, sentence: string) =>
    void stream.write(`${sentence}\n`);
  const json = (rows: readonly object[]) => void (isJson && stdout.write(safeJson(rows)));
  const width = stdout.isTTY === true ? (stdout.columns ?? 80) : null;
  return {
    tell: (sentence) => line(isJson ? stderr : stdout, sentence),
    note: (sentence) => line(stderr, sentence),
    table(accounts) {
      if (!isJson && accounts.length > 0) stdout.write(tableText(accounts, COLUMNS, width));
      json(accounts);
    },
    list() {
      const writer = isJson ? createJson<UserProfile>([]) : createTable(COLUMNS, width);
      return {
        rows: (accounts) => print(terminal, writer.rows(accounts)),
        end: () => print(terminal, writer.end()),
      };
    },
    cards(accounts) {
      if (!isJson) stdout.write(accounts.map(cardText).join('\n'));
      json(accounts);
    },
    isJson,
    json,
  };
}

const COLUMNS: readonly Column<UserProfile>[] = [
  { head: 'User name', cell: ({ userName }) => userName, whole: true, keep: true },
  { head: 'Name', cell: ({ displayName }) => displayName ?? '' },
  { head: 'State', cell: ({ active }) => stateOf(active), whole: true, keep: true },
  { head: 'Job title', cell: ({ title }) => title ?? '' },
  { head: 'Department', cell: ({ department }) => department ?? '' },
  { head: 'Id', cell: ({ id }) => id, whole: true },
];

function stateOf(active: boolean | null): string {
  return active === null ? 'not shown' : active ? 'active' : 'deactivated';
}

function cardText(account: UserProfile): string {
  const rows = [
    ['User name', account.userName],
    ['Id', account.id],
    ['State', stateOf(account.active)],
    ...TEXT_ATTRIBUTES.map((name) => [ATTRIBUTES[name].name, account[name] ?? '']),
  ];
  const width = Math.max(...rows.map(([name = '']) => name.length));
  const lines = rows.map(([name = '', value = '']) =>
    `${name.padEnd(width)}  ${cleanLine(value)}`.trimEnd(),
  );
  return lines.map((each) => `${each}\n`).join('');
}

/**
 * Whether the person confirms: with `yes`, or when asked in a terminal. Otherwise it is not done, with an explanation.
 */
export async function confirm(
  { stdin, stderr, signal }: Terminal,
  { note }: Output,
  { yes, question }: { readonly yes: boolean; readonly question: string },
): Promise<boolean> {
  if (yes) return true;
  if (stdin.isTTY !== true || stderr.isTTY !== true) {
    note('Nothing was changed. Add --yes to do it.');
    return false;
  }
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  try {
    const gone = new Promise<string>((resolve) => {
      lines.once('close', () => resolve(''));
      lines.once('SIGINT', () => resolve(''));
    });
    const asked = lines.question(`${question} [y/N] `, { signal }).catch(() => '');
    const isWanted = /^y(es)?$/i.test((await Promise.race([asked, gone])).trim());
    if (!isWanted) note('Nothing was changed.');
    return isWanted;
  } finally {
    lines.close();
  }
}
