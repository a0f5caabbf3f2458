import { StoreError } from '../../store/store.ts';
import type { Attempt } from './audit-log.ts';
import { type Change, type Result, wantedOf } from './change.ts';
import { sendChange } from './send-change.ts';
import type { Session } from './session.ts';

/**
 * Makes a change. It is noted in the audit log before it is sent, and its result afterwards: an attempt
 * without a result there was cut off in between. Throws StoreError when it cannot be noted before, and
 * what interrupts it before it was sent.
 */
export async function carryOut(session: Session, change: Change): Promise<Result> {
  const audit = await session.audit();
  const attempt = await audit.attempt(`people.${change.kind}`, factsOf(change));
  try {
    const { users, waiting, output } = session;
    const onLost = () => output.note('The service did not answer. Looking whether it was done.');
    const result = await sendChange({ users, sleep: waiting.sleep, onLost }, change);
    await noteEnd(session, attempt, endFacts(result));
    return result;
  } catch (error) {
    await noteEnd(session, attempt, { result: 'not-sent' });
    throw error;
  }
}

/** Names of attributes, never what is in them; a new account has no id yet, so that it is named by its address. */
function factsOf(change: Change): Record<string, string | null> {
  const attributes = Object.keys(wantedOf(change)).join(',');
  if (change.kind !== 'create') return { account: change.account.id, attributes };
  const { user, foreseen } = change;
  const account = foreseen.kind === 'new' ? null : foreseen.account.id;
  return { userName: user.userName, account, foreseen: foreseen.kind, attributes };
}

function endFacts(result: Result): Record<string, string | null> {
  switch (result.kind) {
    case 'done':
      return { result: 'done', ...(result.account && { account: result.account.id }) };
    case 'refused':
      return { result: 'refused', reason: result.trouble.code };
    case 'unknown':
      return { result: 'unknown' };
  }
}

async function noteEnd(
  { output }: Session,
  attempt: Attempt,
  facts: Record<string, string | null>,
): Promise<void> {
  try {
    await attempt.ended(facts);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    output.note('The audit log has the attempt; its result could not be noted.');
  }
}
