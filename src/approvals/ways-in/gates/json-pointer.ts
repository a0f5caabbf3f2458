import { isObject } from '../contract-values.ts';

type Scalar = string | number | boolean;

/**
 * The value that a JSON Pointer (RFC 6901) finds, or why it finds none: nothing, null, a list or an object is there, or
 * a number with more digits than can be compared.
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
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    return { fault: 'finds a number with too many digits: send it as a text' };
  }
  // as: all that JSON has besides
  return { value: value as Scalar };
}

const INDEX = /^(?:0|[1-9]\d*)$/;
