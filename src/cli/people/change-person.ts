import { accountChanges, accountName, type TextAttributes } from '../../accounts/account.ts';
import { type ChangeOptions, makeChange } from './make-change.ts';
import { namedAccount } from './named-account.ts';
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
