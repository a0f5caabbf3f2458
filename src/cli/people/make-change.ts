import { carryOut } from './carry-out.ts';
import type { Change, Result } from './change.ts';
import { confirm } from './confirm.ts';
import { differences } from './differences.ts';
import { differingText, questionText, resultText, wouldText } from './sentences.ts';
import type { Session } from './session.ts';
import { EXIT, type ExitCode } from './terminal.ts';
import { warningsOf } from './warnings.ts';

export interface ChangeOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/**
 * Says what a change would do, asks where it has to be confirmed, makes it, and says what came of it.
 * `isStillSo`: whether it would do the same after somebody took their time to answer.
 */
export async function makeChange(
  session: Session,
  change: Change,
  { yes = false, dryRun = false }: ChangeOptions,
  isStillSo: () => Promise<boolean> = async () => true,
): Promise<ExitCode> {
  const { terminal, output } = session;
  output.tell(wouldText(change));
  for (const warning of await warningsOf(session, change)) output.note(warning);
  if (dryRun) {
    output.json([]);
    return EXIT.done;
  }
  const question = questionText(change);
  if (needsConfirmation(change) && !(await confirm(terminal, output, { yes, question }))) {
    output.json([]);
    return EXIT.notDone;
  }
  if (!yes && needsConfirmation(change) && !(await isStillSo())) {
    output.note('This changed while you were asked. Nothing was sent: look again.');
    output.json([]);
    return EXIT.notDone;
  }
  return tellResult(session, change, await carryOut(session, change));
}

function tellResult({ output }: Session, change: Change, result: Result): ExitCode {
  if (result.kind !== 'done') {
    output.note(resultText(change, result));
    output.json([]);
    return EXIT.notDone;
  }
  output.tell(resultText(change, result));
  output.json(result.account === null ? [] : [result.account]);
  const differing = differences(change, result);
  if (differing.length === 0) return EXIT.done;
  output.note(differingText(differing));
  return EXIT.notDone;
}

/** What gives or takes access to somebody who has an account, and what may do so. */
function needsConfirmation(change: Change): boolean {
  if (change.kind === 'update') return false;
  return change.kind !== 'create' || change.foreseen.kind !== 'new' || change.foreseen.isPartial;
}
