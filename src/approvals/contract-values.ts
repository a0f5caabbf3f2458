import { z } from 'zod';
import { instantOf } from '../core/lib/iso-time.ts';

/** Values that appear in several request bodies. */

/** Slack does not accept empty text. */
export function text() {
  return z.string().refine((value) => value.trim() !== '', { message: 'must not be empty' });
}

/** A source's own name for something: long enough for a path such as `checkout/4711/deploy`. */
export function ownName() {
  return z
    .string()
    .max(200)
    .refine((name) => name.trim() !== '' && !/\p{Cc}/u.test(name), {
      message: 'must be a name without control characters',
    });
}

export function webAddress() {
  return z
    .url({ protocol: /^https?$/, normalize: true, error: 'must be an http or https address' })
    .max(2_000);
}

/** Converted to UTC. */
export function time() {
  return z
    .string()
    .trim()
    .refine((value) => instantOf(value) !== null, {
      message: 'must be a time such as 2030-01-01T10:00:00Z',
      abort: true,
    })
    .overwrite((value) => new Date(instantOf(value) ?? 0).toISOString())
    .meta({ format: 'date-time' });
}

/** For `z.preprocess`: treats empty texts under these names as missing. */
export function withoutEmpty(names: ReadonlySet<string>) {
  return (body: unknown): unknown => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
    const given = Object.entries(body).filter(
      ([name, value]) => !names.has(name) || typeof value !== 'string' || value.trim() !== '',
    );
    return Object.fromEntries(given);
  };
}
