import { readFile, stat } from 'node:fs/promises';
import { cleanLine } from '../../core/lib/clean-line.ts';
import { fileTrouble } from '../../core/lib/file-trouble.ts';
import { isDone, type Outcome } from '../../operations/accounts/change.ts';
import { createMovingLine } from '../moving-line.ts';
import { progressText } from '../output.ts';
import { displayWidth } from '../table.ts';
import { EXIT, type ExitCode } from '../terminal.ts';
import { carryOut } from './carry-out.ts';
import { endText } from './change.ts';
import { type ChangeOptions, noteUnwarned, warningsOf } from './change-person.ts';
import { type ImportFile, type ImportRow, readRows } from './import-file.ts';
import {
  doneRow,
  plannedRow,
  planRow,
  type RowResult,
  type RowWord,
  rowsJson,
  rowText,
  summaryText,
} from './import-row.ts';
import { confirm } from './output.ts';
import { endCode, endSentence, type Session } from './session.ts';

/** `people import`: checks each row, and carries it out. Safe to repeat: what is done is left alone. */
export async function importPeople(
  session: Session,
  path: string,
  { yes = false, dryRun = false }: ChangeOptions,
): Promise<ExitCode> {
  const { terminal, output } = session;
  const file = await readImport(path);
  if (file.kind === 'wrong') {
    output.note(`The file cannot be imported. ${file.problem}`);
    return EXIT.usage;
  }
  const { rows } = file;
  if (rows.some(({ user }) => user.active === false)) noteUnwarned(session);
  if (!yes || dryRun) {
    const plan = await goThrough(session, rows, true);
    const code = tellEnd(session, rows, plan, true);
    const isOver = dryRun || plan.stopped !== null || !plan.results.some(isChange);
    const question = 'Do this?';
    if (isOver || !(await confirm(terminal, output, { yes: false, question }))) {
      output.json(rowsJson(plan.results, true));
      return isOver ? code : EXIT.notDone;
    }
  }
  const done = await goThrough(session, rows, false);
  output.json(rowsJson(done.results, false));
  return tellEnd(session, rows, done, false);
}

const MAX_BYTES = 50 * 1024 * 1024;

async function readImport(path: string): Promise<ImportFile> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) return { kind: 'wrong', problem: 'It is larger than 50 MB: split it.' };
    return readRows(await readFile(path));
  } catch (error) {
    return { kind: 'wrong', problem: `${cleanLine(path)} ${fileTrouble(error)}.` };
  }
}

function isChange({ result }: { readonly result: RowWord }): boolean {
  return !isFailed({ result }) && result !== 'unchanged';
}

function isFailed({ result }: { readonly result: RowWord }): boolean {
  return result === 'refused' || result === 'unknown';
}

function tellEnd(
  { output }: Session,
  rows: readonly ImportRow[],
  { results, stopped }: Round,
  isPlan: boolean,
): ExitCode {
  output.note(summaryText(results, isPlan));
  if (stopped === null) return results.some(isFailed) ? EXIT.notDone : EXIT.done;
  const next = rows[results.length]?.number;
  output.note(
    `${stopped.why} Stopped at row ${next}: ${rows.length - results.length} of ${rows.length} rows were not tried.`,
  );
  if (!isPlan)
    output.note('Run the same command again to continue. Rows that are done are skipped.');
  return stopped.code;
}

interface Round {
  readonly results: readonly RowResult[];
  /** Why the remaining rows were not tried; null: all were. */
  readonly stopped: Stop | null;
}

/** Processes the rows in order, and reports each. `isPlan`: only checks them. */
async function goThrough(
  session: Session,
  rows: readonly ImportRow[],
  isPlan: boolean,
): Promise<Round> {
  const { terminal, output, system } = session;
  const widths = {
    row: String(rows.at(-1)?.number ?? 0).length,
    userName: rows.reduce((most, { user }) => Math.max(most, displayWidth(user.userName)), 0),
  };
  using progress = createMovingLine(terminal, system);
  const results: RowResult[] = [];
  for (const row of rows) {
    progress.show(progressText(results.length, rows.length, 'rows'));
    const result = await goOn(session, row, isPlan);
    progress.clear();
    if ('stopped' in result) return { results, stopped: result.stopped };
    results.push(result);
    output.tell(rowText(result, { isPlan, widths }));
  }
  return { results, stopped: null };
}

interface Stop {
  readonly why: string;
  readonly code: ExitCode;
}

interface Stopped {
  readonly stopped: Stop;
}

/** Failures that affect all rows. */
const FOR_ALL: ReadonlySet<string> = new Set<Outcome['code']>([
  'unauthorized',
  'forbidden',
  'absent',
  'busy',
  'not-reached',
  'cancelled',
]);

async function goOn(
  session: Session,
  row: ImportRow,
  isPlan: boolean,
): Promise<RowResult | Stopped> {
  try {
    session.terminal.signal.throwIfAborted();
    const plan = await planRow(session.users, row);
    if (plan.kind !== 'change') return plannedRow(row, plan);
    const { change } = plan.planned;
    for (const warning of await warningsOf(session, change)) {
      session.output.note(`Row ${row.number}: ${warning}`);
    }
    if (isPlan) return plannedRow(row, plan);
    const end = await carryOut(session, change, { isReady: true });
    const { outcome } = end;
    const isForAll = outcome !== undefined && !isDone(outcome) && FOR_ALL.has(outcome.code);
    if (isForAll && !end.unconfirmed) {
      return { stopped: { why: endText(change, { outcome }), code: EXIT.notDone } };
    }
    return doneRow(row, plan.planned, end);
  } catch (error) {
    return { stopped: { why: endSentence(error, session.terminal), code: endCode(error) } };
  }
}
