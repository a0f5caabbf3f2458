import { type Answer, type Exchange, isObject } from '../../exchange.ts';
import type { Memory } from '../memory.ts';
import type { ServiceOperation } from '../service-handle.ts';
import type { Variant } from '../variant.ts';
import { changed, type ServiceUser } from './account.ts';
import { provisionUser, readNewUser } from './provision-user.ts';
import { readChanges } from './read-changes.ts';
import { listUsers } from './scim-list.ts';
import {
  faultAnswer,
  isFault,
  patchSchema,
  type ScimFault,
  scimFault,
  userAnswer,
} from './scim-messages.ts';

interface UsersNeeds {
  readonly memory: Memory;
  readonly scimToken: string;
  readonly randomUuid: () => string;
}

interface UsersRequest {
  readonly operation: Extract<ServiceOperation, `${string}User` | `${string}Users`>;
  /** Of the account in the path. */
  readonly id: string;
  readonly body: unknown;
}

/** One operation on accounts (Interface 4.5). */
export function carryOutUsers(
  { headers, query }: Exchange,
  { operation, id, body }: UsersRequest,
  { memory, scimToken, randomUuid }: UsersNeeds,
): Answer {
  const { variant } = memory;
  const refused = refusedEntry(headers, scimToken, variant);
  if (refused) return faultAnswer(refused, variant);
  switch (operation) {
    case 'listUsers':
      return listUsers(memory.users, query, variant);
    case 'createUser':
      return create(memory, body, randomUuid);
    case 'patchUser':
      return patch(memory, id, body);
    case 'deleteUser':
      return deactivate(memory, id);
  }
}

/** A closed beta that needs an enterprise license: it may be closed, or not there at all. */
function refusedEntry(
  headers: Exchange['headers'],
  scimToken: string,
  { scimAccess, scimMedia }: Variant,
): ScimFault | undefined {
  if (scimAccess === 'absent') return scimFault(404, 'There is nothing here.');
  if (headers.authorization !== `Bearer ${scimToken}`) return scimFault(401, 'Not authorized.');
  if (scimAccess === 'forbidden') return scimFault(403, 'This needs an enterprise license.');
  const type = headers['content-type']?.split(';')[0];
  const taken = ['application/json', ...(scimMedia === 'both' ? ['application/scim+json'] : [])];
  const isTaken = type === undefined || taken.includes(type);
  return isTaken ? undefined : scimFault(415, `Send ${taken.at(-1)}.`);
}

function create(memory: Memory, body: unknown, newId: () => string): Answer {
  const { variant } = memory;
  const wanted = readNewUser(body);
  if (isFault(wanted)) return faultAnswer(wanted, variant);
  const done = provisionUser(memory.users, wanted, { newId, twins: variant.scimTwins });
  if (isFault(done)) return faultAnswer(collision(done, variant), variant);
  memory.users = done.users;
  const { scimCreateStatus: told } = variant;
  return userAnswer(told === 'by-effect' ? (done.isNew ? 201 : 200) : told, done.user, variant);
}

/** The error of servers that report collisions differently. */
function collision(fault: ScimFault, { scimCollision }: Variant): ScimFault {
  if (scimCollision === 'plain-409') return scimFault(409, fault.detail);
  return { ...fault, status: scimCollision };
}

function patch(memory: Memory, id: string, body: unknown): Answer {
  const { variant, users } = memory;
  const before = users.find((user) => user.id === id);
  if (!before) return unknownUser(variant);
  const after = patchedUser(before, body);
  if (isFault(after)) return faultAnswer(after, variant);
  const isTaken = users.some(
    (user) => user !== before && after.externalId !== null && user.externalId === after.externalId,
  );
  if (isTaken) {
    return faultAnswer(
      scimFault(409, 'Another account has this externalId.', 'uniqueness'),
      variant,
    );
  }
  put(memory, before, after);
  return userAnswer(variant.scimPatchStatus, after, variant);
}

/** The same as PATCH with active=false: nothing is deleted. */
function deactivate(memory: Memory, id: string): Answer {
  const { variant, users } = memory;
  const before = users.find((user) => user.id === id);
  const isGone = !before?.active && variant.scimDeleteAgain === 404;
  if (!before || isGone) return unknownUser(variant);
  const after = { ...before, active: false };
  put(memory, before, after);
  return userAnswer(variant.scimDeleteStatus, after, variant);
}

function put(memory: Memory, before: ServiceUser, after: ServiceUser): void {
  memory.users = memory.users.map((user) => (user === before ? after : user));
}

function unknownUser(variant: Variant): Answer {
  return faultAnswer(scimFault(404, 'There is no such user.'), variant);
}

/** An account after a PATCH (Interface 4.5; RFC 7644 3.5.2): its operations in order, all or none. */
function patchedUser(user: ServiceUser, body: unknown): ServiceUser | ScimFault {
  const { schemas, Operations: operations } = isObject(body) ? body : {};
  const isPatch = Array.isArray(schemas) && schemas.includes(patchSchema);
  if (!isPatch || !Array.isArray(operations) || operations.length === 0) {
    return scimFault(400, 'This is no PATCH.', 'invalidSyntax');
  }
  let after = user;
  for (const operation of operations) {
    const changes = changesOf(operation);
    if (isFault(changes)) return changes;
    after = changed(after, changes);
  }
  return after;
}

/** Rule 1: add and replace with a path, replace without. */
function changesOf(operation: unknown) {
  const { op, path, value } = isObject(operation) ? operation : {};
  const verb = typeof op === 'string' ? op.toLowerCase() : '';
  if (verb !== 'add' && verb !== 'replace') {
    return scimFault(400, 'An operation is add or replace.', 'invalidSyntax');
  }
  if (typeof path === 'string') return readChanges({ [path]: value }, 'refused');
  if (path !== undefined || verb !== 'replace' || !isObject(value)) {
    return scimFault(400, 'Without a path it replaces attributes of an object.', 'invalidSyntax');
  }
  return readChanges(value, 'refused');
}
