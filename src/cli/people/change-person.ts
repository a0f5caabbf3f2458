import { readAdministrators } from '../../app/configuration.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { readLink } from '../../core/people/identity-link.ts';
import type { NewUser } from '../../core/service/create-user.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import { type Store, StoreError } from '../../core/store/store.ts';
import {
  type AccountNamed,
  accountChanges,
  accountName,
  findAccount,
  readAccount,
  type TextAttributes,
} from '../../operations/accounts/account.ts';
import { type Change, isDone } from '../../operations/accounts/change.ts';
import {
  foreseeProvisioning,
  provisioningSentence,
} from '../../operations/accounts/provisioning.ts';
import { NOT_FOUND, NOT_FOUND_PARTIAL, SEVERAL_FOUND } from '../../operations/accounts/trouble.ts';
import { EXIT, type ExitCode } from '../terminal.ts';
import { carryOut } from './carry-out.ts';
import {
  doneLine,
  type End,
  endText,
  type PlannedChange,
  planCreating,
  planEdit,
  planSwitch,
  type Switch,
} from './change.ts';
import { confirm } from './output.ts';
import type { Session } from './session.ts';

/** `people show` */
export async function showPerson(session: Session, person: string): Promise<ExitCode> {
  const account = await namedAccount(session, person);
  if (account === null) return EXIT.notDone;
  session.output.cards([account]);
  return EXIT.done;
}

/** `people update`: sends only differences. */
export async function updatePerson(
  session: Session,
  person: string,
  { attributes, ...options }: ChangeOptions & { readonly attributes: TextAttributes },
): Promise<ExitCode> {
  const account = await namedAccount(session, person);
  if (account === null) return EXIT.notDone;
  const values = accountChanges(account, attributes);
  if (Object.keys(values).length > 0) {
    return makeChange(session, planEdit(account, values), options);
  }
  session.output.tell(`${accountName(account)} already has all of this. Nothing was changed.`);
  session.output.json([account]);
  return EXIT.done;
}

/** `people deactivate`, `people activate` and `people delete`. */
export async function switchPerson(
  session: Session,
  person: string,
  { verb, ...options }: ChangeOptions & { readonly verb: Switch },
): Promise<ExitCode> {
  const account = await namedAccount(session, person);
  if (account === null) return EXIT.notDone;
  const active = verb === 'activate';
  if (account.active !== active) return makeChange(session, planSwitch(account, verb), options);
  const state = active ? 'active' : 'deactivated';
  session.output.tell(`${accountName(account)} is ${state} already: nothing was changed.`);
  session.output.json([account]);
  return EXIT.done;
}

/** `people create`: checks first, and sends only what does not collide. */
export async function createPerson(
  session: Session,
  user: NewUser,
  options: ChangeOptions,
): Promise<ExitCode> {
  const foreseen = await foreseeProvisioning(session.users, user);
  if (foreseen.kind !== 'collision' && foreseen.kind !== 'several') {
    return makeChange(session, planCreating(user, foreseen), options);
  }
  session.output.note(provisioningSentence(foreseen, user.userName));
  session.output.json([]);
  return EXIT.notDone;
}

/** The named account; null, with an explanation, unless there is exactly one. */
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

/** Says what a change would do, asks for confirmation if needed, makes it, and reports the result. */
async function makeChange(
  session: Session,
  planned: PlannedChange,
  { yes = false, dryRun = false }: ChangeOptions,
): Promise<ExitCode> {
  const { terminal, output } = session;
  const { change, would, question } = planned;
  output.tell(would);
  for (const warning of await warningsOf(session, change)) output.note(warning);
  if (takesAccess(change)) noteUnwarned(session);
  if (dryRun) {
    output.tell('Nothing was changed (--dry-run).');
    output.json([]);
    return EXIT.done;
  }
  if (question !== null && !(await confirm(terminal, output, { yes, question }))) {
    output.json([]);
    return EXIT.notDone;
  }
  // The person may have taken a while to answer.
  const isReady = yes || question === null;
  return tellEnd(session, planned, await carryOut(session, change, { isReady }));
}

async function tellEnd(session: Session, planned: PlannedChange, end: End): Promise<ExitCode> {
  const { output } = session;
  const { outcome, ...rest } = end;
  if (outcome === undefined || !isDone(outcome)) {
    output.note(endText(planned.change, { ...(outcome && { outcome }), ...rest }));
    output.json([]);
    return outcome?.code === 'already' ? EXIT.done : EXIT.notDone;
  }
  const { account, unlike } = outcome;
  const line = doneLine(planned, outcome);
  if (unlike.length === 0) output.tell(line);
  else output.note(line);
  if (output.isJson) output.json(account ? [(await accountNow(session, account)) ?? account] : []);
  return unlike.length === 0 ? EXIT.done : EXIT.notDone;
}

/** undefined: it cannot be read now. The change was made anyway. */
async function accountNow(
  { users, terminal }: Session,
  account: AccountNamed,
): Promise<UserProfile | undefined> {
  try {
    return await readAccount(users, account);
  } catch (error) {
    if (error instanceof RemoteFailure || terminal.signal.aborted) return undefined;
    throw error;
  }
}

const OWN_ACCOUNT = 'This may be your own account: its name matches your login here.';
const ADMINISTRATOR = 'This account belongs to a Gatepost administrator.';
const IN_A_GROUP =
  'This command cannot tell who is a Gatepost administrator through a user group. Check before you continue.';

const UNREAD =
  'Gatepost cannot read all administrators in its settings. gatepost doctor says what to fix. Check before you continue.';

type Removal = Change & { readonly kind: 'deactivate' | 'delete' };

function takesAccess(change: Change): change is Removal {
  return change.kind === 'deactivate' || change.kind === 'delete';
}

/** Once, before access is removed: for whom there is no warning. Group members are known only to Slack. */
export function noteUnwarned({ terminal, output }: Session): void {
  const { administrators, isPartial } = readAdministrators(terminal.env);
  if (administrators.groups.length > 0) output.note(IN_A_GROUP);
  if (isPartial) output.note(UNREAD);
}

/** Warnings before access is removed from administrators. */
export async function warningsOf({ terminal, store }: Session, change: Change): Promise<string[]> {
  if (!takesAccess(change)) return [];
  const { userName } = change.account;
  const isOwn = userName.split('@')[0]?.toLowerCase() === terminal.user.toLowerCase();
  const isOne = await isAdministrators(terminal.env, store, change.account);
  return [...(isOwn ? [OWN_ACCOUNT] : []), ...(isOne ? [ADMINISTRATOR] : [])];
}

/**
 * Whether an account is known to be an administrator's: from the configuration, or from links the bot has stored. False
 * if that is not known.
 */
async function isAdministrators(
  env: Readonly<Record<string, string | undefined>>,
  store: () => Promise<Store | null>,
  { id, externalId }: AccountNamed,
): Promise<boolean> {
  const { administrators, identityOverrides } = readAdministrators(env);
  const { users } = administrators;
  // Overrides name accounts by the id of `identity.userId`.
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
    // Without the store no change is made, and that is reported later.
    if (error instanceof StoreError) return false;
    throw error;
  }
}
