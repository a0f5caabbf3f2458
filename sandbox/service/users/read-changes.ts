import { isObject } from '../../exchange.ts';
import type { UserChanges } from './account.ts';
import { coreSchema, enterpriseSchema, type ScimFault, scimFault } from './scim-messages.ts';

/** By path in lower case: names ignore case (RFC 7643 2.1). */
const attributes: Readonly<Record<string, keyof UserChanges>> = {
  active: 'active',
  displayname: 'displayName',
  'name.formatted': 'formatted',
  'name.givenname': 'givenName',
  'name.familyname': 'familyName',
  title: 'title',
  externalid: 'externalId',
  [`${enterpriseSchema}:department`.toLowerCase()]: 'department',
};
const fixed = ['username', 'id', 'meta'];

/**
 * Reads attributes of a resource: nested, dotted, or after the URN of their schema (RFC 7643 3.3, RFC 7644 3.10).
 * @param others what happens to one that cannot be set.
 */
export function readChanges(
  resource: Readonly<Record<string, unknown>>,
  others: 'ignored' | 'refused',
): UserChanges | ScimFault {
  const changes: Record<string, unknown> = {};
  for (const [path, value] of leavesOf(resource)) {
    const name = withoutCore(path.toLowerCase());
    const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if (attribute === undefined && others === 'ignored') continue;
    if (fixed.includes(name)) return scimFault(400, `${name} cannot be changed.`, 'mutability');
    if (attribute === undefined) return scimFault(400, 'No such attribute.', 'invalidPath');
    const read = attribute === 'active' ? readBoolean(value) : readText(value);
    if (read === undefined) return scimFault(400, `${name} is not valid.`, 'invalidValue');
    changes[attribute] = read;
  }
  return changes;
}

/** Every member that is not an object, with its path. */
function leavesOf(resource: Readonly<Record<string, unknown>>): [path: string, value: unknown][] {
  return Object.entries(resource).flatMap(([name, value]) => {
    if (!isObject(value)) return [[name, value] as [string, unknown]];
    const mark = name.toLowerCase().startsWith('urn:') ? ':' : '.';
    return Object.entries(value).map(
      ([inner, below]) => [`${name}${mark}${inner}`, below] as [string, unknown],
    );
  });
}

/** A path in lower case without the optional URN (RFC 7644 3.10). */
export function withoutCore(path: string): string {
  const start = `${coreSchema.toLowerCase()}:`;
  return path.startsWith(start) ? path.slice(start.length) : path;
}

/** Some identity providers send booleans as text. */
function readBoolean(value: unknown): boolean | undefined {
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (word === true || word === 'true') return true;
  return word === false || word === 'false' ? false : undefined;
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
