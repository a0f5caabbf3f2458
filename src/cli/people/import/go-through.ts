import { type TroubleCode, troubleSentence } from '../../../accounts/trouble.ts';
import { carryOut } from '../carry-out.ts';
import { displayWidth } from '../display-width.ts';
import { endSentence } from '../end-sentence.ts';
import { createProgress } from '../progress.ts';
import type { Session } from '../session.ts';
import { warningsOf } from '../warnings.ts';
import { planRow } from './plan-row.ts';
import type { ImportRow } from './read-rows.ts';
import { doneRow, plannedRow, type RowResult } from './row-result.ts';
import { rowText } from './row-text.ts';

export interface Round {
  readonly results: readonly RowResult[];
  /** Why the rows behind were not tried; null: all were. */
  readonly stopped: string | null;
}

/** Goes through the rows, one after the other, and tells of each. `isPlan`: it only looks. */
export async function goThrough(
  session: Session,
  rows: readonly ImportRow[],
  isPlan: boolean,
): Promise<Round> {
  const { terminal, output } = session;
  const widths = {
    row: String(rows.at(-1)?.number ?? 0).length,
    userName: rows.reduce((most, { user }) => Math.max(most, displayWidth(user.userName)), 0),
  };
  const progress = createProgress(terminal, 'rows');
  const results: RowResult[] = [];
  for (const row of rows) {
    progress.show(results.length, rows.length);
    const result = await goOn(session, row, isPlan);
    progress.clear();
    if ('stopped' in result) return { results, stopped: result.stopped };
    results.push(result);
    output.tell(rowText(result, { isPlan, widths }));
  }
  return { results, stopped: null };
}

interface Stopped {
  readonly stopped: string;
}

/** What is wrong with all rows alike. */
const FOR_ALL: ReadonlySet<TroubleCode> = new Set([
  'unauthorized',
  'forbidden',
  'absent',
  'throttled',
  'unreachable',
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
    for (const warning of await warningsOf(session, plan.change)) {
      session.output.note(`Row ${row.number}: ${warning}`);
    }
    if (isPlan) return plannedRow(row, plan);
    const result = await carryOut(session, plan.change);
    if (result.kind === 'refused' && FOR_ALL.has(result.trouble.code)) {
      return { stopped: troubleSentence(result.trouble) };
    }
    return doneRow(row, plan.change, result);
  } catch (error) {
    return { stopped: endSentence(error, session.terminal) };
  }
}
