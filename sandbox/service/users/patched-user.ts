import { isObject } from '../../exchange.ts';
import { changed, type ServiceUser } from './account.ts';
import { readChanges } from './read-changes.ts';
import { isFault, patchSchema, type ScimFault, scimFault } from './scim-messages.ts';

/**
 * An account after a PATCH (Interface 4.5; RFC 7644 3.5.2): its operations one after the other, all or
 * none.
 */
export function patchedUser(user: ServiceUser, body: unknown): ServiceUser | ScimFault {
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
