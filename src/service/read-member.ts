/**
 * Reads a member by its plain name, or by a JSON Pointer (RFC 6901) when the name begins with a slash.
 * Only the value's own members count; undefined when there is none.
 */
export function readMember(value: unknown, name: string): unknown {
  if (!name.startsWith('/')) return ownMember(value, name);
  return name
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(ownMember, value);
}

function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}
