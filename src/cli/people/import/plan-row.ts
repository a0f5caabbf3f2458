import { accountChanges } from '../../../accounts/account.ts';
import { foreseeProvisioning, wouldSentence } from '../../../accounts/provisioning.ts';
import type { Change } from '../change.ts';
import type { PatientUsers } from '../patient-users.ts';
import type { ImportRow } from './read-rows.ts';

/** What becomes of a row. */
export type RowPlan =
  | { readonly kind: 'change'; readonly change: Change }
  /** The account has all of it. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Looks what a row would do. An account that has all of it is left alone; one without an external id
 * is linked, which sets what differs; one with an external id is changed. Throws RemoteFailure.
 */
export async function planRow(
  users: Pick<PatientUsers, 'find'>,
  { user, problem }: ImportRow,
): Promise<RowPlan> {
  if (problem !== null) return { kind: 'refused', reason: problem };
  const foreseen = await foreseeProvisioning(users, user);
  switch (foreseen.kind) {
    case 'collision':
    case 'several':
      return { kind: 'refused', reason: wouldSentence(foreseen, user.userName) };
    case 'new':
      return { kind: 'change', change: { kind: 'create', user, foreseen } };
  }
  const { account } = foreseen;
  const { userName: _, ...wanted } = user;
  const values = accountChanges(account, wanted);
  if (foreseen.kind === 'reactivate' && user.active !== false) {
    return { kind: 'change', change: { kind: 'create', user, foreseen } };
  }
  if (Object.keys(values).length === 0) return { kind: 'unchanged' };
  if (values.active === false) {
    return { kind: 'change', change: { kind: 'deactivate', account, values } };
  }
  // Creating would re-activate.
  const isLinked = account.externalId !== null || account.active === false;
  return isLinked
    ? { kind: 'change', change: { kind: 'update', account, values } }
    : { kind: 'change', change: { kind: 'create', user, foreseen } };
}
