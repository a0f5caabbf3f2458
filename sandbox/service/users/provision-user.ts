import { isObject } from '../../exchange.ts';
import type { Variant } from '../variant.ts';
import {
  changed,
  isSameAddress,
  newAccount,
  type ServiceUser,
  type UserChanges,
} from './account.ts';
import { readChanges } from './read-changes.ts';
import { coreSchema, isFault, type ScimFault, scimFault } from './scim-messages.ts';

export interface NewUser {
  readonly userName: string;
  readonly changes: UserChanges;
}

/** Reads the body of a POST (RFC 7644 3.3); attributes that the service does not have are ignored. */
export function readNewUser(body: unknown): NewUser | ScimFault {
  const schemas = isObject(body) ? body.schemas : undefined;
  if (!isObject(body) || !Array.isArray(schemas) || !schemas.includes(coreSchema)) {
    return scimFault(400, 'This is no user.', 'invalidSyntax');
  }
  const { userName } = body;
  if (typeof userName !== 'string' || userName.trim() === '') {
    return scimFault(400, 'userName is required.', 'invalidValue');
  }
  const changes = readChanges(body, 'ignored');
  return isFault(changes) ? changes : { userName, changes };
}

export interface Provisioned {
  readonly users: readonly ServiceUser[];
  /** The account after it. */
  readonly user: ServiceUser;
  readonly isNew: boolean;
}

/** Matches an account or creates one (Interface 3.3, 4.5 create rules). */
export function provisionUser(
  users: readonly ServiceUser[],
  { userName, changes }: NewUser,
  { newId, twins }: { readonly newId: () => string; readonly twins: Variant['scimTwins'] },
): Provisioned | ScimFault {
  const { externalId } = changes;
  const namesakes = users.filter((user) => isSameAddress(user.userName, userName));
  const [namesake] = namesakes;
  const match =
    externalId === undefined ? namesake : users.find((user) => user.externalId === externalId);
  if (match) {
    // Provisioning an account again reactivates it, unless the request says otherwise.
    const user = changed({ ...match, active: true, origin: 'scim' }, changes);
    return { users: users.map((each) => (each === match ? user : each)), user, isNew: false };
  }
  // Rule 3. It is not shown what happens to an account of the same name that SCIM itself created.
  const isTaken = namesakes.some(({ origin }) => origin === 'local' || twins === 'refused');
  if (isTaken) return scimFault(409, 'An account with this userName exists.', 'uniqueness');
  const user = changed({ ...newAccount(newId(), userName), origin: 'scim' }, changes);
  return { users: [...users, user], user, isNew: true };
}
