/**
 * Reads a member by its plain name, or by a JSON Pointer (RFC 6901) if the name starts with a slash. Own members only;
 * undefined if there is none.
 */
export function readMember(value: unknown, name: string): unknown {
  return partsOf(name).reduce(ownMember, value);
}

/** Like `readMember`, but ignores case (RFC 7643 2.1); an exact match takes precedence. */
export function readScimMember(value: unknown, name: string): unknown {
  return partsOf(name).reduce((parent, part) => {
    if (typeof parent !== 'object' || parent === null) return undefined;
    const isSame = (own: string) => own.toLowerCase() === part.toLowerCase();
    return ownMember(
      parent,
      Object.hasOwn(parent, part) ? part : (Object.keys(parent).find(isSame) ?? part),
    );
  }, value);
}

function partsOf(name: string): readonly string[] {
  if (!name.startsWith('/')) return [name];
  return name
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function ownMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** A member that is a non-blank text, verbatim; null for anything else. */
export function readText(value: unknown, name: string): string | null {
  const text = readMember(value, name);
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}

/** The same for ids and keys, which some services send as numbers. One that has lost digits is nothing. */
export function readWord(value: unknown, name: string): string | null {
  const word = readMember(value, name);
  return Number.isSafeInteger(word) ? String(word) : readText(value, name);
}

/** Where an answer may have its members: in `data`, if that is an object, then in itself. */
export function layersOf(body: unknown): readonly unknown[] {
  const data = readMember(body, 'data');
  return typeof data === 'object' && data !== null ? [data, body] : [body];
}
