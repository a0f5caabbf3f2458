import { closest } from '../lib/closest.ts';
import { Unfit } from './environment.ts';

/** What may stand at one key of the file. Each throws Unfit with the rule, never the value. */

export function text(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') {
    throw new Unfit('must be text: put it between quotes');
  }
  if (typeof value !== 'string' || value.trim() === '') throw new Unfit('must be text');
  return value.trim();
}

export function flag(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new Unfit('must be true or false');
  return value;
}

export function wholeNumber(from: number, to: number): (value: unknown) => number {
  return (value) => {
    if (Number.isInteger(value) && Number(value) >= from && Number(value) <= to) {
      return Number(value);
    }
    throw new Unfit(`must be a whole number from ${from} to ${to}`);
  };
}

export function oneOf<Word extends string>(...words: readonly Word[]): (value: unknown) => Word {
  return (value) => {
    const word = words.find((it) => it === value);
    if (word !== undefined) return word;
    throw new Unfit(`must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
  };
}

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const TEN_YEARS_MS = 3_650 * UNITS_MS.d;

/** `90s`, `30m`, `12h` or `7d`, in milliseconds. */
export function duration(value: unknown): number {
  const [, count, unit] = /^(\d{1,9}) ?([smhd])$/.exec(String(value)) ?? [];
  // as: the expression lets no other unit through
  const ms = Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
  if (ms > 0 && ms <= TEN_YEARS_MS) return ms;
  throw new Unfit('must be a duration such as 90s, 30m, 12h or 7d, up to ten years');
}

/** The name of a source or route. */
export function entryName(value: unknown): string {
  const name = text(value);
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) return name;
  throw new Unfit('must be a name of up to 64 letters, digits, "-", "_" and "."');
}

/** What stands before the last segment of a path, below a base address. */
export function pathPrefix(value: unknown): string {
  const path = text(value).replace(/\/+$/, '');
  if (/^(\/(?!\.{1,2}(\/|$))[\w.~!$&'()*+,;=:@%-]+)+$/.test(path)) return path;
  throw new Unfit('must be a path that begins with "/", such as /internal/tasks, without "?"');
}

export function headerName(value: unknown): string {
  const name = text(value);
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new Unfit('must be the name of a header');
  if (name.toLowerCase() === 'authorization') {
    throw new Unfit('must be another header: Authorization is what auth: bearer is for');
  }
  return name;
}

/** Capitals alone, so that a secret that stands here by mistake is not taken for a name and shown. */
export function variableName(value: unknown): string {
  if (typeof value === 'string' && /^[A-Z][A-Z0-9_]{0,99}$/.test(value)) return value;
  throw new Unfit(
    'must be the name of an environment variable in capitals, and never the secret itself',
  );
}

export function knownRoute(names: readonly string[]): (value: unknown) => string {
  return (value) => {
    const name = names.find((it) => it === value);
    if (name !== undefined) return name;
    const near = closest(String(value), names);
    const known = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
    throw new Unfit(
      `must be the name of a route: ${near === undefined ? known : `did you mean ${near}?`}`,
    );
  };
}
