import { isObject } from '../contract-values.ts';
import { TOKEN } from './indented-json.ts';

/** A text, a number or a truth value. */
interface Scalar {
  /** As JSON; a number exactly as it was written. */
  readonly json: string;
  readonly text: string;
}

/** Parses a JSON text for `scalarAt`: 4.1 and 4.10 stay two numbers. Throws SyntaxError. */
export function parseWritten(json: string): unknown {
  // Marks must not make JSON of what is none.
  JSON.parse(json);
  const tokens = json.match(TOKEN) ?? [];
  const marked = tokens.map((token, at) => {
    const isName = tokens[at + 1] === ':';
    if (token.startsWith('"') && !isName) return `"${TEXT}${token.slice(1)}`;
    return /^[-\d]/.test(token) ? `"${NUMBER}${token}"` : token;
  });
  return JSON.parse(marked.join(''));
}

const TEXT = 't';
const NUMBER = 'n';

/**
 * The value that a JSON Pointer (RFC 6901) finds, or why it finds none: nothing, null, a list or an object is there.
 * `document`: from `parseWritten`.
 */
export function scalarAt(
  document: unknown,
  pointer: string,
): { readonly value: Scalar } | { readonly fault: string } {
  let value = document;
  for (const escaped of pointer.split('/').slice(1)) {
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    const isThere = Array.isArray(value) ? INDEX.test(name) : isObject(value);
    // as: a list or an object; a list has its items by index
    const holder = value as Record<string, unknown>;
    if (!isThere || !Object.hasOwn(holder, name)) return { fault: 'finds nothing in the body' };
    value = holder[name];
  }
  if (value === null) return { fault: 'finds null in the body' };
  if (typeof value === 'object') return { fault: 'finds a list or an object in the body' };
  if (typeof value !== 'string') return { value: { json: String(value), text: String(value) } };
  const text = value.slice(1);
  return { value: { json: value.startsWith(NUMBER) ? text : JSON.stringify(text), text } };
}

const INDEX = /^(?:0|[1-9]\d*)$/;
