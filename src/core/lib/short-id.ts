import { hash } from 'node:crypto';

/** Crockford's base 32: without I, L, O and U, which look like digits or spell words. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TYPED = /^([0-9a-tv-z]{4})-?([0-9a-tv-z]{4})$/i;
/** The shortest beginning of an id that can be looked up. */
const BEGINNING_MIN = 4;

/**
 * A record's id for people, such as "7H2N-K4QM": 40 bits of the SHA-256 of its id. Two of 10,000 records share one with
 * a probability of 1 in 20,000, so a look-up returns all matches. It is not secret and gives no access: each look-up
 * checks what the person can see.
 */
export function shortIdOf(id: string): string {
  let digits = '';
  for (const byte of hash('sha256', id, 'buffer').subarray(0, 8))
    digits += DIGITS.charAt(byte % DIGITS.length);
  return `${digits.slice(0, 4)}-${digits.slice(4)}`;
}

/**
 * Parses a typed short id: any case, with or without hyphen, with I or L for 1 and O for 0. undefined for anything
 * else.
 */
export function readShortId(typed: string): string | undefined {
  const [, head, tail] = TYPED.exec(typed) ?? [];
  if (head === undefined || tail === undefined) return undefined;
  return `${head}-${tail}`.toUpperCase().replaceAll(/[IL]/g, '1').replaceAll('O', '0');
}

/**
 * Whether the typed text names a record: its short id, its id, or the beginning of its id with or without the shard
 * number. Messages of earlier versions show the first eight characters of that.
 */
export function namedBy(typed: string): (id: string) => boolean {
  const short = readShortId(typed);
  return (id) => {
    if (id === typed || (short !== undefined && shortIdOf(id) === short)) return true;
    const name = id.slice(id.indexOf('-') + 1);
    return typed.length >= BEGINNING_MIN && (id.startsWith(typed) || name.startsWith(typed));
  };
}
