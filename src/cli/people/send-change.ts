import { accountChanges } from '../../accounts/account.ts';
import { readAccount } from '../../accounts/change/read-account.ts';
import { troubleOf } from '../../accounts/trouble.ts';
import { RemoteFailure } from '../../lib/failure.ts';
import type { CreateUserOutcome } from '../../service/create-user.ts';
import type { DeleteUserOutcome } from '../../service/delete-user.ts';
import type { PatchUserOutcome } from '../../service/patch-user.ts';
import type { UserProfile } from '../../service/service-user.ts';
import { StoreError } from '../../store/store.ts';
import { accountBefore, type Change, expectedOf, type Result, wantedOf } from './change.ts';
import type { PatientUsers } from './patient-users.ts';
import type { Attempt, Session } from './session.ts';

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

export interface SendNeeds {
  readonly users: PatientUsers;
  readonly sleep: (ms: number) => Promise<void>;
  /** The answer was lost; looking takes a few seconds. */
  readonly onLost: () => void;
}

/** When it is looked whether a change took effect whose answer was lost. */
const LOOKS_MS = [1_000, 2_000];

type Outcome = CreateUserOutcome | PatchUserOutcome | DeleteUserOutcome;

/**
 * Sends a change once. When its answer is lost it looks: there, it is done. Not there, what means the
 * same a second time is sent once more: absolute values, and a new account that two looks did not
 * find. Throws what interrupts it before anything was sent.
 */
export async function sendChange(needs: SendNeeds, change: Change): Promise<Result> {
  const first = await trySend(needs, change);
  if (first !== 'lost') return first;
  needs.onLost();
  const seen = await look(needs, change);
  return seen === 'again' ? sendAgain(needs, change) : seen;
}

/** The first may take effect still: whatever stops this one, that is not known. */
async function sendAgain(needs: SendNeeds, change: Change): Promise<Result> {
  try {
    const second = await trySend(needs, change);
    if (second !== 'lost' && second.kind === 'done') return second;
    const last = await look(needs, change);
    return last === 'again' ? { kind: 'unknown' } : last;
  } catch (error) {
    if (!isInterruption(error)) throw error;
    return { kind: 'unknown' };
  }
}

async function trySend(needs: SendNeeds, change: Change): Promise<Result | 'lost'> {
  let outcome: Outcome;
  try {
    outcome = await sendOnce(needs.users, change);
  } catch (error) {
    if (error instanceof RemoteFailure && error.class === 'ambiguous') return 'lost';
    return { kind: 'refused', trouble: troubleOf(error) };
  }
  return resultOf(needs, change, outcome);
}

function sendOnce(users: PatientUsers, change: Change): Promise<Outcome> {
  switch (change.kind) {
    case 'create':
      return users.create(change.user);
    case 'delete':
      return users.delete(change.account.id);
    default:
      return users.patch(change.account.id, [{ op: 'replace', values: change.values }]);
  }
}

async function resultOf(needs: SendNeeds, change: Change, outcome: Outcome): Promise<Result> {
  switch (outcome.kind) {
    case 'provisioned':
    case 'changed':
      return { kind: 'done', account: outcome.user ?? (await accountNow(needs.users, change)) };
    case 'deactivated':
      return { kind: 'done', account: await accountNow(needs.users, change) };
    case 'gone':
      return goneAlready(needs, change, outcome.detail);
    default:
      return { kind: 'refused', trouble: { code: outcome.kind, detail: outcome.detail } };
  }
}

/** Somebody else was faster: what was to be deactivated is. */
async function goneAlready(
  { users }: SendNeeds,
  change: Change,
  detail: string | null,
): Promise<Result> {
  if (change.kind === 'delete') {
    const now = await accountNow(users, change);
    if (now === null || now.active === false) return { kind: 'done', account: now };
  }
  return { kind: 'refused', trouble: { code: 'gone', detail } };
}

/** null: it is not shown, or cannot be looked up just now. What was changed is changed all the same. */
async function accountNow(users: PatientUsers, change: Change): Promise<UserProfile | null> {
  try {
    return await find(users, change);
  } catch (error) {
    if (error instanceof RemoteFailure || isInterruption(error)) return null;
    throw error;
  }
}

/** Looks twice whether it took effect; `again`: it did not, and may be sent again. */
async function look(needs: SendNeeds, change: Change): Promise<Result | 'again'> {
  try {
    let account: UserProfile | null = null;
    for (const ms of LOOKS_MS) {
      await needs.sleep(ms);
      account = await find(needs.users, change);
      if (account !== null && isAsWanted(account, change)) return { kind: 'done', account };
    }
    return mayRepeat(account, change) ? 'again' : { kind: 'unknown' };
  } catch (error) {
    const isExpected = error instanceof RemoteFailure || isInterruption(error);
    if (!isExpected) throw error;
    return { kind: 'unknown' };
  }
}

function isInterruption(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Creating re-activates, and whoever deactivated the account meanwhile may have meant it. */
function mayRepeat(account: UserProfile | null, change: Change): boolean {
  return change.kind === 'create' ? account === null && change.foreseen.kind === 'new' : true;
}

function isAsWanted(account: UserProfile, change: Change): boolean {
  // It was not there before.
  if (change.kind === 'create' && change.foreseen.kind === 'new') return true;
  return Object.keys(accountChanges(account, expectedOf(change))).length === 0;
}

async function find(users: PatientUsers, change: Change): Promise<UserProfile | null> {
  const known = accountBefore(change);
  if (known !== null) return (await readAccount(users, known)) ?? null;
  const { userName } = change.kind === 'create' ? change.user : change.account;
  const match = await users.find('userName', userName);
  return match.kind === 'found' ? match.user : null;
}
