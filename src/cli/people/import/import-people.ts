import { readFile, stat } from 'node:fs/promises';
import { confirm } from '../confirm.ts';
import type { ChangeOptions } from '../make-change.ts';
import type { Session } from '../session.ts';
import { EXIT, type ExitCode } from '../terminal.ts';
import { goThrough, type Round } from './go-through.ts';
import { type ImportFile, type ImportRow, readRows } from './read-rows.ts';
import type { RowWord } from './row-result.ts';
import { rowsJson, summaryText } from './row-text.ts';

/**
 * `people import`: looks at each row, and does what it says. It may be run again: what is done is left
 * alone.
 */
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
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (typeof code !== 'string') throw error;
    return { kind: 'wrong', problem: `It cannot be read (${code}).` };
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
    `${stopped} Stopped at row ${next}: ${rows.length - results.length} of ${rows.length} rows were not tried.`,
  );
  if (!isPlan) output.note('Run the same command again to go on: what is done is left alone.');
  return EXIT.notDone;
}
