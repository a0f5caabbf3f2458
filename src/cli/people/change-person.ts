import { isDeepStrictEqual } from 'node:util';
import {
  accountChanges,
  accountName,
  findAccount,
  type TextAttributes,
} from '../../accounts/account.ts';
import { foreseeProvisioning, wouldSentence } from '../../accounts/provisioning.ts';
import { NOT_FOUND, NOT_FOUND_PARTIAL, SEVERAL_FOUND } from '../../accounts/trouble.ts';
import { readAdministrators } from '../../config/read-config.ts';
import { readLink } from '../../people/identity-link.ts';
import type { NewUser } from '../../service/create-user.ts';
import type { UserProfile } from '../../service/service-user.ts';
import { type Store, StoreError } from '../../store/store.ts';
import {
  type Change,
  differences,
  differingText,
  questionText,
  type Result,
  resultText,
  wouldText,
} from './change.ts';
import { confirm } from './output.ts';
import { carryOut } from './send-change.ts';
import type { Session } from './session.ts';
import { EXIT, type ExitCode } from './terminal.ts';

/** `people show` */
export async function showPerson(session: Session, person: string): Promise<ExitCode> {
  const account = await namedAccount(session, person);
  if (account === null) return EXIT.notDone;
  session.output.cards([account]);
  return EXIT.done;
}

/** `people update`: sends what the account does not have yet. */
export async function updatePerson(
  session: Session,
  person: string,
  { attributes, ...options }: ChangeOptions & { readonly attributes: TextAttributes },
): Promise<ExitCode> {
  const account = await namedAccount(session, person);
  if (account === null) return EXIT.notDone;
  const values = accountChanges(account, attributes);
  if (Object.keys(values).length > 0) {
    return makeChange(session, { kind: 'update', account, values }, options);
  }
  session.output.tell(`${accountName(account)} has all of this already: nothing was changed.`);
  session.output.json([account]);
  return EXIT.done;
}

/** `people deactivate`, `people activate` and `people delete`. */
export async function switchPerson(
  session: Session,
  person: string,
  { verb, ...options }: ChangeOptions & { readonly verb: 'deactivate' | 'activate' | 'delete' },
): Promise<ExitCode> {
  const account = await namedAccount(session, person);
  if (account === null) return EXIT.notDone;
  const active = verb === 'activate';
  if (account.active !== active) {
    const change =
      verb === 'delete' ? { kind: verb, account } : { kind: verb, account, values: { active } };
    return makeChange(session, change, options);
  }
  const state = active ? 'active' : 'deactivated';
  session.output.tell(`${accountName(account)} is ${state} already: nothing was changed.`);
  session.output.json([account]);
  return EXIT.done;
}

/** `people create`: looks first, and sends only what will not collide. */
export async function createPerson(
  session: Session,
  user: NewUser,
  options: ChangeOptions,
): Promise<ExitCode> {
  const foreseen = await foreseeProvisioning(session.users, user);
  if (foreseen.kind !== 'collision' && foreseen.kind !== 'several') {
    const isStillSo = async () =>
      isDeepStrictEqual(await foreseeProvisioning(session.users, user), foreseen);
    return makeChange(session, { kind: 'create', user, foreseen }, options, isStillSo);
  }
  session.output.note(wouldSentence(foreseen, user.userName));
  session.output.json([]);
  return EXIT.notDone;
}

/** The account that somebody names; null, and said, when there is not exactly one. */
async function namedAccount(
  { users, output }: Session,
  person: string,
): Promise<UserProfile | null> {
  const match = await findAccount(users, person);
  if (match.kind === 'found') return match.user;
  if (match.kind === 'several') output.note(SEVERAL_FOUND);
  else output.note(match.isPartial ? NOT_FOUND_PARTIAL : NOT_FOUND);
  output.json([]);
  return null;
}

export interface ChangeOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/**
 * Says what a change would do, asks where it has to be confirmed, makes it, and says what came of it.
 * `isStillSo`: whether it would do the same after somebody took their time to answer.
 */
async function makeChange(
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

const OWN_ACCOUNT = 'This may be your own account: it has the name you are logged in with here.';
const ADMINISTRATOR = 'This is the account of an administrator of Gatepost.';

/** What has to be said before access is taken from those who are missed most. */
export async function warningsOf(
  { terminal, store }: Pick<Session, 'terminal' | 'store'>,
  change: Change,
): Promise<string[]> {
  if (change.kind !== 'deactivate' && change.kind !== 'delete') return [];
  const { userName } = change.account;
  const isOwn = userName.split('@')[0]?.toLowerCase() === terminal.user.toLowerCase();
  const isOne = await isAdministrators(terminal.env, store, change.account);
  return [...(isOwn ? [OWN_ACCOUNT] : []), ...(isOne ? [ADMINISTRATOR] : [])];
}

/**
 * Whether an account is known to be that of an administrator of Gatepost: by the configuration, or by
 * what the bot found out before. False where that is not known.
 */
async function isAdministrators(
  env: Readonly<Record<string, string | undefined>>,
  store: () => Promise<Pick<Store, 'get' | 'now'> | null>,
  { id, externalId }: Pick<UserProfile, 'id' | 'externalId'>,
): Promise<boolean> {
  const { administrators, identityOverrides } = readAdministrators(env);
  const { users } = administrators;
  // By whichever id `identity.userId` has overrides name an account.
  const isNamed = (override: string | undefined) =>
    override !== undefined && [id, externalId].includes(override);
  if (users.some((user) => isNamed(identityOverrides[user]))) return true;
  if (users.length === 0) return false;
  try {
    const opened = await store();
    if (opened === null) return false;
    const { holder } = await readLink(opened, [], id);
    return holder !== null && users.includes(holder);
  } catch (error) {
    // Without the store nothing is changed, which is said then.
    if (error instanceof StoreError) return false;
    throw error;
  }
}
