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

/** A member that is text and not blank, to the letter; null for anything else. */
export function readText(value: unknown, name: string): string | null {
  const text = readMember(value, name);
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}

/** Where the members of an answer may stand: in its `data`, when that is an object, then in itself. */
export function layersOf(body: unknown): readonly unknown[] {
  const data = readMember(body, 'data');
  return typeof data === 'object' && data !== null ? [data, body] : [body];
}
